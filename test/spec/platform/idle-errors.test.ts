/** Errors of threads that have no task in hand, which a task has left behind. Rules: docs/spec/platform.md. */
import { Executors, platformThreads } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { runProgram } from "../../support/child.ts"
import { eventually } from "../../support/harness.ts"

/** What a task may leave behind that fails when the thread has nothing to do any more: when the first word is set, and it sets the second. */
const leftovers: readonly (readonly [what: string, leave: (words: Int32Array) => void])[] = [
  [
    "a timer",
    (words) => {
      const tick = (): void => {
        if (Atomics.load(words, 0) === 0) {
          setTimeout(tick, 1)
          return
        }
        Atomics.store(words, 1, 1)
        throw new RangeError("left behind")
      }
      tick()
    },
  ],
  [
    "a promise",
    (words) => {
      const tick = (): void => {
        if (Atomics.load(words, 0) === 0) {
          setTimeout(tick, 1)
          return
        }
        Atomics.store(words, 1, 1)
        void Promise.reject(new RangeError("left behind"))
      }
      tick()
    },
  ],
]

/** Blocks until the other thread is about to die, and then for a moment in which it does, or soon afterwards. */
function outlive(words: Int32Array): number {
  while (Atomics.load(words, 1) === 0) Atomics.wait(words, 1, 0, 1)
  Atomics.wait(words, 2, 0, 50)
  return 3
}

for (const [what, leave] of leftovers) {
  for (const isBlocked of [false, true]) {
    const how = isBlocked ? ", while the owner blocks," : ""
    test(`[PL38] an error of ${what} in an idle thread${how} is told with that thread, and costs no task`, async () => {
      const heard: string[] = []
      const factory = platformThreads({
        name: "w",
        uncaughtException: ({ name }, error) => heard.push(`${name}: ${String(error)}`),
      })
      const pool = Executors.newFixedThreadPool(2, factory)
      const words = new Int32Array(new SharedArrayBuffer(12))
      const first = pool.submit(leave, words)
      const second = pool.submit(outlive, words) // the second thread's first task
      await first
      Atomics.store(words, 0, 1)
      assert.equal(isBlocked ? second.getSync() : await second, 3)
      await eventually(() => heard.length === 1)
      assert.equal(await pool.submit(() => 4), 4)
      await eventually(() => pool.poolSize === 2)
      await pool.close()
      assert.deepEqual(heard, ["w-1: RangeError: left behind"])
      assert.equal(pool.completedTaskCount, 3)
    })
  }
}

test("[PL38] without a handler the error is printed, and the program goes on", async () => {
  const { code, stdout, stderr } = await runProgram(`
    import { Executors, platformThreads } from "corepool"
    const print = console.error
    let isPrinted = false
    console.error = (...values) => {
      isPrinted = true
      print(...values)
    }
    const pool = Executors.newFixedThreadPool(1, platformThreads({ name: "w" }))
    await pool.submit(() => { setTimeout(() => { throw new RangeError("left behind") }, 1) })
    while (!isPrinted) await new Promise((resolve) => setTimeout(resolve, 1))
    console.log(await pool.submit(() => "goes on"))
    await pool.close()
  `)
  assert.deepEqual([code, stdout], [0, "goes on\n"])
  assert.match(stderr, /Exception in thread "w-1"[^]*left behind/)
})
