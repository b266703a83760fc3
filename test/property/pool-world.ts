/**
 * A pool and everything that a model knows about it: each task that was ever given to it, and what became of that task.
 *
 * The model counts by itself, from what it hears in handlers, hooks and futures, and never asks the pool. `check()`
 * compares the two. It may be called at any moment at which no method of the pool is on the stack.
 */
import {
  AbortPolicy,
  type Callable,
  CallerRunsPolicy,
  DiscardOldestPolicy,
  DiscardPolicy,
  FutureTask,
  InterruptedError,
  type RejectedExecutionHandler,
  RejectedExecutionError,
  type Runnable,
  Thread,
  type ThreadFactory,
  ThreadPoolExecutor,
  type ThreadPoolOptions,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import { eventually, Gate } from "../support/harness.ts"

/** What became of a task. Every task comes to exactly one of these ends. */
export type Fate =
  "refused" | "dropped" | "removed" | "handed back" | "run by the caller" | "passed through a thread" | "left alone"

/** The errors that tasks, hooks, factories and handlers of the model throw on purpose. */
export class OnPurpose extends Error {}

export class Job {
  readonly id: number
  /** What the queue holds: the command or the future. */
  runnable: Runnable | undefined
  future: CountingTask<unknown> | undefined
  readonly gate = new Gate()
  readonly fates: Fate[] = []
  runs = 0

  constructor(id: number) {
    this.id = id
  }
}

/**
 * Whether tasks, hooks or interrupts of the model may end a thread with this, or the factory may fail a task for which
 * the pool has no thread.
 */
function isExpected(error: unknown): boolean {
  if (error instanceof RejectedExecutionError) return error.cause instanceof OnPurpose
  return error instanceof OnPurpose || error instanceof InterruptedError
}

/**
 * Runs a scenario on a thread of its own. A task that its caller runs belongs to the caller's thread: cancelled, it
 * interrupts that thread, and what it throws later goes to that thread's handler.
 */
export function onThread(scenario: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const uncaughtException = (_: Thread, error: unknown): void => {
      if (!isExpected(error)) reject(error)
    }
    const body = (): Promise<void> => scenario().then(resolve, reject)
    virtualThreads({ name: "driver", uncaughtException }).newThread(body)?.start()
  })
}

/** A future that counts how often it was completed. */
export class CountingTask<T> extends FutureTask<T> {
  completions = 0

  protected override done(): void {
    this.completions++
  }
}

export const policies = ["abort", "caller runs", "discard", "discard oldest", "throw"] as const
export type Policy = (typeof policies)[number]

class ModelledPool extends ThreadPoolExecutor {
  readonly world: World

  constructor(world: World, options: ThreadPoolOptions) {
    super(options)
    this.world = world
  }

  protected override newTaskFor<T>(callable: Callable<T>): FutureTask<T> {
    const task = new CountingTask(callable)
    this.world.made(task)
    return task
  }

  protected override beforeExecute(_thread: Thread, task: Runnable): void {
    this.world.begins(task)
  }

  protected override afterExecute(task: Runnable, error?: unknown): void {
    this.world.ends(task, error)
  }

  protected override terminated(): void {
    this.world.terminations++
  }
}

export class World {
  readonly pool: ThreadPoolExecutor
  readonly jobs: Job[] = []
  terminations = 0
  /** What the factory and the hooks are to do next. */
  factoryFails: "refuses" | "throws" | undefined
  beforeThrows = false
  afterThrows = false
  /** Whether a refusal of the factory may have left tasks without a thread. */
  shortOfThreads = false
  #policy: Policy
  readonly #byRunnable = new Map<unknown, Job>()
  #current: Job | undefined
  /** Accepted and neither over nor withdrawn. */
  #held = 0
  #completed = 0
  #largest = 0
  #limit: number
  #seenCompleted = 0
  readonly #threads: Thread[] = []
  readonly #unexpected: unknown[] = []

  constructor(options: Omit<ThreadPoolOptions, "threadFactory" | "handler">, policy: Policy) {
    this.#policy = policy
    this.#limit = options.maximumPoolSize
    this.pool = new ModelledPool(this, { ...options, threadFactory: this.#factory(), handler: this.#handler })
  }

  get threads(): readonly Thread[] {
    return this.#threads
  }

  set policy(policy: Policy) {
    this.#policy = policy
  }

  // ------------------------------------------------------------------ giving tasks

  execute(body: (job: Job) => unknown): Job {
    return this.#give((job, run) => {
      job.runnable = run
      this.#byRunnable.set(run, job)
      this.pool.execute(run)
    }, body)
  }

  submit(body: (job: Job) => unknown): Job {
    return this.#give((_, run) => void this.pool.submit(run), body)
  }

  #give(hand: (job: Job, run: () => unknown) => void, body: (job: Job) => unknown): Job {
    const job = new Job(this.jobs.length)
    this.jobs.push(job)
    const outer = this.#current
    this.#current = job
    const run = (): unknown => {
      job.runs++
      return body(job)
    }
    this.#held++
    try {
      hand(job, run)
    } catch (error) {
      this.#notAccepted(job, error)
    } finally {
      this.#current = outer
      this.sample()
    }
    return job
  }

  /**
   * Refused by the handler or the factory, or run by the caller with an error. A core-0 pool keeps a task whose
   * thread fails.
   */
  #notAccepted(job: Job, error: unknown): void {
    assert.ok(error instanceof RejectedExecutionError || error instanceof OnPurpose, String(error))
    if (job.fates.length > 0) return
    if (job.runnable !== undefined && this.pool.queue.contains(job.runnable)) this.shortOfThreads = true
    else this.#withdraw(job, "refused")
  }

  made(task: CountingTask<unknown>): void {
    assert.ok(this.#current)
    this.#current.future = task
    this.#current.runnable = task
    this.#byRunnable.set(task, this.#current)
  }

  #withdraw(job: Job, fate: Fate): void {
    job.fates.push(fate)
    this.#held--
  }

  // ------------------------------------------------------------------ what the pool calls

  readonly #handler: RejectedExecutionHandler = (task, pool) => {
    const job = this.#byRunnable.get(task)
    assert.ok(job, "the handler was given something that nobody executed")
    switch (this.#policy) {
      case "abort":
        AbortPolicy(task, pool)
        break
      case "throw":
        throw new OnPurpose("handler")
      case "discard":
        this.#withdraw(job, "dropped")
        DiscardPolicy(task, pool)
        break
      case "caller runs":
        this.#withdraw(job, pool.isShutdown ? "dropped" : "run by the caller")
        CallerRunsPolicy(task, pool)
        break
      case "discard oldest": {
        const oldest = pool.isShutdown ? task : pool.queue.peek()
        const victim = this.#byRunnable.get(oldest)
        if (victim !== undefined) this.#withdraw(victim, "dropped")
        DiscardOldestPolicy(task, pool)
      }
    }
  }

  #factory(): ThreadFactory {
    const inner = virtualThreads({
      uncaughtException: (_, error) => {
        if (!isExpected(error)) this.#unexpected.push(error)
      },
    })
    return {
      isVirtual: true,
      newThread: (target) => {
        const fails = this.factoryFails
        this.factoryFails = undefined
        if (fails !== undefined) this.shortOfThreads = true
        if (fails === "throws") throw new OnPurpose("factory")
        if (fails === "refuses") return null
        const thread = inner.newThread(target)
        if (thread != null) this.#threads.push(thread)
        return thread
      },
    }
  }

  begins(task: Runnable): void {
    this.sample()
    if (!this.beforeThrows) return
    this.beforeThrows = false
    this.#passed(task)
    throw new OnPurpose("beforeExecute")
  }

  ends(task: Runnable, error: unknown): void {
    this.sample()
    const secondCall = error instanceof OnPurpose && error.message === "afterExecute"
    if (!secondCall) this.#passed(task)
    if (!this.afterThrows) return
    this.afterThrows = false
    throw new OnPurpose("afterExecute")
  }

  #passed(task: Runnable): void {
    const job = this.#byRunnable.get(task)
    assert.ok(job, "a thread ran something that nobody executed")
    this.#withdraw(job, "passed through a thread")
    this.#completed++
  }

  // ------------------------------------------------------------------ taking tasks back

  remove(job: Job): void {
    if (job.runnable === undefined || !this.pool.remove(job.runnable)) return
    this.#withdraw(job, "removed")
    job.future?.cancel() // who removes a task decides what becomes of it
  }

  poll(): void {
    const job = this.#byRunnable.get(this.pool.queue.poll())
    if (job === undefined) return
    this.#withdraw(job, "removed")
    job.future?.cancel()
  }

  purge(): void {
    for (const task of this.pool.queue) {
      const job = this.#byRunnable.get(task)
      if (job?.future?.isCancelled === true) this.#withdraw(job, "removed")
    }
    this.pool.purge()
  }

  /**
   * If the factory has thrown before, and the pool has no thread, the factory is asked once more. If it throws again,
   * the tasks that wait fail.
   */
  shutdown(): void {
    const waiting = this.pool.queue.toArray()
    this.pool.shutdown()
    if (this.pool.poolSize > 0 || !this.pool.queue.isEmpty) return
    for (const task of waiting) {
      this.#withdraw(this.#byRunnable.get(task) as Job, "left alone")
      this.#completed++
    }
  }

  shutdownNow(): void {
    const waiting = this.pool.queue.toArray()
    for (const task of waiting) this.#withdraw(this.#byRunnable.get(task) as Job, "handed back")
    const handedBack = this.pool.shutdownNow()
    assert.equal(handedBack.length, waiting.length)
    for (const task of handedBack) {
      const job = this.#byRunnable.get(task)
      if (job !== undefined) assert.ok(waiting.includes(task))
    }
  }

  setMaximum(size: number): void {
    const before = this.pool.poolSize
    this.pool.maximumPoolSize = size
    this.#limit = Math.max(size, before)
  }

  // ------------------------------------------------------------------ comparing

  /** The pool's size can only grow where somebody looks right after. */
  sample(): void {
    this.#largest = Math.max(this.#largest, this.pool.poolSize)
  }

  check(): void {
    const { pool } = this
    this.sample()
    const { poolSize, activeCount, completedTaskCount, queue } = pool
    assert.deepEqual(this.#unexpected, [])
    assert.equal(completedTaskCount, this.#completed, "completedTaskCount")
    assert.ok(completedTaskCount >= this.#seenCompleted, "completedTaskCount fell")
    this.#seenCompleted = completedTaskCount
    assert.equal(pool.taskCount, this.#completed + this.#held, "taskCount")
    assert.equal(activeCount, this.#held - queue.size, "activeCount")
    assert.ok(0 <= activeCount && activeCount <= poolSize, `${activeCount} of ${poolSize} active`)
    assert.equal(pool.largestPoolSize, this.#largest, "largestPoolSize")
    if (poolSize <= pool.maximumPoolSize) this.#limit = pool.maximumPoolSize
    assert.ok(poolSize <= this.#limit, `${poolSize} threads, at most ${this.#limit} allowed`)
    assert.ok(poolSize <= this.#threads.length)
    for (const task of queue) assert.ok(this.#byRunnable.has(task), "the queue holds something that nobody executed")
    assert.equal(this.terminations, pool.isTerminated ? 1 : 0)
  }

  /** Lets all tasks go and ends the pool, and checks what must hold then. */
  async end(): Promise<void> {
    for (const { gate } of this.jobs) gate.open()
    this.shutdown()
    // Tasks without a thread wait for one for ever if the factory failed: see [TP26].
    await eventually(() => {
      for (const { gate } of this.jobs) gate.open() // a task may have executed another one
      if (this.shortOfThreads && this.pool.poolSize === 0 && !this.pool.isTerminated) this.shutdownNow()
      return this.pool.isTerminated
    })
    await eventually(() => this.#threads.every((thread) => !thread.isAlive))
    await eventually(() => this.jobs.every(({ future }) => future?.isDone !== false))
    this.check()
    for (const { id, fates, runs, future } of this.jobs) {
      assert.equal(fates.length, 1, `task ${id}: ${fates.join(", ")}`)
      const [fate] = fates
      const mayRun = fate === "passed through a thread" || fate === "run by the caller"
      assert.ok(runs <= (mayRun ? 1 : 0), `task ${id} was ${fate} and ran ${runs} times`)
      if (future !== undefined) {
        assert.equal(future.completions, 1, `the future of task ${id}`)
        // A task that is left alone has failed, or was cancelled before.
        if (!mayRun && fate !== "left alone")
          assert.equal(future.state, "cancelled", `the future of task ${id}, ${fate}`)
        if (runs === 0) assert.notEqual(future.state, "success")
      }
    }
    assert.equal(this.pool.poolSize, 0)
    assert.equal(this.pool.queue.size, 0)
  }
}
