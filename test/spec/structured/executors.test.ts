/** What executors do to the forks of scopes: they refuse them, drop them, keep them waiting, and lose threads. */
import {
  AtomicInteger,
  bind,
  CancellationError,
  DiscardPolicy,
  Executors,
  Joiner,
  platformThreads,
  RejectedExecutionError,
  StructuredTaskScope,
  ThreadDeathError,
  ThreadPoolExecutor,
  SynchronousQueue,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { runProgram } from "../../support/child.ts"
import { eventually, Gate, rejectionOf, thrownBy } from "../../support/harness.ts"
import * as tasks from "./tasks.ts"

const FACTORIES = [virtualThreads, platformThreads] as const

for (const makeFactory of FACTORIES) {
  test(`[SS13] what the executor refuses, fork() throws, and the scope goes on: ${makeFactory.name}`, async () => {
    const pool = Executors.newFixedThreadPool(1, makeFactory())
    await using scope = StructuredTaskScope.open(Joiner.allSuccessfulOrThrow(), { executor: pool })
    const good = scope.fork(tasks.echo, 1)
    pool.shutdown()
    assert.ok(thrownBy(() => scope.fork(tasks.echo, 2)) instanceof RejectedExecutionError)
    const error = await rejectionOf(scope.join().then(([, second]) => second?.get()))
    assert.match((error as Error).message, /has no result/)
    assert.equal(good.get(), 1)
    await pool.close()
  })

  test(`[SS14] a fork that the executor drops or stops has failed: ${makeFactory.name}`, async () => {
    await using pool = new ThreadPoolExecutor({
      corePoolSize: 1,
      maximumPoolSize: 1,
      workQueue: new SynchronousQueue(),
      handler: DiscardPolicy,
      threadFactory: makeFactory(),
    })
    const [begun, stopped] = [new AtomicInteger(), new AtomicInteger()]
    await using scope = StructuredTaskScope.open(Joiner.awaitAll(), { executor: pool })
    const running = scope.fork(tasks.hang, begun, stopped)
    const dropped = scope.fork(tasks.echo, 1)
    await eventually(() => begun.get() === 1)
    pool.shutdownNow()
    await scope.join()
    assert.deepEqual([running.state, dropped.state, scope.isCancelled], ["failed", "failed", false])
    assert.ok(dropped.exception instanceof CancellationError)
  })

  test(`[SS15] a cancelled fork that has not begun holds up nothing: ${makeFactory.name}`, async () => {
    await using pool = Executors.newFixedThreadPool(1, makeFactory())
    for (const executor of [pool, Executors.unconfigurableExecutorService(pool)]) {
      const [begun, stopped] = [new AtomicInteger(), new AtomicInteger()]
      const other = pool.submit(tasks.hang, begun, stopped)
      await using scope = StructuredTaskScope.open(undefined, { executor, timeout: 1 })
      const waiting = scope.fork(tasks.echo, 1)
      assert.equal(((await rejectionOf(scope.join())) as Error).name, "TimeoutError")
      assert.equal(waiting.state, "unavailable")
      assert.equal(other.isDone, false)
      await eventually(() => begun.get() === 1)
      other.cancel(true)
      await eventually(() => stopped.get() === 1)
    }
  })
}

test("[SS12] the fork of a thread that dies has failed with ThreadDeathError, and the others are cancelled", async () => {
  await using pool = Executors.newFixedThreadPool(2, platformThreads())
  const [begun, stopped] = [new AtomicInteger(), new AtomicInteger()]
  await using scope = StructuredTaskScope.open(undefined, { executor: pool })
  scope.fork(tasks.hang, begun, stopped)
  await eventually(() => begun.get() === 1)
  const dying = scope.fork(tasks.die)
  const error = await rejectionOf(scope.join())
  assert.ok(error instanceof ThreadDeathError)
  assert.deepEqual([dying.state, stopped.get()], ["failed", 1])
})

test("[SS12] a cancelled fork that does not stop is terminated with its thread, and join() goes on", async () => {
  await using pool = Executors.newFixedThreadPool(1, platformThreads({ terminateAfter: 1 }))
  const begun = new AtomicInteger()
  await using scope = StructuredTaskScope.open(undefined, { executor: pool })
  scope.fork((count: AtomicInteger) => {
    count.incrementAndGet()
    for (;;);
  }, begun)
  await eventually(() => begun.get() === 1)
  assert.ok((await rejectionOf(scope.close())) instanceof Error)
  await using next = StructuredTaskScope.open(undefined, { executor: pool })
  const after = next.fork(tasks.echo, 1)
  await next.join()
  assert.equal(after.get(), 1)
})

test("[SS18] join() in a thread of the pool that the forks wait for runs them", async () => {
  await using pool = Executors.newFixedThreadPool(1, platformThreads())
  assert.deepEqual(await pool.submit(tasks.forkToOwn, pool), [1, 2])
})

test("[SS19] a program ends when its scopes have, and not before", async () => {
  const { code, stdout, stderr } = await runProgram(`
    import { Executors, StructuredTaskScope, Thread, platformThreads } from "corepool"
    const pool = Executors.newFixedThreadPool(1, platformThreads({ terminateAfter: Infinity }))
    const idle = StructuredTaskScope.open(undefined, { timeout: 1e9 })
    await idle.close()
    const scope = StructuredTaskScope.open(undefined, { executor: pool, timeout: 200 })
    scope.fork(async () => {
      const end = Date.now() + 700
      while (Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 5))
    })
    const error = await scope.join().catch((reason) => reason)
    console.log(error.name)
    await scope.close()
    StructuredTaskScope.open().fork(() => new Promise(() => {}))
  `)
  assert.deepEqual([code, stdout, stderr], [0, "TimeoutError\n", ""])
})

test("[SS19] a program waits for a fork that its executor has given up, and that does not stop", async () => {
  const { code, stdout, stderr } = await runProgram(`
    import { Executors, StructuredTaskScope, platformThreads } from "corepool"
    const pool = Executors.newFixedThreadPool(1, platformThreads({ terminateAfter: 300 }))
    const scope = StructuredTaskScope.open(undefined, { executor: pool.with({ timeout: 50 }) })
    scope.fork(() => new Promise((resolve) => setTimeout(resolve, 1e9)))
    const error = await scope.join().catch((reason) => reason)
    console.log(error.name)
    await scope.close()
  `)
  assert.deepEqual([code, stdout, stderr], [0, "TimeoutError\n", ""])
})

test("[SS20] a function that cannot be sent, and a bound one", async () => {
  await using pool = Executors.newFixedThreadPool(1, platformThreads())
  await using scope = StructuredTaskScope.open(undefined, { executor: pool })
  const gate = new Gate()
  const error = thrownBy(() => scope.fork(tasks.echo, gate.body)) as Error
  assert.equal(error.name, "NotSerializableError")
  assert.match(error.message, /`args\[0\]`/)
  const added = scope.fork(
    bind((a: number, b: number) => a + b, 1),
    2,
  )
  await scope.join()
  assert.equal(added.get(), 3)
})
