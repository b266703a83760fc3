/**
 * What keeps a process alive. An unref'd timer shows it: it fires only if something else keeps the process alive until then. A
 * timer that must not fire is so long that a process which lived on would be taken for one that hangs.
 */
import assert from "node:assert/strict"
import { test } from "node:test"
import { runProgram } from "../../support/child.ts"

const PROLOGUE = `
  import { CountDownLatch, CyclicBarrier, Semaphore } from "corepool"
  const later = (ms, body) => setTimeout(body, ms).unref()
  process.on("exit", () => console.log("end"))
`

async function printed(program: string): Promise<string> {
  const { code, stdout, stderr } = await runProgram(PROLOGUE + program)
  assert.equal(stderr, "")
  assert.equal(code, 0)
  return stdout.trim().replaceAll("\n", " ")
}

/** How to make one, to wait for it, and to end the wait. */
const KINDS = {
  semaphore: ["new Semaphore(0)", "it.acquire()", "it.release()"],
  latch: ["new CountDownLatch(1)", "it.await()", "it.countDown()"],
  barrier: ["new CyclicBarrier(2)", "it.await()", "it.await()"],
} as const

async function checkKeepingAlive(kind: keyof typeof KINDS): Promise<void> {
  const [make, wait, end] = KINDS[kind]
  const unshared = `
    const it = ${make}
    ${wait}.then(() => console.log("went on"))
    later(100_000, () => ${end})
  `
  assert.equal(await printed(unshared), "end")
  const shared = `
    const it = ${make}
    ${wait}.then(() => console.log("went on"))
    structuredClone(it) // as if it were posted
    later(50, () => ${end})
  `
  assert.equal(await printed(shared), "went on end")
  const idle = `
    const it = ${make}
    structuredClone(it)
    later(100_000, () => console.log("too late"))
  `
  assert.equal(await printed(idle), "end")
}

test("[SM35] a wait for a semaphore keeps the process alive only if other threads know it", () =>
  checkKeepingAlive("semaphore"))

test("[CL15] a wait for a latch keeps the process alive only if other threads know it", () =>
  checkKeepingAlive("latch"))

test("[CB29] a wait at a barrier keeps the process alive only if other threads know it", () =>
  checkKeepingAlive("barrier"))
