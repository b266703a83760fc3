/** Tasks that are cancelled, or stopped, before their thread has begun. Rules: docs/spec/platform.md. */
import { Executors, platformThreads, type ThreadPoolExecutor } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { setEnvironmentData, Worker } from "node:worker_threads"
import { eventually } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"

const KEY = "corepool late start"

/** A thread that begins when the test says so. */
const PROGRAM = `
  const { getEnvironmentData } = require("node:worker_threads")
  const words = new Int32Array(getEnvironmentData("${KEY}"))
  while (Atomics.load(words, 0) === 0) Atomics.wait(words, 0, 0)
  import("${import.meta.resolve("corepool/worker")}")
`

/** The same, and the thread takes a long pause wherever it writes its own name into a word that was 0. */
const SLOW_PROGRAM = `
  const { compareExchange } = Atomics
  Atomics.compareExchange = (array, index, expected, value) => {
    const before = compareExchange(array, index, expected, value)
    const isName = value >= 1024 && value < 16384
    if (before === 0 && expected === 0 && isName) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
    return before
  }
  ${PROGRAM}
`

/** A pool of one thread, how to let the thread begin, and the names of the threads that were made. */
function late(program = PROGRAM): { pool: ThreadPoolExecutor; begin: () => void; made: string[] } {
  const words = new Int32Array(new SharedArrayBuffer(4))
  setEnvironmentData(KEY, words.buffer)
  const made: string[] = []
  const factory = platformThreads({
    terminateAfter: 1,
    workerFactory(options) {
      made.push(options.name)
      return new Worker(program, { ...options, eval: true })
    },
    name: "w",
  })
  const begin = (): void => {
    Atomics.store(words, 0, 1)
    Atomics.notify(words, 0)
  }
  return { pool: Executors.newFixedThreadPool(1, factory), begin, made }
}

test("[PP12] a thread that has not begun is not killed for a task that was cancelled meanwhile", async () => {
  await using pools = new Pools()
  const { pool, begin, made } = late()
  assert.equal(pool.submit(() => 1).cancel(true), true)
  await pools.keepAliveOver(5) // until long after its time is up
  begin()
  assert.equal(await pool.submit(() => 2), 2)
  await pool.close()
  assert.deepEqual(made, ["w-1"])
  assert.equal(pool.completedTaskCount, 2)
})

test("[PP12] a slow thread does not count as in the user's code while it finds that its first task was cancelled", async () => {
  await using pools = new Pools()
  const { pool, begin, made } = late(SLOW_PROGRAM)
  assert.equal(pool.submit(() => 1).cancel(true), true)
  await pools.keepAliveOver(5)
  begin()
  assert.equal(await pool.submit(() => 2), 2)
  await pool.close()
  assert.deepEqual(made, ["w-1"])
  assert.equal(pool.completedTaskCount, 2)
})

test("[PP12] a task that begins on a pool that was stopped, and does not listen, is ended with its thread", async () => {
  await using pools = new Pools()
  const { pool, begin } = late()
  const future = pool.submit(() => {
    for (;;);
  })
  assert.deepEqual(pool.shutdownNow(), [])
  await pools.keepAliveOver(5)
  begin()
  await eventually(() => future.isDone)
  assert.equal(await pool.awaitTermination(), true)
  assert.equal(future.state, "failed")
})
