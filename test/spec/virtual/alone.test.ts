/** A program that has loaded `corepool/virtual` and nothing else of corepool. */
import assert from "node:assert/strict"
import test from "node:test"
import { runProgram } from "../../support/child.ts"

/** Runs a module; the lines that it printed, once it has ended by itself. */
async function run(program: string): Promise<string[]> {
  const { code, stdout, stderr } = await runProgram(program)
  assert.deepEqual([code, stderr], [0, ""])
  return stdout.trim().split("\n")
}

test("[VE8] tasks, futures, limits, signals, invokeAll, invokeAny, map and completions", async () => {
  const lines = await run(`
    import {
      ArrayBlockingQueue, CallerRunsPolicy, ExecutorCompletionService, Executors, FutureTask, newFixedThreadPool,
      PriorityBlockingQueue, Thread, ThreadPoolExecutor,
    } from "corepool/virtual"
    const pool = newFixedThreadPool(2)
    console.log(await pool.submit((a, b) => a + b, 1, 2), pool.submit(() => 1) instanceof FutureTask)
    const slow = pool.submit(() => Thread.sleep(1e6))
    console.log(slow.cancel(true), await slow.get().catch((error) => error.code))
    console.log(await pool.with({ timeout: 1 }).submit(() => Thread.sleep(1e6)).get().catch((error) => error.code))
    const abort = new AbortController()
    const asked = pool.with({ signal: abort.signal, transfer: [new ArrayBuffer(1)] }).submit(() => Thread.sleep(1e6))
    abort.abort()
    console.log(await asked.get().catch((error) => error.code))
    console.log((await pool.invokeAll([() => 1, async () => 2])).map((future) => future.resultNow()).join())
    console.log(await pool.invokeAny([() => { throw new Error("no") }, () => "any"]))
    const squares = []
    for await (const square of pool.map((n) => n * n, [1, 2, 3], { chunk: 2 })) squares.push(square)
    console.log(squares.join())
    const service = new ExecutorCompletionService(pool)
    service.submit(() => 7)
    console.log((await service.take()).value)
    await pool.close()
    console.log(pool.isTerminated, (() => { try { pool.submit(() => 1) } catch (error) { return error.code } })())
    const ordered = new ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 1, workQueue: new PriorityBlockingQueue() })
    const order = []
    const gate = ordered.with({ priority: 0 }).submit(() => Thread.sleep(1))
    const late = [1, 3, 2].map((priority) => ordered.with({ priority }).submit(() => order.push(priority)))
    await Promise.all([gate, ...late])
    console.log(order.join())
    const bounded = new ThreadPoolExecutor({
      corePoolSize: 1, maximumPoolSize: 1, workQueue: new ArrayBlockingQueue(1), handler: CallerRunsPolicy,
    })
    console.log((await Promise.all([1, 2, 3, 4].map((n) => bounded.submit(async () => n)))).join())
    const each = Executors.newVirtualThreadPerTaskExecutor()
    console.log(await each.submit(() => Thread.currentThread().isVirtual))
  `)
  assert.deepEqual(lines, [
    "3 true",
    "true ERR_COREPOOL_CANCELLED",
    "ERR_COREPOOL_TIMEOUT",
    "ERR_COREPOOL_CANCELLED",
    "1,2",
    "any",
    "1,4,9",
    "7",
    "true ERR_COREPOOL_REJECTED",
    "3,2,1",
    "1,2,3,4",
    "true",
  ])
})

test("[VE8] queues, schedules, cron, sleep and sleepSync", async () => {
  const lines = await run(`
    import {
      DelayQueue, LinkedBlockingDeque, LinkedTransferQueue, newScheduledThreadPool, SynchronousQueue, Thread,
    } from "corepool/virtual"
    const hand = new SynchronousQueue()
    const [, taken] = await Promise.all([hand.put("met"), hand.take()])
    const deque = new LinkedBlockingDeque()
    deque.addFirst(2)
    deque.addFirst(1)
    const transfers = new LinkedTransferQueue()
    const [given] = await Promise.all([transfers.take(), transfers.transfer("sent")])
    const delays = new DelayQueue()
    delays.add({ delay: 0 })
    console.log(taken, deque.toArray().join(), given, (await delays.take()).delay)
    const timers = newScheduledThreadPool(1)
    console.log(await timers.schedule((n) => n + 1, 1, 1))
    let runs = 0
    const series = timers.scheduleAtFixedRate(() => { if (++runs === 3) series.cancel() }, 0, 1)
    await series.get().catch((error) => console.log(error.code, runs))
    const cron = timers.scheduleCron(() => undefined, "0 0 1 1 *")
    console.log(cron.delay > 0, cron.cancel())
    await timers.close()
    Thread.sleepSync(3)
    await Thread.sleep(1)
    console.log("slept")
    Thread.currentThread().interrupt()
    try { Thread.sleepSync(1e6) } catch (error) { console.log(error.code) }
  `)
  assert.deepEqual(lines, [
    "met 1,2 sent 0",
    "2",
    "ERR_COREPOOL_CANCELLED 3",
    "true true",
    "slept",
    "ERR_COREPOOL_INTERRUPTED",
  ])
})

test("[VE6] there are no platform threads, and the error says what to import", async () => {
  const lines = await run(`
    import { Executors, newThreadPerTaskExecutor, ScheduledThreadPoolExecutor, ThreadPoolExecutor } from "corepool/virtual"
    const threadFactory = { isVirtual: false, newThread: () => null }
    const attempts = [
      () => new ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 1, threadFactory }),
      () => new ScheduledThreadPoolExecutor({ corePoolSize: 1, threadFactory }),
      () => Executors.newFixedThreadPool(1, threadFactory),
      () => newThreadPerTaskExecutor(threadFactory),
      () => ThreadPoolExecutor.from({ corepool: "ThreadPoolExecutor" }),
      () => ScheduledThreadPoolExecutor.from({ corepool: "ThreadPoolExecutor" }),
    ]
    for (const attempt of attempts) {
      try { attempt() } catch (error) { console.log(error.code, error.message) }
    }
  `)
  assert.equal(lines.length, 6)
  for (const line of lines)
    assert.match(line, /^ERR_COREPOOL_UNSUPPORTED_OPERATION .*import platformThreads\(\).*corepool/)
})

test("[VE7] queues cannot be shared, and the error says what to import; then they can", async () => {
  const lines = await run(`
    import { DelayQueue, LinkedBlockingQueue, newFixedThreadPool } from "corepool/virtual"
    const queue = new LinkedBlockingQueue()
    queue.add("kept")
    const attempts = [() => queue.handle, () => new DelayQueue().handle, () => LinkedBlockingQueue.from({})]
    for (const attempt of attempts) {
      try { attempt() } catch (error) { console.log(error.code, error.message) }
    }
    const view = newFixedThreadPool(1).with({ name: "view" })
    try { view.handle } catch (error) { console.log(error.code) }
    await import("corepool/queue")
    console.log(queue.handle.corepool, LinkedBlockingQueue.from(queue).poll())
  `)
  for (const line of lines.slice(0, 3)) {
    assert.match(line, /^ERR_COREPOOL_UNSUPPORTED_OPERATION .*corepool or corepool\/queue/)
  }
  assert.deepEqual(lines.slice(3), ["ERR_COREPOOL_NOT_SERIALIZABLE", "LinkedBlockingQueue kept"])
})
