import type { BulkMap } from "../../executor/executor.ts"
import { CORE } from "../../queue/base/internals.ts"
import { keptApart } from "../../future/call.ts"
import type { Callable, Runnable } from "../../future/runnable.ts"
import { CANCELLED, NORMAL } from "../../future/task-state.ts"
import { observing, type PoolInfo } from "../../observing.ts"
import { PoolCore } from "../../core/pool-core.ts"
import type { PoolEngine, PoolThread } from "../../pool/engine/pool-engine.ts"
import type { Admission } from "../../core/pool-host.ts"
import type { PoolTimes } from "../../core/pool-times.ts"
import type { PoolState } from "../../core/pool-state.ts"
import { type Capabilities, PLATFORM } from "../../pool/engine/capabilities.ts"
import type { Timetable } from "../../core/timetable.ts"
import type { BlockingQueue } from "../../queue/base/blocking-queue.ts"
import { GIVE_BACK } from "../../memory/flow/internals.ts"
import { reviveShareable } from "../../codec/revival.ts"
import type { RateLimiter } from "../../sync/rate-limiter.ts"
import { CompletionQueues } from "../memory/completion-queues.ts"
import { TaskPayloads } from "../worker/task-payloads.ts"
import { Endings, mayEnd } from "../memory/workers/endings.ts"
import { ForeignTask } from "../worker/foreign-task.ts"
import { FunctionTable } from "../memory/function-table.ts"
import { equip } from "./equip.ts"
import { isOrphan } from "./orphans.ts"
import { isQuiet } from "../memory/workers/quiet.ts"
import { BY_TIME } from "../memory/layout.ts"
import type { PoolHandle, PoolMemory } from "../memory/pool-memory.ts"
import { SharedWorkerTable } from "../memory/workers/shared-worker-table.ts"
import type { SharedWorker } from "../memory/workers/shared-worker.ts"
import { hasIdleWorkers } from "../queue/idle-workers.ts"
import type { SlotQueue } from "../queue/slot-queue.ts"
import { slotTimetable } from "../queue/slot-timetable.ts"
import { bulkMap } from "../submit/chosen-chunks.ts"
import { keepLimits } from "../submit/task-calls.ts"
import type { SubmissionService } from "../submit/submission-service.ts"
import { Submissions } from "../submit/submissions.ts"
import { idleIn, retryAfter } from "../queue/slot-pacing.ts"
import { Taker } from "../queue/taker.ts"
import { threadsOf } from "./pool-threads.ts"
import { prioritiesOf, requireOfThisCopy, TaskQueueBackend } from "./task-queue-backend.ts"
import { TaskRecords } from "../memory/task-records.ts"
import { helperOf, runnerOf, shielded, wouldNeverBegin, wouldWaitForItself } from "../worker/this-worker.ts"
import { queueIn } from "../queue/task-queue.ts"

/**
 * A pool of platform threads as each of its threads sees it: what is in shared memory, and what this thread has
 * submitted. Admission, shutdown and inspection are the same for all members. They differ in how threads are made: the
 * owner makes them (pool-owner.ts), and guests ask the owner (pool-guest.ts).
 */
export abstract class PoolMember implements PoolEngine, SubmissionService {
  readonly state: PoolState
  readonly capabilities: Capabilities = PLATFORM
  readonly threads = (): PoolThread[] => threadsOf(this.workerTable, this.tasks, this.functions, this.submissions)
  readonly times: PoolTimes
  readonly queue: BlockingQueue<Runnable>
  protected readonly memory: PoolMemory
  protected readonly tasks: TaskRecords
  protected readonly completionQueues: CompletionQueues
  protected readonly waiting: SlotQueue
  protected readonly workerTable: SharedWorkerTable
  protected readonly functions: FunctionTable
  protected readonly payloads: TaskPayloads
  protected readonly submissions: Submissions
  protected readonly core: PoolCore<number>
  /** If tasks have times. */
  protected readonly timetable: Timetable<number> | undefined
  protected readonly endings: Endings
  /** The rate limiter, once this thread has it. */
  protected limiter: RateLimiter | undefined
  /** The pool, as events name it. */
  abstract readonly info: PoolInfo

  /** The queue is empty; from now on it shows what waits in the memory. */
  constructor(memory: PoolMemory, queue: BlockingQueue<Runnable>) {
    this.memory = memory
    this.state = memory.state
    this.times = memory.times
    this.tasks = new TaskRecords(memory)
    this.completionQueues = new CompletionQueues(memory, this.tasks)
    this.waiting = queueIn(memory, this.tasks)
    this.workerTable = new SharedWorkerTable(memory, (worker) => this.startWorker(worker))
    this.functions = new FunctionTable(memory.texts)
    equip()
    this.payloads = new TaskPayloads(memory, this.tasks, this.completionQueues, this.functions)
    const priorities = prioritiesOf(queue)
    this.submissions = new Submissions(memory, this.tasks, this.completionQueues, this.functions, this, priorities)
    this.waiting.taker = new Taker(memory, this.tasks, this.submissions.completionQueue)
    this.endings = new Endings(memory, this.submissions.completionQueue)
    this.core = new PoolCore<number>(this.state, this.waiting, this.admission(), this.workerTable)
    if (memory.ordering === BY_TIME) {
      this.timetable = slotTimetable(memory, this.tasks, this.completionQueues, this.waiting, {
        ensureWorker: () => this.core.ensureWorker(),
        tryTerminate: () => this.core.tryTerminate(),
        reportUncaught: (error) => this.reportLocal(error, 0),
      })
    }
    this.queue = queue
    requireOfThisCopy(queue)
    queue[CORE].holdTasksIn(
      new TaskQueueBackend(this.waiting, (slot, isTaken) => this.taskIn(slot, isTaken), this.submissions),
    )
  }

  get isOwner(): boolean {
    return this.memory.isOwner
  }

  get handle(): PoolHandle {
    return this.memory.handle
  }

  get rateLimiter(): RateLimiter | undefined {
    const { limiter } = this.memory
    return (this.limiter ??= limiter && (reviveShareable(limiter.corepool, limiter) as RateLimiter))
  }

  get poolSize(): number {
    return this.workerTable.size
  }

  get isBusy(): boolean {
    return this.submissions.bell.isVital
  }

  get activeCount(): number {
    return this.workerTable.activeCount
  }

  get completedTaskCount(): number {
    return this.state.completed.value + this.workerTable.completed
  }

  // ------------------------------------------------------------------ tasks

  execute(task: Runnable): void {
    const slot = this.state.control.isRunning ? this.submissions.record(task) : 0
    if (observing.by !== undefined && slot !== 0) observing.by.recorded(this.info, task, this.tasks.handleOf(slot))
    if (slot === 0) {
      this.rejectTask(task)
      return
    }
    try {
      if (!(this.timetable ?? this.core).admit(slot)) this.rejectTask(this.submissions.takeBack(slot) as Runnable)
      else this.submissions.seal(slot)
    } catch (error) {
      // The factory or the queue has thrown, and the pool has not accepted the task. Or the handler has thrown, or the
      // task is queued all the same: then it stays.
      if (this.submissions.taskIn(slot) === task && this.isOrphan(slot)) this.submissions.takeBack(slot)
      throw error
    }
  }

  /** Whether no thread has the slot. */
  protected isOrphan(slot: number): boolean {
    return isOrphan(slot, this.memory, this.tasks, this.waiting, this.workerTable)
  }

  callable<A extends unknown[], T>(fn: (...args: A) => T | PromiseLike<T>, args: A): Callable<T> {
    return keptApart(fn, args)
  }

  get bulkMap(): BulkMap {
    return bulkMap
  }

  remove(task: Runnable): boolean {
    const slot = this.submissions.slotOf(task)
    if (slot <= 0 || !this.core.remove(slot)) return false
    this.submissions.takeBack(slot)
    this.memory.ringIfIdle() // perhaps it was the last task
    return true
  }

  /**
   * Tasks of other threads are handed back at once: their submitters wait. Our own are handed back last, as `done()` is
   * user code.
   */
  drain(handBack: (task: Runnable) => Runnable): Runnable[] {
    const ours = new Set<Runnable>()
    const tasks = shielded(() => {
      const found: Runnable[] = []
      for (let slot = this.waiting.draw(); slot !== undefined; slot = this.waiting.draw()) {
        const task = this.submissions.takeBack(slot)
        if (task !== undefined) ours.add(task)
        found.push(task ?? handBack(this.foreign(slot, true)))
      }
      return found
    })
    this.#stopSelf()
    return tasks.map((task) => (ours.has(task) ? handBack(task) : task))
  }

  /** The task in a slot that is in use: the object that was submitted, if this thread has submitted it. */
  protected taskIn(slot: number, isTaken: boolean): Runnable {
    return this.submissions.taskIn(slot) ?? this.foreign(slot, isTaken)
  }

  /** A task that another thread has submitted; see {@link ForeignTask}. */
  protected foreign(slot: number, isTaken: boolean): ForeignTask {
    return new ForeignTask(
      slot,
      this.tasks,
      this.completionQueues,
      this.functions,
      this.payloads,
      isTaken ? this : undefined,
    )
  }

  dropUnwanted(): void {
    this.timetable?.dropUnwanted()
  }

  // ------------------------------------------------------------------ workers

  addWorker(bound: "core" | "maximum"): boolean {
    return this.core.addWorker(bound)
  }

  ensureWorker(): void {
    this.core.ensureWorker()
  }

  grow(): void {
    shielded(() => this.core.grow())
  }

  interruptIdleWorkers(): void {
    this.core.interruptIdleWorkers()
  }

  /**
   * Leaves out this thread, should it be a worker: it first has to hand back what it takes out of the queue. See
   * {@link drain}.
   */
  interruptWorkers(): void {
    for (const worker of this.workerTable) if (worker.token !== this.memory.threadContext.token) this.#interrupt(worker)
  }

  #stopSelf(): void {
    for (const worker of this.workerTable) if (worker.token === this.memory.threadContext.token) this.#interrupt(worker)
  }

  #interrupt(worker: SharedWorker): void {
    worker.interrupt()
    if (worker.isBusy) this.limitStop(worker)
  }

  tryTerminate(): void {
    this.core.tryTerminate()
    this.memory.ringIfIdle()
  }

  pause(): void {
    shielded(() => this.core.pause())
  }

  resume(): void {
    shielded(() => this.endings.resuming(() => this.core.resume()))
  }

  abstract watchForQuiescence(): boolean

  get isQuiet(): boolean {
    return isQuiet(this.memory, this.waiting, this.workerTable)
  }

  beginEnd(): void {
    this.endings.begin()
  }

  finishEnd(): void {
    this.endings.end()
    this.tryTerminate()
  }

  closing(): void {
    this.core.closing()
  }

  /** Whether the pool, which has no workers any more, may terminate. */
  protected mayEnd(isEmpty: boolean): boolean {
    return mayEnd(this.memory, isEmpty)
  }

  /** Whether this very thread is one of the pool's; a Thread object of another thread only stands for that thread. */
  hasThread(_thread: unknown): boolean {
    return runnerOf(this.memory.identity) !== undefined
  }

  // ------------------------------------------------------------------ service

  stop(slot: number, handle: number): number {
    const isHere = runnerOf(this.memory.identity)?.runningTasks.interrupt(slot) === true
    const worker = this.workerTable.runnerOf(slot, handle, this.tasks)
    if (worker === undefined) return 0
    if (!isHere) worker.interrupt()
    this.limitStop(worker)
    return worker.number
  }

  isRunning(slot: number, handle: number): boolean {
    if (runnerOf(this.memory.identity)?.runningTasks.isBeside(slot) === true) return true
    return this.workerTable.runnerOf(slot, handle, this.tasks) !== undefined
  }

  commandEnded(handle: number, state: number, outcome: unknown): void {
    const how = state >= CANCELLED ? "cancelled" : state === NORMAL ? "success" : "failed"
    observing.by?.commandEnded(this.info, handle, how, outcome)
  }

  abstract serve(isBlocked: boolean): void
  abstract reportUncaught(error: unknown, worker: number): void
  abstract reportLocal(error: unknown, worker: number): void
  /**
   * Runs the task in this thread, if this is a worker of the pool and no other worker is going to run it. True if the
   * state may have changed. Throws IllegalStateError if the task runs here already and the thread would block for it. A
   * wait with a time limit runs nothing: the task could take longer than that, or itself wait for the task that waits
   * here.
   */
  help(slot: number, isBlocked: boolean, isLimited: boolean): boolean {
    const runner = helperOf(this.memory.identity)
    if (runner === undefined) return false
    if (isBlocked && runner.runningTasks.isBeside(slot)) throw wouldWaitForItself()
    if (isLimited) {
      if (!isBlocked) this.compensate()
      return false
    }
    const isOurs = isBlocked && runner.holds(slot)
    const others = idleIn(this.memory, this.waiting) - (runner.isInTask ? 0 : 1) // else, in a timer, it counts itself
    if (!isOurs && others > 0) return false
    if (this.waiting.untilReady(slot) > 0 || this.tasks.periodOf(slot) !== 0) return false
    if (!runner.canRunInside(slot, isBlocked)) {
      if (isBlocked && (isOurs || (this.workerTable.size === 1 && !this.compensates))) throw wouldNeverBegin()
      return false
    }
    return shielded(() => {
      if (isOurs) runner.takeFromHand()
      else if (this.rateLimiter?.tryAcquire() === false) return false
      else if (!this.#pull(slot)) {
        this.rateLimiter?.[GIVE_BACK]()
        return false
      }
      keepLimits(this.submissions.taskIn(slot), this.memory.threadContext.chores)
      runner.runInside(slot)
      return true
    })
  }

  /** Takes a task out of the queue for the worker of this thread, which is in the midst of another task. */
  #pull(slot: number): boolean {
    // Should this thread die before the slot is its TASK, the owner puts the slot back.
    const self = this.workerTable.ofThread(this.memory.threadContext.token)
    if (self !== undefined) self.claimed = slot
    const isOut = this.waiting.pull(slot)
    if (!isOut) self?.disclaim()
    return isOut
  }

  /** A worker that waits for a task with a time, or for the limiter, runs it itself then, if no other worker can. */
  untilHelp(slot: number): number {
    if (runnerOf(this.memory.identity) === undefined) return Infinity
    const left = this.waiting.untilReady(slot)
    return left > 0 ? left : retryAfter(this.rateLimiter)
  }

  dueIn(slot: number): number {
    return this.untilHelp(slot)
  }

  /** This thread awaits a task that it does not run. With compensation one more thread is made if no other could. */
  protected compensate(): void {}

  /** Whether one more thread is made if all workers are blocked: see forkjoin/worker/compensation.ts. */
  protected get compensates(): boolean {
    return false
  }

  abstract shuttingDown(): void

  // ------------------------------------------------------------------ what differs

  protected abstract newWorker(firstTask: number | undefined): SharedWorker | undefined
  protected abstract startWorker(worker: SharedWorker): void
  /** The worker was interrupted; if it does not stop in time it has to be terminated. */
  protected abstract limitStop(worker: SharedWorker): void
  protected abstract rejectTask(task: Runnable): void
  protected abstract endPool(): void

  protected admission(): Admission<number> {
    return {
      newWorker: (firstTask) => this.newWorker(firstTask),
      hasIdleWorkers: () => hasIdleWorkers(this.waiting, this.workerTable, this.tasks, this.memory.state.control),
      mayEnd: (isEmpty) => this.mayEnd(isEmpty),
      endPool: () => this.endPool(),
    }
  }
}
