import { OwnMap } from "../../primordials.ts"
import { RejectedExecutionError, ThreadDeathError } from "../../errors.ts"
import type { Runnable } from "../../future/runnable.ts"
import { uncaught } from "../../memory/flow/guard.ts"
import { GrowingWords } from "../../memory/growing-words.ts"
import type { PoolInfo } from "../../observing.ts"
import { type Shared, SharedMemory } from "../../memory/shared/shared-memory.ts"
import { atLeast, SHUTDOWN, TERMINATED } from "../../core/control-word.ts"
import type { Admission } from "../../core/pool-host.ts"
import type { PoolShell } from "../../pool/engine/pool-engine.ts"
import type { GuestEngine } from "../../pool/sent-pool.ts"
import { SentPool } from "../../pool/sent-pool.ts"
import type { RejectedExecutionHandler } from "../../pool/rejection.ts"
import { ArrayBlockingQueue } from "../../queue/array-blocking-queue.ts"
import type { BlockingQueue } from "../../queue/base/blocking-queue.ts"
import { LinkedBlockingQueue } from "../../queue/linked-blocking-queue.ts"
import { PriorityBlockingQueue } from "../../queue/priority-blocking-queue.ts"
import { SynchronousQueue } from "../../queue/synchronous-queue.ts"
import { BY_PRIORITY, BY_TIME, HEADER, NOTHING } from "../memory/layout.ts"
import { NoQueue } from "./no-queue.ts"
import { policyOf } from "./policies.ts"
import { PoolMember } from "./pool-member.ts"
import { FORK_JOIN_TYPE, type PoolHandle, PoolMemory, SCHEDULED_TYPE, TYPE } from "../memory/pool-memory.ts"
import { TimedTaskQueue } from "./timed-task-queue.ts"
import type { SharedWorker } from "../memory/workers/shared-worker.ts"
import { shielded } from "../worker/this-worker.ts"

/**
 * A pool of platform threads in a thread that did not make it: a worker of the pool whose task submits to it, or any
 * other thread to which the pool was sent. A guest admits tasks and workers as the owner does, by the same algorithms
 * over the same memory, but asks the owner for threads.
 */
export class PoolGuest extends PoolMember implements GuestEngine {
  readonly #shell: PoolShell
  readonly info: PoolInfo
  #isAnnounced = false
  /** Whether the shell wants to know when the pool is quiescent. */
  #isWatched = false
  /** The task that the pool has not accepted. */
  #refused: Runnable | undefined

  constructor(shared: Shared, shell: PoolShell) {
    const memory = PoolMemory.open(handleIn(shared))
    super(memory, queueOf(memory))
    this.#shell = shell
    this.info = shell.info
  }

  /** The pool that `make` makes for what was sent; the same object each time this thread is sent the pool. */
  static once<P extends object>(shared: Shared, make: (sent: SentPool) => P): P {
    const identity = PoolMemory.identityIn(GrowingWords.over(handleIn(shared).memory))
    const known = guests.get(identity)
    if (known !== undefined) return known as P
    const made = make(new SentPool(shared, (shell) => new PoolGuest(shared, shell)))
    guests.set(identity, made)
    return made
  }

  override execute(task: Runnable): void {
    if (!this.#hasOwner) throw new RejectedExecutionError("The thread that made the pool has ended", task)
    this.#noteWork()
    const refused = shielded(() => {
      super.execute(task)
      const it = this.#refused
      this.#refused = undefined
      return it
    })
    if (refused !== undefined) this.#shell.reject(refused)
  }

  get #hasOwner(): boolean {
    return this.memory.threadContext.registry.isAlive(this.memory.owner)
  }

  /** The threads of the pool die with the owner and cannot say so. */
  override get poolSize(): number {
    return this.#hasOwner ? super.poolSize : 0
  }

  override get activeCount(): number {
    return this.#hasOwner ? super.activeCount : 0
  }

  /** The owner's process stays alive for what guests have submitted. */
  #noteWork(): void {
    if (this.memory.header(HEADER.FOREIGN) === 0 && this.memory.setHeader(HEADER.FOREIGN, 1) === 0) {
      this.memory.ringOwner()
    }
  }

  /** Lets the owner's handler decide on a task that the pool has not accepted. */
  askHandler(task: Runnable): void {
    if (atLeast(this.state.control.snapshot, TERMINATED)) {
      throw new RejectedExecutionError("The pool has ended, and its handler is a function of another thread's", task)
    }
    const slot = this.submissions.record(task)
    if (slot === 0) throw new Error("corepool: there is no room to reject a task")
    this.memory.pushOn(HEADER.REJECTED, slot, (below) => this.tasks.setNext(slot, below))
    this.memory.ringOwner()
  }

  /** The pool's policy, if it is a ready-made one; else it is a function of the owner. */
  get handler(): RejectedExecutionHandler {
    return policyOf(this.memory.header(HEADER.POLICY)) ?? ((task) => this.askHandler(task))
  }

  /** Asks the owner to ring when the pool is quiescent. */
  watchForQuiescence(): boolean {
    this.#isWatched = true
    this.#askOwner()
    this.submissions.keepAlive(true)
    if (this.isQuiet) this.#endWatch()
    return !this.#isWatched
  }

  #askOwner(): void {
    this.memory.setHeader(HEADER.WATCHED, 1)
    this.memory.setHeader(HEADER.FOREIGN, 1)
    this.memory.ringOwner()
  }

  #endWatch(): void {
    this.#isWatched = false
    const seen = this.state.control.snapshot
    // While the pool shuts down, this thread stays alive until the end.
    if (!atLeast(seen, SHUTDOWN) || atLeast(seen, TERMINATED)) this.submissions.keepAlive(false)
  }

  #tellQuiescence(): void {
    if (!this.#isWatched) return
    if (this.isQuiet) {
      this.#endWatch()
      this.#shell.quiescent()
    } else if (this.memory.header(HEADER.WATCHED) === 0) this.#askOwner() // no longer quiescent
  }

  serve(): void {
    this.#tellQuiescence()
    if (!this.#hasOwner) this.#onDeath()
    if (this.#isAnnounced || !atLeast(this.state.control.snapshot, TERMINATED)) return
    this.#isAnnounced = true
    guests.delete(this.memory.identity)
    this.submissions.keepAlive(false)
    this.submissions.retire()
    this.#shell.announceTermination()
  }

  /**
   * The owner has died, and the threads of the pool with it. No thread is left that could terminate the pool, so each
   * guest that notices does.
   */
  #onDeath(): void {
    this.submissions.failAll(new ThreadDeathError("The thread that made the pool has ended, and the pool with it"))
    this.state.control.advanceTo(TERMINATED)
  }

  shuttingDown(): void {
    if (!atLeast(this.state.control.snapshot, TERMINATED)) this.submissions.keepAlive(true)
    this.memory.ringOwner() // whose process stays alive as well
    if (!this.#hasOwner) this.serve()
  }

  /** The owner has reported the error already. */
  reportUncaught(): void {}

  /** The owner does not know of this error, and its handler cannot be called from here. */
  reportLocal(error: unknown): void {
    uncaught(error)
  }

  protected override admission(): Admission<number> {
    return { ...super.admission(), enlist: (firstTask) => this.workerTable.enlist(firstTask) }
  }

  /** There was no room. */
  protected override newWorker(): undefined {
    return undefined
  }

  protected override startWorker(): void {
    this.memory.ringOwner()
  }

  protected override limitStop(worker: SharedWorker): void {
    const slot = worker.currentSlot
    if (slot !== 0) worker.requestStop(this.tasks.handleOf(slot))
  }

  /** The policy may run the task: that must wait until the shield of {@link execute} is gone. */
  protected override rejectTask(task: Runnable): void {
    this.#refused = task
  }

  protected override endPool(): void {
    this.memory.ringOwner()
  }
}

/**
 * The pools that were sent to this thread, by their identity: a pool that is an argument of each task is opened once.
 */
const guests = new OwnMap<number, object>()

function handleIn(shared: Shared): PoolHandle {
  const handle = ("handle" in shared ? shared.handle : shared) as PoolHandle
  const { corepool: type } = handle
  SharedMemory.open(type === SCHEDULED_TYPE || type === FORK_JOIN_TYPE ? type : TYPE, shared) // checks that it is one
  return handle
}

/** A queue that shows what waits. */
function queueOf({ bound, ordering }: PoolMemory): BlockingQueue<Runnable> {
  if (ordering === BY_TIME) return new TimedTaskQueue()
  if (ordering === BY_PRIORITY) return new PriorityBlockingQueue<Runnable>()
  if (bound === NOTHING) return new NoQueue<Runnable>()
  if (bound === 0) return new SynchronousQueue<Runnable>()
  return bound < 0 ? new LinkedBlockingQueue<Runnable>() : new ArrayBlockingQueue<Runnable>(bound)
}
