import { InterruptedError } from "../errors.ts"
import type { Flow } from "../memory/flow/flow.ts"
import { drive, type Settle, type Steps } from "../memory/flow/waiting.ts"
import { nextTurn, turnIsOver } from "../thread/turn.ts"
import { atLeast, countIn, hasStoppedPaused, isPaused, SHUTDOWN, type Snapshot, STOP } from "./control-word.ts"
import type { Deliveries, Execution, WorkQueue } from "./pool-host.ts"
import type { PoolState } from "./pool-state.ts"
import type { Worker } from "./worker.ts"

/** What the loop needs of the queue. */
type TaskSource<R> = Pick<WorkQueue<R>, "isEmpty" | "knowsPause" | "poll">

/** Keeps the list of workers. */
export interface WorkerExits<R> {
  /** The worker is about to end and is no longer counted. */
  left(worker: Worker<R>): void
  /**
   * The worker has ended: by itself, or because a task or a hook killed it. `isSpent` if another one is to do what is
   * left in the queue.
   */
  ended(worker: Worker<R>, died: boolean, isSpent?: boolean): void
  /** The worker has no task, and is about to wait for one. */
  rests?(): void
}

/**
 * The loop of a worker: it runs its first task, then tasks from the queue, until the worker must leave or a task kills
 * it. The loop runs on the worker's own thread. It waits by asking for the delivery of a task (`receive`), which parks
 * the worker's flow; and at the gate, while the pool is paused: before it takes a task, or with a task in hand that it
 * was given before.
 */
export class WorkerLoop<R> {
  readonly #state: PoolState
  readonly #queue: TaskSource<R>
  readonly #deliveries: Deliveries<R>
  readonly #execution: Execution<R>
  readonly #exits: WorkerExits<R>
  /** Whether the worker has just been kept from leaving. */
  #keeps = false

  constructor(
    state: PoolState,
    queue: TaskSource<R>,
    deliveries: Deliveries<R>,
    execution: Execution<R>,
    exits: WorkerExits<R>,
  ) {
    this.#state = state
    this.#queue = queue
    this.#deliveries = deliveries
    this.#execution = execution
    this.#exits = exits
  }

  /** The life of a worker, from its first task to its exit. */
  async run(worker: Worker<R>): Promise<void> {
    let died = true
    let isAbandoned = false
    try {
      // Here as well as below: if every task kills its worker, no worker ever gets to the end of this loop.
      if (worker.task === undefined && turnIsOver()) await this.#turn(worker)
      for (;;) {
        if (worker.task === undefined) {
          const got = this.#getTask(worker)
          if (!(typeof got === "boolean" ? got : await got)) break
        }
        // An `await` keeps the variables of this function in memory. So only the worker refers to the task, and drops
        // it after the run. (A variable set to undefined would not do: Bun remembers its value as of the last `await`.)
        if (!this.#settleInterrupt(worker) && !(await this.#passGate(worker))) continue
        this.#deliveries.begins?.(worker.currentTask)
        try {
          this.#beforeExecute(worker)
          try {
            let pending = this.#execution.begin(worker, worker.currentTask)
            if (pending !== undefined) {
              // Not `await` inside the call of complete(): an error of complete() itself is not the task's.
              let failed = false
              let outcome: unknown
              try {
                outcome = await pending
              } catch (error) {
                failed = true
                outcome = error
              }
              pending = undefined
              if (worker.overstay?.ended() === false) {
                isAbandoned = true
                return // another worker has its place
              }
              if (failed) this.#execution.fail(worker.currentTask, outcome)
              else this.#execution.complete(worker.currentTask, outcome)
              outcome = undefined
            }
            this.#execution.afterExecute(worker, worker.currentTask)
          } catch (error) {
            this.#execution.stopIfBroken?.(error)
            // Also when afterExecute itself threw: it is then called a second time, with its own error. [TP34]
            this.#execution.afterExecute(worker, worker.currentTask, error)
            throw error
          }
        } catch (error) {
          this.#execution.stopIfBroken?.(error) // with the task in the worker's hand, where the owner finds it
          this.#letGo(worker)
          throw error
        }
        this.#letGo(worker)
        if (turnIsOver()) await this.#turn(worker)
      }
      died = false
    } catch (error) {
      this.#execution.stopIfBroken?.(error)
      throw error
    } finally {
      try {
        if (!isAbandoned) this.#end(worker, died)
      } catch (error) {
        worker.reportUncaught(error) // of the factory or terminated(); thrown, it would hide what killed the worker
      }
    }
  }

  async #turn(worker: Worker<R>): Promise<void> {
    worker.works?.(false)
    await nextTurn()
    worker.works?.(true)
  }

  #end(worker: Worker<R>, died: boolean): void {
    if (died) this.#execution.mayLeave?.(true)
    worker.flow.consumeInterrupt() // it was meant for a task, or to wake the worker: not for terminated()
    this.#exits.ended(worker, died, this.#execution.isSpent)
  }

  /**
   * The task is over. The worker counts it before it releases it: if the thread dies in between, the owner does not
   * count the task in hand a second time.
   */
  #letGo(worker: Worker<R>): void {
    worker.countCompleted()
    worker.release()
  }

  /**
   * Once the pool has stopped, a task runs interrupted. Before that a task starts with a clear flag and a signal of its
   * own, even if the task before it was interrupted. False if the pool is paused, and the task must not begin.
   */
  #settleInterrupt(worker: Worker<R>): boolean {
    const seen = this.#state.control.snapshot
    if (atLeast(seen, STOP)) {
      if (hasStoppedPaused(seen) && this.#queue.knowsPause !== true) return false
      worker.flow.interrupt()
    } else if (this.#mustWait(seen)) return false
    else worker.flow.renew()
    return true
  }

  #mustWait(seen: Snapshot): boolean {
    return isPaused(seen) && this.#queue.knowsPause !== true
  }

  /**
   * Waits with the task in hand until it may begin: the pool is resumed, or the task was cancelled, which `begin` will
   * find. False if the pool has stopped meanwhile: the task does not begin.
   */
  async #passGate(worker: Worker<R>): Promise<boolean> {
    const { flow } = worker
    const wait = (): Promise<boolean> =>
      new Promise((resolve, reject) => drive(this.#state.gate.passing(flow), { resolve, reject }, flow, Infinity))
    for (;;) {
      if (atLeast(this.#state.control.snapshot, STOP)) {
        this.#execution.drop(worker.currentTask)
        this.#letGo(worker)
        return false
      }
      if (this.#settleInterrupt(worker)) return true
      worker.works?.(false)
      try {
        await wait()
      } catch (error) {
        if (!(error instanceof InterruptedError)) throw error
        if (this.#execution.isOver(worker.currentTask)) return true
      }
    }
  }

  #beforeExecute(worker: Worker<R>): void {
    try {
      this.#execution.beforeExecute(worker, worker.currentTask)
    } catch (error) {
      this.#execution.abandon(worker.currentTask, error)
      throw error
    }
  }

  /**
   * Gets the worker its next task: true if it has one now, false if it must leave, a promise of either if it must wait.
   */
  #getTask(worker: Worker<R>): boolean | Promise<boolean> {
    if (this.leaves(worker, false)) return false
    const task = this.#mustWait(this.#state.control.snapshot) ? undefined : this.#queue.poll()
    if (task === undefined) return this.#waitForTask(worker)
    worker.accept(task)
    return true
  }

  async #waitForTask(worker: Worker<R>): Promise<boolean> {
    for (;;) {
      const timedOut = await this.#park(worker)
      if (worker.task !== undefined) return true
      if (this.leaves(worker, timedOut)) return false
    }
  }

  /**
   * Whether the worker must leave. If so, it is no longer counted, neither in the control word nor in the worker table.
   * A worker must leave
   *
   * - when the pool has stopped, or is shut down with an empty queue;
   * - when there are more workers than the maximum;
   * - when it may time out and has;
   * - when it is spent: another one takes its place.
   *
   * But the last worker never leaves a queue with tasks in it, unless it is spent, and no worker leaves while
   * `mayLeave` keeps it.
   */
  leaves(worker: Worker<R>, timedOut: boolean): boolean {
    this.#execution.stopIfLeft?.()
    const control = this.#state.control
    for (;;) {
      const seen = control.snapshot
      const isStopped = atLeast(seen, STOP)
      if (isStopped || (atLeast(seen, SHUTDOWN) && this.#queue.isEmpty)) {
        if (this.#isKept(isStopped)) return false
        worker.countsDown?.(true)
        control.removeWorker()
        this.#exits.left(worker)
        return true
      }
      const surplus = countIn(seen) > this.#state.maximumPoolSize || (timedOut && this.#mayTimeOut(seen))
      const leaves = (surplus && (countIn(seen) > 1 || this.#queue.isEmpty)) || this.#execution.isSpent === true
      if (!leaves || this.#isKept(false)) return false
      worker.countsDown?.(true)
      if (control.tryRemoveWorker(seen)) {
        this.#exits.left(worker)
        return true
      }
      worker.countsDown?.(false)
    }
  }

  /**
   * Whether the worker has to stay, because its thread has more under way than the tasks in hand. Never if it must
   * leave.
   */
  #isKept(mustLeave: boolean): boolean {
    this.#keeps = this.#execution.mayLeave?.(mustLeave) === false
    return this.#keeps
  }

  /** No worker is a "core worker": any idle worker may leave while there are more than the core size. */
  #mayTimeOut(seen: Snapshot): boolean {
    return this.#state.allowCoreThreadTimeOut || countIn(seen) > this.#state.corePoolSize
  }

  /**
   * Waits until the worker has a task in hand. True if the keep-alive time passed without one. An interrupt just ends
   * the wait.
   */
  #park(worker: Worker<R>): Promise<boolean> {
    const { flow } = worker
    this.#exits.rests?.()
    const patience = Math.min(this.#state.keepAliveTime, this.#execution.patience ?? Infinity)
    // A worker that is kept is interrupted as soon as it may leave.
    const seen = this.#state.control.snapshot
    const timeout = !this.#keeps && this.#mayTimeOut(seen) ? patience : Infinity
    this.#keeps = false
    const isHeld = this.#mustWait(seen)
    return new Promise((resolve, reject) => {
      let waits = true
      const goOn = (): void => {
        waits = false
        flow.idle = false
        worker.works?.(true)
      }
      const settle: Settle<R | undefined> = {
        resolve(task) {
          goOn()
          if (task !== undefined) worker.accept(task)
          resolve(task === undefined)
        },
        reject(error) {
          goOn()
          if (error instanceof InterruptedError) resolve(false)
          else reject(error)
        },
      }
      this.#execution.idle?.(worker)
      flow.idle = this.#queue.isEmpty // a delay queue may hold tasks that are not due yet: they keep the thread alive
      if (isHeld) drive(this.#passing(flow), settle, flow, timeout)
      else this.#deliveries.receive(settle, flow, timeout)
      if (waits) worker.works?.(false)
    })
  }

  /** Waits at the gate without a task. When the pool goes on, the worker looks at everything again. */
  *#passing(flow: Flow): Steps<undefined> {
    if (yield* this.#state.gate.passing(flow)) throw new InterruptedError("The pool goes on")
    return undefined
  }
}
