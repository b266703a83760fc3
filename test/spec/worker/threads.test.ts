/** What a platform thread is to the tasks that run in it. */
import { IllegalStateError, InterruptedError, platformThreads, ThreadDeathError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, thrownBy } from "../../support/harness.ts"
import { requireMemoryLimits } from "../../support/memory-limits.ts"
import { Ear, PlatformPool, tasks } from "./support.ts"

test("[WK10] inside a task, the thread is the one that the factory has made", async () => {
  await using own = new PlatformPool({ name: "render" }, { corePoolSize: 2, maximumPoolSize: 2 })
  const seen = await Promise.all([own.pool.submit(tasks.self), own.pool.submit(tasks.self)])
  for (const { name, id, isVirtual, isAlive, text } of seen) {
    const thread = own.threads.find((made) => made.name === name)
    assert.deepEqual([id, isVirtual, isAlive, text], [thread?.id, thread?.isVirtual, true, String(thread)])
  }
  assert.deepEqual(
    own.threads.map(({ name }) => name),
    ["render-1", "render-2"],
  )
})

test("[WK10] names are Java's by default", async () => {
  await using own = new PlatformPool()
  const { name, isVirtual } = await own.pool.submit(tasks.self)
  assert.match(name, /^pool-\d+-thread-1$/)
  assert.equal(isVirtual, false)
})

test("[WK11] a task that computes sees that it was cancelled, and its thread goes on", async () => {
  await using own = new PlatformPool({ terminateAfter: Infinity })
  using ear = new Ear()
  const future = own.pool.submit(tasks.spinUntilInterrupted, ear.name)
  await ear.hears()
  future.cancel(true)
  assert.equal((await own.pool.submit(tasks.self)).name, own.threads[0]?.name)
})

test("[WK11] the signal of an asynchronous task aborts", async () => {
  await using own = new PlatformPool({ terminateAfter: Infinity })
  using ear = new Ear()
  const future = own.pool.submit(tasks.awaitAbort, ear.name)
  await ear.hears()
  own.threads[0]?.interrupt()
  assert.equal(await future, "InterruptedError")
})

test("[WK12] an interrupt ends sleepSync, clears the flag and aborts the signal", async () => {
  await using own = new PlatformPool({ terminateAfter: Infinity })
  using ear = new Ear()
  const future = own.pool.submit(tasks.sleepUntilInterrupted, ear.name)
  await ear.hears()
  own.threads[0]?.interrupt()
  assert.deepEqual(await future, ["InterruptedError", false, true])
  assert.equal((await own.pool.submit(tasks.self)).name, own.threads[0]?.name)
})

test("[WK12] so does a cancellation, and the thread is not replaced", async () => {
  await using own = new PlatformPool({ terminateAfter: Infinity })
  using ear = new Ear()
  const future = own.pool.submit(tasks.sleepUntilInterrupted, ear.name)
  await ear.hears()
  future.cancel(true)
  assert.equal(await own.pool.submit(tasks.add, 1, 2), 3)
  assert.equal(own.threads.length, 1)
})

test("[WK13] a thread has the environment that it is given, and otherwise a copy of this one", async () => {
  process.env["COREPOOL_TEST"] = "inherited"
  try {
    await using plain = new PlatformPool()
    assert.equal(await plain.pool.submit(tasks.environment, "COREPOOL_TEST"), "inherited")
    await using own = new PlatformPool({ env: { COREPOOL_TEST: "given" } })
    assert.equal(await own.pool.submit(tasks.environment, "COREPOOL_TEST"), "given")
    assert.equal(await own.pool.submit(tasks.environment, "PATH"), undefined)
  } finally {
    delete process.env["COREPOOL_TEST"]
  }
})

test("[WK14] a thread has the flags that it is given", async () => {
  await using own = new PlatformPool({ execArgv: ["--no-warnings"] })
  assert.deepEqual(await own.pool.submit(tasks.flags), ["--no-warnings"])
})

test("[WK14] flags that the runtime refuses are its error, and cost the task only", async () => {
  await using own = new PlatformPool({ execArgv: ["--no-such-flag"] })
  for (const size of [1, 2]) {
    assert.throws(() => own.pool.submit(tasks.add, 1, 2), { code: "ERR_WORKER_INVALID_EXEC_ARGV" })
    assert.deepEqual([own.pool.poolSize, own.pool.queue.size, own.threads.length], [0, 0, size])
    assert.equal(own.threads.at(-1)?.isAlive, false)
  }
})

test("[WK15] a thread has its limits, and a task that exceeds them costs that thread only", async () => {
  await requireMemoryLimits()
  await using own = new PlatformPool({ resourceLimits: { maxOldGenerationSizeMb: 24 } })
  const { maxOldGenerationSizeMb } = (await own.pool.submit(tasks.limits)) as { maxOldGenerationSizeMb: number }
  assert.equal(maxOldGenerationSizeMb, 24)
  const error = await rejectionOf(own.pool.submit(tasks.devour))
  assert.ok(error instanceof ThreadDeathError)
  assert.equal((error.cause as { code?: string }).code, "ERR_WORKER_OUT_OF_MEMORY")
  assert.equal(await own.pool.submit(tasks.add, 1, 2), 3)
})

test("[WK16] modules to preload are loaded before the first task, in order, once for each thread", async () => {
  const preload = [new URL("preload-a.js", import.meta.url), new URL("preload-b.js", import.meta.url).href]
  await using own = new PlatformPool({ preload })
  assert.deepEqual(await own.pool.submit(tasks.preloaded), ["a", "b"])
  assert.deepEqual(await own.pool.submit(tasks.preloaded), ["a", "b"])
})

test("[WK17] if one cannot be loaded, tasks fail with the reason, and no thread is made for another", async () => {
  const module = "data:text/javascript,throw new RangeError('no such thing')"
  await using own = new PlatformPool({ preload: [module] })
  for (const future of [own.pool.submit(tasks.add, 1, 2), own.pool.submit(tasks.add, 3, 4)]) {
    const error = await rejectionOf(future)
    assert.ok(error instanceof IllegalStateError)
    assert.match(error.message, /could not load a module that is to be preloaded, data:text\/javascript.*no such thing/)
    assert.ok(error.cause instanceof RangeError)
  }
  assert.deepEqual([own.threads.length, own.pool.poolSize], [1, 1])
})

test("[WK17] the reason reaches a thread that blocks", async () => {
  await using own = new PlatformPool({ preload: ["data:text/javascript,throw new RangeError('no such thing')"] })
  const future = own.pool.submit(tasks.add, 1, 2)
  assert.ok(thrownBy(() => future.getSync()) instanceof IllegalStateError)
})

test("[WK17] a command that fails for that is told to the handler, and its thread is replaced", async () => {
  await using own = new PlatformPool({ preload: ["data:text/javascript,throw new RangeError('no such thing')"] })
  own.pool.execute(tasks.add, 1, 2)
  await eventually(() => own.uncaught.length > 0)
  assert.ok(own.uncaught[0]?.error instanceof IllegalStateError)
})

test("[WK18] a module that ends its thread costs a task each time, and threads are not made for ever", async () => {
  await using own = new PlatformPool({ preload: [new URL("preload-exit.js", import.meta.url)] })
  for (const future of [own.pool.submit(tasks.add, 1, 2), own.pool.submit(tasks.add, 3, 4)]) {
    assert.ok((await rejectionOf(future)) instanceof ThreadDeathError)
  }
  const { length } = own.threads
  assert.ok((await rejectionOf(own.pool.submit(tasks.add, 1, 2))) instanceof ThreadDeathError)
  // The one that is idle now is not going to die before it has a task.
  assert.ok(own.threads.length <= length + 1, `${own.threads.length} threads after ${length}`)
})

test("[WK18] a pool without tasks ends up with a thread that lives", async () => {
  await using own = new PlatformPool({ preload: [new URL("preload-exit.js", import.meta.url)] })
  own.pool.prestartAllCoreThreads()
  await eventually(() => own.threads.length === 2 && own.threads[0]?.isAlive === false)
  assert.ok((await rejectionOf(own.pool.submit(tasks.add, 1, 2))) instanceof ThreadDeathError)
})

test("[WK19] settings are checked at the door", () => {
  assert.throws(() => platformThreads({ output: "loud" as "direct" }), {
    name: "TypeError",
    message: 'Expected `output` to be "direct" or "relayed", got "loud"',
  })
  assert.throws(() => platformThreads({ workerFactory: 7 as never }), {
    name: "TypeError",
    message: "Expected `workerFactory` to be a function, got 7",
  })
  assert.throws(() => platformThreads({ preload: ["./relative.js"] }), { name: "TypeError" })
  assert.throws(() => platformThreads({ terminateAfter: NaN }), { name: "RangeError" })
})

test("[WK11][WK12] an interrupt that comes before is not lost", async () => {
  await using own = new PlatformPool({ terminateAfter: Infinity })
  const error = await rejectionOf(own.pool.submit(interruptSelfAndSleep))
  assert.ok(error instanceof InterruptedError)
})

const { interruptSelfAndSleep } = tasks
