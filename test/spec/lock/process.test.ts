/** What keeps a process alive. An unref'd timer shows it: it fires only if something else does. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { runProgram } from "../../support/child.ts"

const WORKERS = new URL("../../support/workers.js", import.meta.url).href
const JOBS = new URL("lock.workers.js", import.meta.url).href

const PROLOGUE = `
  import { ReentrantLock } from "corepool"
  import { Flow } from "#src/memory/flow/flow.js"
  import { WorkerHand } from ${JSON.stringify(WORKERS)}

  const start = (name, ...args) => new WorkerHand({ module: ${JSON.stringify(JOBS)}, name, args })
  const lock = new ReentrantLock()
  const later = (ms, body) => setTimeout(body, ms).unref()
`

async function outcome(program: string): Promise<string> {
  const { code, stdout, stderr } = await runProgram(PROLOGUE + program)
  assert.equal(stderr, "")
  assert.equal(code, 0)
  return stdout.trim().replaceAll("\n", " ")
}

test("[LK24] a lock that nobody waits for keeps no process alive", async () => {
  const text = await outcome(`
    void lock.handle // shared from now on
    await lock.lock()
    lock.unlock()
    lock.lockSync()
    later(100_000, () => console.log("never"))
    console.log("end")
  `)
  assert.equal(text, "end")
})

test("[LK24] nor does one that a worker has, after the worker has ended", async () => {
  const text = await outcome(`
    const hand = start("lockOnce", lock, "lock")
    await hand.result
    await hand.gone
    console.log("end")
  `)
  assert.equal(text, "end")
})

test("[LK25] a wait for a lock that no other thread knows keeps no process alive", async () => {
  const text = await outcome(`
    await lock.lock()
    new Flow().run(() => lock.lock()).then(() => console.log("never"))
    later(100_000, () => lock.unlock())
    process.on("exit", () => console.log("end with", lock.queueLength))
  `)
  assert.equal(text, "end with 1")
})

test("[LK26] a wait for a lock that other threads know keeps the process alive until it has it", async () => {
  const text = await outcome(`
    void lock.handle
    await lock.lock()
    new Flow().run(() => lock.lock()).then(() => console.log("locked"))
    later(50, () => lock.unlock())
    later(100_000, () => console.log("never"))
  `)
  assert.equal(text, "locked")
})

test("[LK26] also if it is a worker that has it, which itself keeps nothing alive", async () => {
  const text = await outcome(`
    const hand = start("holdFor", lock, 50)
    await hand.heard("locked")
    hand.worker.unref()
    await lock.lock()
    console.log("locked")
  `)
  assert.equal(text, "locked")
})

test("[LK26] a worker stays alive, too, until it has the lock that it awaits", async () => {
  const text = await outcome(`
    await lock.lock()
    const hand = start("lockOnce", lock, "lock")
    await hand.heard("locking")
    setTimeout(() => lock.unlock(), 50)
    console.log(JSON.stringify(await hand.result))
  `)
  assert.equal(text, `{"wasAbandoned":false,"holdCount":1}`)
})

test("[LK26] one who gives up no longer keeps the process alive", async () => {
  const text = await outcome(`
    void lock.handle
    await lock.lock()
    const flow = new Flow()
    flow.run(() => lock.lockInterruptibly()).catch((error) => console.log(error.name))
    later(50, () => flow.interrupt())
    later(100_000, () => console.log("never"))
  `)
  assert.equal(text, "InterruptedError")
})

test("[LK27] a lock that becomes shared during a wait counts as shared", async () => {
  const text = await outcome(`
    await lock.lock()
    new Flow().run(() => lock.lock()).then(() => console.log("locked"))
    structuredClone(lock)
    later(50, () => lock.unlock())
  `)
  assert.equal(text, "locked")
})
