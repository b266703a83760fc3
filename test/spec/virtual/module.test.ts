/**
 * `corepool/virtual` as bundlers take it: a copy of the code, without what cannot happen in a program of virtual threads alone. The tests
 * have loaded `corepool` too, as a bundle that imports both entries has.
 */
import * as corepool from "corepool"
import type * as entry from "corepool/virtual"
import assert from "node:assert/strict"
import test from "node:test"
import { inspect } from "node:util"
import { joinCopies } from "#src/per-thread.js"
import { blockingQueueContract } from "../../contract/blocking-queue.ts"
import { testExecutorService } from "../../contract/executor-service.ts"
import { runProgram } from "../../support/child.ts"

const DIST = new URL("../../../../dist/", import.meta.url)
const virtual = (await import(new URL("virtual-module.js", DIST).href)) as typeof entry
joinCopies(corepool) // as the bundle of `corepool` does by itself: see the test of the order

const CAPTURE = "it needs the entry `corepool`: OC14"

testExecutorService({
  name: "newFixedThreadPool of the module for bundlers",
  threads: 3,
  open: (factory) => virtual.newFixedThreadPool(3, factory),
  lacks: { capture: CAPTURE },
})

testExecutorService({
  name: "newScheduledThreadPool of the module for bundlers",
  threads: 2,
  open: (factory) => virtual.newScheduledThreadPool(2, factory),
  lacks: { handler: "what an executed command throws is in a future that nobody has; see [SC5]", capture: CAPTURE },
})

blockingQueueContract<number>({
  name: "LinkedBlockingQueue of the module for bundlers",
  create: (capacity) => new virtual.LinkedBlockingQueue(capacity),
  element: (n) => n,
  numberOf: (e) => e,
  isBounded: true,
  isOrdered: true,
  noticesInterrupt: { put: true, timedOffer: true, take: true, timedPoll: true },
  noun: "Queue",
})

/** Each of the two copies as the one that makes things, and the other as the one that is given them. */
const PAIRS = [
  ["corepool, with things of corepool/virtual", corepool, virtual],
  ["corepool/virtual, with things of corepool", virtual, corepool],
] as const

for (const [name, own, other] of PAIRS) {
  test(`[VE9] what one copy has made is what the other knows: ${name}`, async () => {
    const workQueue = new other.LinkedBlockingQueue<never>()
    const sizes = { corePoolSize: 1, maximumPoolSize: 1 }
    const pool = new own.ThreadPoolExecutor({ ...sizes, workQueue, threadFactory: other.virtualThreads() })
    const future = pool.submit((n: number) => n + 1, 1)
    const made = new other.FutureTask(() => 5)
    pool.execute(made)
    assert.deepEqual([await future, await made.get()], [2, 5])
    const isThread = pool.submit(() => own.Thread.currentThread() instanceof other.Thread)
    assert.deepEqual([await isThread, own.Thread.currentThread() instanceof other.Thread], [true, true])
    await pool.close()
    for (const copy of [own, other]) {
      assert.ok(pool instanceof copy.ThreadPoolExecutor)
      assert.ok(pool instanceof copy.AbstractExecutorService)
      assert.ok(future instanceof copy.FutureTask)
      assert.ok(pool.queue instanceof copy.LinkedBlockingQueue)
      assert.ok(pool.queue instanceof copy.BlockingQueue)
      assert.ok(!(pool instanceof copy.ScheduledThreadPoolExecutor))
      assert.ok(!(pool.queue instanceof copy.ArrayBlockingQueue))
      class Own extends copy.ThreadPoolExecutor {}
      assert.ok(!(pool instanceof Own))
      assert.throws(
        () => pool.submit(() => 1),
        (error) => error instanceof copy.RejectedExecutionError && error instanceof copy.CorepoolError,
      )
    }
    for (const nothing of [undefined, null, 1, "a", {}, []]) assert.ok(!(nothing instanceof own.FutureTask))
  })
}

test("[VE9] a queue of the copy for virtual threads is no queue for platform threads, and the error says so", () => {
  const workQueue = new virtual.LinkedBlockingQueue<never>()
  assert.throws(() => new corepool.ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 1, workQueue }), {
    code: "ERR_COREPOOL_ILLEGAL_STATE",
    message: /import its class from corepool$/,
  })
})

test("[VE7] no queue of that form can be shared, and the error says what to import", () => {
  const { ArrayBlockingQueue, DelayQueue, LinkedBlockingDeque, LinkedBlockingQueue, LinkedTransferQueue } = virtual
  const { PriorityBlockingQueue, SynchronousQueue } = virtual
  const error = { code: "ERR_COREPOOL_UNSUPPORTED_OPERATION", message: /import its class from corepool/ }
  assert.throws(() => new LinkedBlockingQueue().handle, error)
  const classes = [ArrayBlockingQueue, DelayQueue, LinkedBlockingDeque, LinkedBlockingQueue, LinkedTransferQueue]
  for (const type of [...classes, PriorityBlockingQueue, SynchronousQueue]) {
    assert.throws(() => (type.from as (shared: object) => unknown)({}), error, type.name)
  }
})

test("[VE9] whichever copy is loaded first", async () => {
  const copies = [`import * as a from "${DIST.href}index.js"`, `import * as b from "${DIST.href}virtual-module.js"`]
  for (const imports of [copies, copies.toReversed()]) {
    const { stdout, stderr } = await runProgram(`
      ${imports.join("\n")}
      console.log(new a.FutureTask(() => 1) instanceof b.FutureTask, new b.FutureTask(() => 1) instanceof a.FutureTask)
    `)
    assert.deepEqual([stdout.trim(), stderr], ["true true", ""])
  }
})

test("[VE10] classes have their names, whatever a bundler calls them", async () => {
  const pool = virtual.newFixedThreadPool(1)
  const future = pool.submit(() => 1)
  await future
  await pool.close()
  const shown = [pool, future, pool.queue, virtual.Thread.currentThread(), pool.with({ name: "a" })]
  assert.deepEqual(
    shown.map((one) => /^\w+/.exec(inspect(one))?.[0]),
    ["ThreadPoolExecutor", "FutureTask", "LinkedBlockingQueue", "Thread", "ExecutorView"],
  )
  const named = Object.entries(virtual).filter(([, value]) => /^class\b/.test(String(value)))
  assert.ok(named.length > 20)
  for (const [name, value] of named) assert.equal((value as { name: string }).name, name)
})
