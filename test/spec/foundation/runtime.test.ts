/** Fake timers of a program do not reach corepool. Each test is a process of its own: they would reach the test runner. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { runProgram } from "../../support/child.ts"

/** Nothing that is set ever fires, and no clock moves. */
const STAND_STILL = `
  const timers = process.getBuiltinModule("node:timers")
  const handle = { ref: () => handle, unref: () => handle, hasRef: () => true, refresh: () => handle, close: () => handle }
  for (const name of ["setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "clearImmediate"]) {
    globalThis[name] = timers[name] = () => handle
  }
  globalThis.queueMicrotask = process.nextTick = globalThis.structuredClone = () => undefined
  process.getBuiltinModule("node:module").syncBuiltinESMExports()
  Object.defineProperty(performance, "now", { value: () => 0 })
  Date.now = () => 0
  process.hrtime.bigint = () => 0n
  process.hrtime = Object.assign(() => [0, 0], { bigint: () => 0n })`

/** They fire at once, whatever the delay. */
const FIRE_AT_ONCE = `
  const timers = process.getBuiltinModule("node:timers")
  const handle = { ref: () => handle, unref: () => handle }
  for (const name of ["setTimeout", "setInterval", "setImmediate", "queueMicrotask"]) {
    globalThis[name] = timers[name] = (fire) => (fire(), handle)
  }
  process.getBuiltinModule("node:module").syncBuiltinESMExports()`

const MOCKED = `
  import { mock } from "node:test"
  mock.timers.enable()`

/** A little of everything that needs a clock, a timer, a turn of the event loop or a microtask. */
const EVERYTHING = `
  import {
    ArrayBlockingQueue, CountDownLatch, Executors, ForkJoinPool, platformThreads, ReentrantLock, Thread, ThreadPoolExecutor,
    virtualThreads,
  } from "corepool"

  const told = (future) => future.then(String, (error) => error.name)

  async function use(name, factory) {
    const pool = Executors.newFixedThreadPool(2, factory)
    const many = await Promise.all(Array.from({ length: 2000 }, (_, i) => pool.submit((n) => n, i)))
    const latch = new CountDownLatch(1)
    const late = await told(pool.submit((latch) => latch.await(), latch).get(5))
    const limited = await told(pool.with({ timeout: 5 }).submit((latch) => latch.await(), latch))
    pool.shutdownNow()
    console.log(name, many.length, late, limited, await pool.awaitTermination())
  }

  async function schedule(name, factory) {
    const pool = Executors.newScheduledThreadPool(1, factory)
    const once = await pool.schedule(() => "once", 5)
    const series = pool.scheduleAtFixedRate(() => undefined, 1, 1)
    while (pool.completedTaskCount < 4) await Thread.sleep(1)
    series.cancel()
    await pool.close()
    console.log(name, once, series.state)
  }`

const USE = `
  await use("virtual", virtualThreads())
  await use("platform", platformThreads({ terminateAfter: 5 }))
  await schedule("virtual", virtualThreads())
  await schedule("platform", platformThreads())

  const passing = new ThreadPoolExecutor({
    corePoolSize: 0, maximumPoolSize: 2, keepAliveTime: 1, workQueue: new ArrayBlockingQueue(1), threadFactory: virtualThreads(),
  })
  await passing.submit(() => undefined)
  while (passing.poolSize > 0) await Thread.sleep(1) // an idle thread leaves
  await passing.close()

  const queue = new ArrayBlockingQueue(1)
  const lock = new ReentrantLock()
  await lock.lock()
  const pool = Executors.newFixedThreadPool(1)
  const tried = await pool.submit((lock) => lock.tryLock(5), lock)
  const forkJoin = new ForkJoinPool({ parallelism: 2 })
  const joined = await forkJoin.submit((n) => n + 1, 1)
  console.log("waits", await queue.poll(5), queue.pollSync(5), tried, joined)
  Thread.sleepSync(2)
  await forkJoin.close()
  await pool.close()
  console.log("end")`

const SAID = [
  "virtual 2000 TimeoutError TimeoutError true",
  "platform 2000 TimeoutError TimeoutError true",
  "virtual once cancelled",
  "platform once cancelled",
  "waits undefined undefined false 2",
  "end",
]

for (const [how, fakes] of Object.entries({
  "stand still": STAND_STILL,
  "fire at once": FIRE_AT_ONCE,
  "node:test": MOCKED,
})) {
  test(`[TI8] fakes that came after corepool do not reach it: ${how}`, async () => {
    const ended = await runProgram(`${EVERYTHING}\n${fakes}\n${USE}`)
    assert.deepEqual([ended.stdout.trim().split("\n"), ended.code], [SAID, 0], ended.stderr)
  })
}

/** As @sinonjs/fake-timers does: each fake knows its clock, and the clock what was there before. */
const LOOKED_THROUGH = `
  const timers = process.getBuiltinModule("node:timers")
  const clock = {}
  const names = ["setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "clearImmediate", "queueMicrotask", "Date"]
  for (const name of names) {
    clock["_" + name] = globalThis[name]
    const fake = name === "Date" ? class extends Date { static now() { return 0 } } : () => ({ ref() {}, unref() {} })
    globalThis[name] = Object.assign(fake, { clock })
    if (name in timers) timers[name] = globalThis[name]
  }
  const { Executors, ArrayBlockingQueue } = await import("corepool")
  const { runtime } = await import("#host/runtime/clock")
  console.log(runtime.wallTime() > 1e12, await new ArrayBlockingQueue(1).poll(1))
  const pool = Executors.newFixedThreadPool(1)
  console.log(await pool.submit((n) => n, 7))
  await pool.close()`

test("[TI9] fakes of @sinonjs/fake-timers that came first are looked through", async () => {
  const ended = await runProgram(LOOKED_THROUGH)
  assert.deepEqual([ended.stdout, ended.code], ["true undefined\n7\n", 0], ended.stderr)
})

const WARNED = `
  import { mock } from "node:test"
  process.on("warning", ({ code }) => code?.startsWith("COREPOOL") && console.log(code))
  mock.timers.enable()
  await import("corepool")`

test("[TI9] of those of node:test that came first there is a warning", async () => {
  const ended = await runProgram(WARNED)
  assert.deepEqual([ended.stdout, ended.code], ["COREPOOL_MOCKED_TIMERS\n", 0], ended.stderr)
})
