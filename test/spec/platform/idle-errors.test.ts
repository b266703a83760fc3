/** Errors of threads that have no task in hand, which a task has left behind. Rules: docs/spec/platform.md. */
import { Executors, platformThreads } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { runProgram } from "../../support/child.ts"
import { FakeClock } from "../../support/fake-clock.ts"
import { eventually, turns } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"

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
  [
    "a microtask, after which another one waits for ever,",
    (words) => {
      const tick = (): void => {
        if (Atomics.load(words, 0) === 0) {
          setTimeout(tick, 1)
          return
        }
        Atomics.store(words, 1, 1)
        queueMicrotask(() => {
          throw new RangeError("left behind")
        })
        queueMicrotask(() => Atomics.wait(words, 2, 0))
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

/** Fails when the first word is set, with an error that has a property which cannot be read before the third one is; the second one is set meanwhile. */
function leaveSlowError(words: Int32Array): void {
  const tick = (): void => {
    if (Atomics.load(words, 0) === 0) {
      setTimeout(tick, 1)
      return
    }
    const get = (): number => {
      Atomics.store(words, 1, 1)
      Atomics.wait(words, 2, 0)
      return 1
    }
    throw Object.defineProperty(new RangeError("left behind"), "slow", { get, enumerable: true })
  }
  tick()
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

test("[PL38] the error is told however long the runtime of that thread takes to report it", async () => {
  const heard: string[] = []
  const factory = platformThreads({
    name: "w",
    uncaughtException: ({ name }, error) => heard.push(`${name}: ${String(error)}`),
  })
  await using pools = new Pools()
  const pool = pools.adopt(Executors.newFixedThreadPool(1, factory))
  const words = new Int32Array(new SharedArrayBuffer(12))
  await pool.submit(leaveSlowError, words)
  {
    using clock = new FakeClock()
    Atomics.store(words, 0, 1)
    const isReported = (): boolean => heard.length === 1 // not all runtimes read the property
    await eventually(() => Atomics.load(words, 1) === 1 || isReported())
    // Whatever the owner does when it has not heard of the error for a long time, it does now.
    const timers = clock.delays.length
    await eventually(() => clock.delays.length > timers || clock.ticking > 0 || isReported())
    for (let i = 0; i < 10; i++) {
      clock.advance(60_000)
      await turns()
    }
  }
  Atomics.store(words, 2, 1)
  Atomics.notify(words, 2)
  await eventually(() => heard.length === 1)
  assert.deepEqual(heard, ["w-1: RangeError: left behind"])
  assert.equal(await pool.submit(() => 4), 4)
})

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
