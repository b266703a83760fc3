/** What the death of a thread, and the end of the process, have to do with conditions. */
import { ReentrantLock } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { runProgram } from "../../support/child.ts"
import { eventually } from "../../support/harness.ts"
import { Workers } from "../../support/workers.ts"
import { outcomeOf, pair, SIGNALLED, waiter, waiting } from "./condition-pair.ts"
import { Task } from "./support.ts"

const JOBS = new URL("condition.workers.js", import.meta.url)
const LOCK_JOBS = new URL("lock.workers.js", import.meta.url)

test("[CN27] the death of any thread ends the waits, as if there had been a signal", async () => {
  await using workers = new Workers()
  const both = pair()
  const hands = [await waiter(workers, both, "awaitSync"), await waiter(workers, both, "awaitUninterruptibly")]
  const call = await new Task().waitIn(async () => {
    using _ = await both.lock.lock()
    return await both.condition.await()
  })
  const other = workers.run(LOCK_JOBS, "dieHolding", new ReentrantLock(), "killed", 1)
  await other.heard("locked")
  await other.kill()
  for (const hand of hands) assert.deepEqual(await outcomeOf(hand), SIGNALLED)
  await eventually(() => !call.isPending)
  assert.equal(await call.ends(), true)
  assert.equal(waiting(both), 0)
})

test("[CN28] one who died while waiting takes no signal, and is not counted", async () => {
  await using workers = new Workers()
  for (const form of ["awaitSync", "await"] as const) {
    const both = pair()
    const dead = await waiter(workers, both, form)
    await dead.kill()
    assert.equal(waiting(both), 0)
    const call = await new Task().waitIn(async () => {
      using _ = await both.lock.lock()
      return await both.condition.await()
    })
    await both.lock.lock()
    assert.equal(both.condition.waitQueueLength, 1)
    both.condition.signal()
    both.lock.unlock()
    assert.equal(await call.ends(), true)
  }
})

test("[CN29] if the one who signalled dies with the lock, those signalled get it", async () => {
  await using workers = new Workers()
  const both = pair()
  const blocked = await waiter(workers, both, "awaitSync")
  const task = new Task()
  const call = await task.waitIn(async () => {
    await both.lock.lock()
    return await both.condition.await()
  })
  const signaller = workers.run(JOBS, "signalAndStay", both)
  await signaller.heard("signalled")
  assert.equal(both.lock.queueLength, 2)
  await signaller.kill()
  assert.deepEqual(await outcomeOf(blocked), { ...SIGNALLED, wasAbandoned: true })
  await eventually(() => !call.isPending)
  assert.equal(await call.ends(), true)
  assert.equal(
    task.do(() => both.lock.wasAbandoned),
    false,
  )
})

test("[CN30] a wait for a condition that other threads know keeps the process alive", async () => {
  for (const shared of [true, false]) {
    const { stdout, code } = await runProgram(`
      import { ReentrantLock } from "corepool"
      import { Flow } from "#src/memory/flow/flow.js"
      const lock = new ReentrantLock()
      const condition = lock.newCondition()
      if (${shared}) structuredClone({ lock, condition })
      setTimeout(async () => {
        await lock.lock()
        condition.signal()
        lock.unlock()
      }, ${shared ? 50 : 600_000}).unref() // if nothing keeps the process alive, it must have ended before
      void new Flow().run(async () => {
        await lock.lock()
        await condition.await()
        console.log("signalled")
      })
      process.on("exit", () => console.log("end"))
    `)
    assert.equal(code, 0)
    assert.equal(stdout, shared ? "signalled\nend\n" : "end\n")
  }
})
