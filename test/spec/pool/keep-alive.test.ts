/** When idle threads leave, and when they are replaced. Ids such as [TP42] refer to docs/spec/pool.md. */
import { CORE } from "#src/queue/base/internals.js"
import { type Delayed, DelayQueue, LinkedBlockingQueue, type Runnable, SynchronousQueue, Thread } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, turns } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"

test("[TP41] interrupting an idle thread changes nothing", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(2)
  pool.prestartAllCoreThreads()
  await turns()
  for (const thread of pools.threads) thread.interrupt()
  for (const thread of pools.threads) thread.interrupt()
  await turns()
  assert.deepEqual([pool.poolSize, pool.activeCount], [2, 0])
  assert.ok(pools.threads.every((thread) => thread.isAlive && !thread.isInterrupted))
  assert.equal(await pool.submit(() => Thread.currentThread().isInterrupted), false)
  assert.equal(pools.threads.length, 2)
})

test("[TP41] a timed wait that is interrupted begins anew, and the thread still leaves in the end", async () => {
  await using pools = new Pools()
  const pool = pools.create({
    corePoolSize: 0,
    maximumPoolSize: 1,
    keepAliveTime: 5,
    workQueue: new SynchronousQueue(),
  })
  await pool.submit(() => undefined)
  await turns(2)
  pools.threads[0]?.interrupt()
  await eventually(() => pool.poolSize === 0)
})

test("[TP41] nor does an interrupt make a thread leave that may leave later", async () => {
  await using pools = new Pools()
  const pool = pools.create({
    corePoolSize: 0,
    maximumPoolSize: 1,
    keepAliveTime: 1_000_000,
    workQueue: new SynchronousQueue(),
  })
  await pool.submit(() => undefined)
  await turns()
  pools.threads[0]?.interrupt()
  await turns()
  assert.equal(pool.poolSize, 1)
  assert.equal(await pool.submit(() => Thread.currentThread()), pools.threads[0])
})

test("[TP42] surplus threads leave down to exactly the core size", async () => {
  await using pools = new Pools()
  const pool = pools.create({
    corePoolSize: 2,
    maximumPoolSize: 6,
    keepAliveTime: 1,
    workQueue: new SynchronousQueue(),
  })
  const gate = pools.gate()
  for (let i = 0; i < 6; i++) pool.execute(gate.body)
  await gate.entered(6)
  assert.equal(pool.poolSize, 6)
  gate.open()
  await eventually(() => pool.poolSize === 2)
  await pools.keepAliveOver(1)
  assert.deepEqual([pool.poolSize, pool.largestPoolSize, pool.completedTaskCount], [2, 6, 6])
})

test("[TP42] with a keep-alive of 0 surplus threads leave as soon as there is nothing to do", async () => {
  await using pools = new Pools()
  const pool = pools.create({
    corePoolSize: 1,
    maximumPoolSize: 3,
    keepAliveTime: 0,
    workQueue: new SynchronousQueue(),
  })
  const gate = pools.gate()
  for (let i = 0; i < 3; i++) pool.execute(gate.body)
  await gate.entered(3)
  gate.open()
  await eventually(() => pool.activeCount === 0)
  await turns()
  assert.equal(pool.poolSize, 1)
})

test("[TP42] with a keep-alive of Infinity they stay", async () => {
  await using pools = new Pools()
  const pool = pools.create({
    corePoolSize: 0,
    maximumPoolSize: 2,
    keepAliveTime: Infinity,
    workQueue: new SynchronousQueue(),
  })
  const gate = pools.gate()
  for (let i = 0; i < 2; i++) pool.execute(gate.body)
  gate.open()
  await eventually(() => pool.completedTaskCount === 2)
  await pools.keepAliveOver(1)
  assert.equal(pool.poolSize, 2)
})

test("[TP43] whichever thread is idle leaves, also the first that was made", async () => {
  await using pools = new Pools()
  const pool = pools.create({
    corePoolSize: 1,
    maximumPoolSize: 2,
    keepAliveTime: 1,
    workQueue: new SynchronousQueue(),
  })
  const [first, second] = [pools.gate(), pools.gate()]
  pool.execute(first.body)
  pool.execute(second.body)
  await second.entered()
  first.open()
  await eventually(() => pool.poolSize === 1)
  assert.deepEqual(
    pools.threads.map((thread) => thread.isAlive),
    [false, true],
  )
  second.open()
  await eventually(() => pool.activeCount === 0)
  await pools.keepAliveOver(1)
  assert.equal(await pool.submit(() => Thread.currentThread()), pools.threads[1])
})

test("[TP44] if core threads may time out an idle pool loses them all, and makes new ones when needed", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 10, maximumPoolSize: 10, keepAliveTime: 20, allowCoreThreadTimeOut: true })
  for (let i = 1; i <= 10; i++) {
    pool.execute(() => undefined)
    assert.equal(pool.poolSize, i, "no reuse below the core size")
  }
  await eventually(() => pool.poolSize === 0)
  assert.deepEqual([pool.completedTaskCount, pool.largestPoolSize], [10, 10])
  await pool.submit(() => undefined)
  assert.equal(pools.threads.length, 11)
  await eventually(() => pool.poolSize === 0)
  pool.shutdown()
  assert.equal(pool.isTerminated, true)
})

test("[TP44] otherwise core threads stay", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 2, maximumPoolSize: 2, keepAliveTime: 1 })
  pool.prestartAllCoreThreads()
  await pools.keepAliveOver(1)
  assert.equal(pool.poolSize, 2)
})

/** A command that may be taken when its time has come. */
class Later implements Delayed {
  readonly #due: number
  readonly #ran: () => void

  constructor(ms: number, ran: () => void = () => undefined) {
    this.#due = performance.now() + ms
    this.#ran = ran
  }

  get delay(): number {
    return this.#due - performance.now()
  }

  run(): void {
    this.#ran()
  }
}

test("[TP45] the last thread stays while something is in the queue, however often it times out", async () => {
  await using pools = new Pools()
  const workQueue = new DelayQueue<Later>()
  const pool = pools.create({
    corePoolSize: 0,
    maximumPoolSize: 3,
    keepAliveTime: 1,
    workQueue,
  })
  let ran = false
  const keepsIt = new Later(1_000_000)
  pool.execute(keepsIt)
  pool.execute(new Later(30, () => (ran = true)))
  await eventually(() => ran)
  await pools.keepAliveOver(1)
  assert.deepEqual([pool.poolSize, pools.threads.length, pool.largestPoolSize], [1, 1, 1])
  assert.equal(pool.remove(keepsIt), true)
  await eventually(() => pool.poolSize === 0)
})

test("[TP46] a thread that timed out is not replaced", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, keepAliveTime: 1, allowCoreThreadTimeOut: true })
  await pool.submit(() => undefined)
  await eventually(() => pool.poolSize === 0)
  await pools.keepAliveOver(1)
  assert.deepEqual([pools.threads.length, pool.poolSize], [1, 0])
})

interface Settle {
  resolve(task: Runnable | undefined): void
  reject(error: unknown): void
}

/** How a pool waits for its queue, which is nobody else's business: not in the declarations. */
interface Core {
  receive(settle: Settle, flow: unknown, timeout: number): void
}

/** Does something at moments that are otherwise hard to meet. */
class Watched extends LinkedBlockingQueue<Runnable> {
  /** Just after a thread has begun to wait. */
  onWaiting: (() => void) | undefined
  /** Just after a thread that waited in vain has decided to leave, before it has gone. */
  onLeaving: (() => void) | undefined

  constructor() {
    super()
    const core = Reflect.get(this, CORE) as Core
    const receive = core.receive.bind(core)
    core.receive = (settle, flow, timeout) => {
      receive(this.#telling(settle), flow, timeout)
      this.onWaiting?.()
    }
  }

  #telling(settle: Settle): Settle {
    return {
      resolve: (task) => {
        settle.resolve(task)
        // The thread's next step is its decision; this comes right behind it.
        if (task === undefined && this.onLeaving !== undefined) queueMicrotask(this.onLeaving)
        this.onLeaving = undefined
      },
      reject: (error) => settle.reject(error),
    }
  }
}

test("[TP42] a thread that is no longer surplus when its time is up stays", async () => {
  await using pools = new Pools()
  const workQueue = new Watched()
  const pool = pools.create({ corePoolSize: 0, maximumPoolSize: 1, keepAliveTime: 1, workQueue })
  workQueue.onWaiting = () => (pool.corePoolSize = 1)
  await pool.submit(() => undefined)
  await eventually(() => pool.corePoolSize === 1)
  await pools.keepAliveOver(1)
  assert.deepEqual([pool.poolSize, pools.threads.length], [1, 1])
})

test("[TP46] a thread that leaves just as a task comes into the queue is replaced", async () => {
  await using pools = new Pools()
  const workQueue = new Watched()
  const pool = pools.create({
    corePoolSize: 1,
    maximumPoolSize: 1,
    keepAliveTime: 1,
    allowCoreThreadTimeOut: true,
    workQueue,
  })
  let runs = 0
  workQueue.onLeaving = () => workQueue.add(() => runs++)
  await pool.submit(() => undefined)
  await eventually(() => runs === 1)
  assert.equal(pools.threads.length, 2)
  await eventually(() => pool.poolSize === 0)
  assert.equal(pool.completedTaskCount, 2)
})

test("[TP46] and so is one that leaves just as the core size no longer lets it", async () => {
  await using pools = new Pools()
  const workQueue = new Watched()
  const pool = pools.create({ corePoolSize: 0, maximumPoolSize: 1, keepAliveTime: 1, workQueue })
  workQueue.onLeaving = () => (pool.corePoolSize = 1)
  await pool.submit(() => undefined)
  await eventually(() => pools.threads[0]?.isAlive === false)
  assert.deepEqual([pools.threads.length, pool.poolSize, pool.largestPoolSize], [2, 1, 1])
})

test("[TP91] a thread that is leaving does not count beside its successor", async () => {
  await using pools = new Pools()
  const workQueue = new Watched()
  const pool = pools.create({
    corePoolSize: 1,
    maximumPoolSize: 1,
    keepAliveTime: 1,
    allowCoreThreadTimeOut: true,
    workQueue,
  })
  const gate = pools.gate()
  workQueue.onLeaving = () => pool.execute(gate.body)
  await pool.submit(() => undefined)
  await gate.entered()
  assert.deepEqual([pools.threads.length, pool.poolSize, pool.largestPoolSize], [2, 1, 1])
})
