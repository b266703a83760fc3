/** Factories that return what no pool can use, or fail when it matters. Ids such as [TP28] refer to docs/spec/pool.md. */
import { IllegalStateError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, thrownBy, turns } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"
import { counters, FlakyFactory } from "./flaky-factory.ts"

test("[TP28] a thread that was started, or has ended, is refused", async () => {
  await using pools = new Pools()
  const started = pools.factory.newThread(() => undefined)
  started?.start()
  assert.equal(await started?.join(), true)
  for (const give of [
    () => started,
    (target: () => unknown) => {
      const thread = pools.factory.newThread(target)
      thread?.start()
      return thread
    },
  ]) {
    const threadFactory = { isVirtual: true, newThread: give }
    const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, threadFactory })
    const error = thrownBy(() => pool.execute(() => assert.fail("ran")))
    assert.ok(error instanceof IllegalStateError, String(error))
    assert.match(error.message, /was started already/)
    assert.deepEqual(counters(pool), [0, 0, 0, 0, 0])
  }
})

test("[TP28][TP30] a thread that the factory started does not take tasks behind the pool's back", async () => {
  await using pools = new Pools()
  let first = true
  const pool = pools.create({
    corePoolSize: 1,
    maximumPoolSize: 1,
    threadFactory: {
      isVirtual: true,
      newThread: (target) => {
        const thread = pools.factory.newThread(target)
        if (first) thread?.start()
        first = false
        return thread
      },
    },
  })
  assert.ok(thrownBy(() => pool.execute(() => assert.fail("ran"))) instanceof IllegalStateError)
  await turns()
  const gate = pools.gate()
  for (let i = 0; i < 5; i++) pool.execute(gate.body)
  await gate.entered()
  await turns()
  assert.deepEqual(counters(pool), [1, 1, 1, 4, 5])
  assert.equal(gate.inside, 1)
})

test("[TP29] what is no thread is refused", async () => {
  await using pools = new Pools()
  const threadFactory = new FlakyFactory(pools)
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, threadFactory })
  for (const [nonsense, shown] of [
    [42, "42"],
    ["thread", '"thread"'],
    [{ start() {} }, "an instance of Object"],
    [Promise.resolve(), "an instance of Promise"],
  ] as const) {
    threadFactory.instead = () => nonsense
    const error = thrownBy(() => pool.execute(() => assert.fail("ran")))
    assert.equal(String(error), `TypeError: Expected \`newThread()\` to be a Thread, null or undefined, got ${shown}`)
    assert.deepEqual(counters(pool), [0, 0, 0, 0, 0])
  }
})

test("[TP30] when a factory begins to refuse, the threads that are there run everything", async () => {
  await using pools = new Pools()
  const thrower = (): never => {
    throw new Error("no more threads")
  }
  for (const failure of [() => null, () => 42, thrower]) {
    const threadFactory = new FlakyFactory(pools)
    const pool = pools.create({ corePoolSize: 6, maximumPoolSize: 6, threadFactory })
    let runs = 0
    for (let i = 0; i < 2; i++) pool.execute(() => runs++)
    threadFactory.instead = failure
    let accepted = 2
    for (let i = 0; i < 10; i++) {
      try {
        pool.execute(() => runs++)
        accepted++
      } catch (error) {
        assert.match(String(error), /no more threads|got 42/)
      }
    }
    assert.equal(accepted, failure === thrower || failure() === 42 ? 2 : 12)
    pool.shutdown()
    assert.equal(await pool.awaitTermination(), true)
    assert.equal(runs, accepted)
    assert.equal(pool.completedTaskCount, accepted)
    assert.equal(pool.largestPoolSize, 2)
  }
})

test("[TP31] if a dead thread cannot be replaced, its own error and the factory's are both reported", async () => {
  await using pools = new Pools()
  const threadFactory = new FlakyFactory(pools)
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, threadFactory })
  pool.execute(() => {
    threadFactory.instead = () => {
      throw new Error("no more threads")
    }
    throw new Error("the task")
  })
  await eventually(() => pools.threads[0]?.isAlive === false)
  const uncaught = pools.takeUncaught().map(String)
  assert.deepEqual(uncaught.sort(), ["Error: no more threads", "Error: the task"])
  assert.deepEqual([pool.poolSize, pool.activeCount, pool.completedTaskCount, pool.queue.size], [0, 0, 1, 0])
  threadFactory.instead = undefined
  assert.equal(await pool.submit(() => "goes on"), "goes on")
})
