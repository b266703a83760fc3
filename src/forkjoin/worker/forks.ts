import { load, read, store } from "#atomics"
import { CancellationError } from "../../errors.ts"
import { CANCELLED, INTERRUPTED, INTERRUPTING, NEW } from "../../future/task-state.ts"
import { Bell } from "../../memory/wait/bell.ts"
import { blocking, type Steps } from "../../memory/flow/waiting.ts"
import type { PoolCore } from "../../core/pool-core.ts"
import type { CompletionQueues } from "../../platform/memory/completion-queues.ts"
import type { FunctionTable } from "../../platform/memory/function-table.ts"
import { TASK } from "../../platform/memory/layout.ts"
import type { PoolMemory } from "../../platform/memory/pool-memory.ts"
import type { SharedWorkerTable } from "../../platform/memory/shared-worker-table.ts"
import type { SharedWorker } from "../../platform/memory/shared-worker.ts"
import type { TaskQueue } from "../../platform/queue/task-queue.ts"
import type { TaskRecords } from "../../platform/memory/task-records.ts"
import { Arrivals } from "./arrivals.ts"
import { type Deques, PLACE } from "../../platform/queue/deques.ts"
import type { ForkJoinTask } from "../task/fork-join-task.ts"
import { ForkRecords, noteThief, noteWaiter, thiefOf } from "./fork-records.ts"
import { Helping } from "./helping.ts"
import type { SlotDeque } from "../../platform/queue/slot-deque.ts"
import { Compensation } from "./compensation.ts"
import type { StealingStore } from "../../platform/queue/stealing-store.ts"
import { takeFromHand } from "./stray-code.ts"
import type { AnyFunction, ForkingWorker } from "../task/this-thread.ts"
import { runtime } from "../../time/runtime.ts"

/** What a worker thread consists of: see worker-program/worker-main.ts. */
export interface WorkerParts {
  readonly memory: PoolMemory
  readonly tasks: TaskRecords
  readonly completionQueues: CompletionQueues
  readonly functions: FunctionTable
  readonly workerTable: SharedWorkerTable
  readonly self: SharedWorker
  readonly queue: TaskQueue
  readonly core: PoolCore<number>
  /** Runs tasks in the midst of others, for which the thread blocks. */
  readonly runner: {
    runInside(slot: number, isBlocked: boolean): void
    canRunInside(slot: number, isBlocked: boolean): boolean
    hasSettled(): void
  }
}

type Forked = ForkJoinTask<unknown>

/**
 * What a worker of a ForkJoinPool has forked: where it lies, who has it, and how its outcome comes back.
 *
 * A forked task is a slot in the worker's deque, with a record as that of any task, so whoever steals it runs it as it runs what
 * was submitted, and puts it into the box of this worker when it is over. But as long as nobody has stolen it, it is in this
 * worker's hands alone, which takes it back by one step on its deque. README.md says how threads find work, sleep and wake.
 */
export class Forks implements ForkingWorker {
  readonly bell: Bell
  /** Who works for the pool while this worker waits for something else than what it has forked. */
  readonly compensation: Compensation
  readonly #parts: WorkerParts
  readonly #deque: SlotDeque
  readonly #deques: Deques
  /** Where the CALL of this worker is. */
  readonly #call: number
  /** And where its ASKED is. */
  readonly #asked: number
  readonly #tasks: TaskRecords
  readonly #functions: FunctionTable
  readonly #completionQueue: number
  readonly #records: ForkRecords
  readonly #helping: Helping
  readonly #arrivals: Arrivals
  /** By slot. */
  readonly #forked: (Forked | undefined)[] = []
  /** Those that somebody awaits, and others have. They may be put back by one who cannot run them: then it is done here. */
  readonly #awaited = new Set<Forked>()
  /** From the event loop: whoever has rung may have done so while this thread blocks. */
  readonly #runAwaited = (): void => {
    this.#arrivals.during(() => {
      for (const task of this.#awaited) if (task.slot === 0 || this.runReturned(task)) this.#awaited.delete(task)
    })
  }
  /** The task that this thread has taken, of which everything it forks is a part; 0 outside of any. */
  #base = 0
  /** Where its state is. */
  #baseState = 0

  constructor(parts: WorkerParts) {
    const { memory, tasks, completionQueues, queue, self } = parts
    const { deques, own } = queue.stealing as StealingStore
    this.#parts = parts
    this.#tasks = tasks
    this.#functions = parts.functions
    this.#deques = deques
    this.#deque = own as SlotDeque
    this.#deque.adopt()
    this.#call = deques.placeOf(self.number) + PLACE.CALL
    this.#asked = deques.placeOf(self.number) + PLACE.ASKED
    this.bell = new Bell(memory.threadContext, () => this.look())
    this.#completionQueue = completionQueues.open(this.bell)
    this.#arrivals = new Arrivals(
      completionQueues,
      this.#completionQueue,
      deques,
      self.number,
      (slot) => this.#receive(slot),
      () => parts.runner.hasSettled(),
    )
    this.#records = new ForkRecords(
      memory,
      tasks,
      this.#completionQueue,
      (slot) => this.#forked[slot]?.portable().args,
      () => this.look(),
    )
    this.compensation = new Compensation(parts, deques)
    this.#helping = new Helping(this, parts, this.compensation)
    deques.store(self.number, PLACE.HELPS, 0)
    deques.store(self.number, PLACE.BLOCKED, 0)
    deques.store(self.number, PLACE.JOINS, 0)
    deques.store(self.number, PLACE.ASKED, 0)
    deques.store(self.number, PLACE.BELL, this.bell.index)
  }

  // ------------------------------------------------------------------ forking

  /** Puts the task where others can take it. If there is no room, runs it at once. Throws if others could not run it. */
  fork(task: Forked, fn: AnyFunction, args: readonly unknown[]): void {
    this.#parts.memory.threadContext.haltIfLeft() // the deque may be another thread's by now
    if (this.#base !== 0 && read(this.#tasks.words, this.#baseState) !== NEW) this.#stop()
    const number = this.#functions.numberOf(fn)
    const slot = this.#records.take() || this.#takeAfterLook()
    if (slot === 0 || !this.#records.write(slot, number, this.#base, args)) task.runHere()
    else if (this.#deque.push(slot)) {
      this.#forked[slot] = task
      task.lieIn(slot)
      if (load(this.#deques.words, this.#call) !== 0) this.#helping.call()
    } else {
      this.#records.putBack(slot)
      task.runHere()
    }
  }

  /** What is over makes room. */
  #takeAfterLook(): number {
    this.look()
    return this.#records.take()
  }

  // ------------------------------------------------------------------ taking back

  /** Takes the task in this slot back, if it was forked last and nobody has stolen it. */
  unpush(slot: number): boolean {
    // Who forks much and then joins much may not come to fork anything for long. (Not by CALL, which is set for sleepers, too.)
    if (read(this.#deques.words, this.#asked) !== 0) this.#helping.answer()
    if (!this.#deque.unpush(slot)) return false
    this.#forked[slot] = undefined
    this.#records.putBack(slot)
    return true
  }

  /**
   * The task in a slot that this worker has in hand, if it is its own: for a plain call, after which {@link endOwn} is said. Until
   * then the slot is not used for anything else, lest somebody take that for what is in hand.
   */
  beginOwn(slot: number): Forked | undefined {
    const task = this.#forked[slot]
    this.#forked[slot] = undefined
    return task
  }

  endOwn(slot: number): void {
    this.#records.putBack(slot)
  }

  /** Runs what was forked last, as a plain call; false if there is nothing. */
  runNewest(): boolean {
    const slot = this.#deque.pop() || takeFromHand(this.#parts.self, this.#forked)
    if (slot === 0) return false
    const task = this.beginOwn(slot)
    if (task === undefined)
      this.#helping.runInsideUserCode(slot) // of the thread that had this place before
    else {
      this.endOwn(slot)
      task.runHere()
    }
    return true
  }

  /** Waits for a task that is not on top of the deque, and works meanwhile. */
  join(task: Forked): void {
    this.#runNewer(task)
    if (!task.isSettled) this.#helping.join(task)
  }

  /** Runs what was forked last until it comes to the task. If that was stolen, so was everything before it. */
  #runNewer(task: Forked): void {
    while (!task.isSettled) if (!this.runNewest()) return
  }

  // ------------------------------------------------------------------ hearing of the others

  /** Settles what thieves have finished. */
  look(): void {
    this.#arrivals.look()
    if (this.#awaited.size > 0) runtime.afterTurn(this.#runAwaited)
  }

  /** The pool is not quiescent meanwhile, and has got on afterwards. */
  during(body: () => void): void {
    this.#arrivals.during(body)
  }

  get hasMail(): boolean {
    return this.#arrivals.hasCompletions
  }

  /** False if part of the outcome is still on its way. */
  #receive(slot: number): boolean {
    const task = this.#forked[slot]
    if (task === undefined) {
      this.#tasks.free(slot) // of a thread that has died, whose box this was
      return true
    }
    const outcome = this.#records.receive(slot)
    if (outcome === undefined) return false
    this.#forked[slot] = undefined
    this.#awaited.delete(task)
    task.comeBack(...outcome)
    return true
  }

  /** Runs the task, if it was stolen and put back by somebody who could not run it. */
  runReturned(task: Forked): boolean {
    const { slot } = task
    if (slot === 0 || !(this.#parts.queue.stealing as StealingStore).remove(slot)) return false
    this.beginOwn(slot)
    this.endOwn(slot)
    task.runHere()
    return true
  }

  /** Which worker has begun the task, as far as is known; 0 for none. Of a completer: who has begun one of its parts. */
  thiefOf(task: Forked): number {
    if (task.slot !== 0) return thiefOf(this.#tasks, task.slot)
    for (const [slot, each] of this.#forked.entries()) {
      const thief = each?.isPartOf(task) === true ? thiefOf(this.#tasks, slot) : 0
      if (thief !== 0) return thief
    }
    return 0
  }

  /** Whether parts of a completer, or of anything, are in other hands, or lie where others can take them. */
  hasPartsOf(task?: Forked): boolean {
    return this.#forked.some((each) => each !== undefined && (task === undefined || each.isPartOf(task)))
  }

  /**
   * A completer that this worker has taken, and that is not over: works on, and waits, as long as parts of it are under way. Then
   * it is complete, or nothing that is under way could complete it, and it occupies no thread.
   */
  finish(task: Forked): void {
    this.#runNewer(task)
    if (!task.isSettled && this.hasPartsOf(task)) this.#helping.settle(task)
  }

  /** Says which worker sleeps until somebody has begun the task; 0 if none does. */
  noteWaiter(task: Forked, worker: number): void {
    if (task.slot !== 0) noteWaiter(this.#tasks, task.slot, worker)
  }

  // ------------------------------------------------------------------ cancelling

  /** Decides that the task in this slot is cancelled, unless its outcome is decided already. */
  cancel(slot: number, mayInterruptIfRunning: boolean): boolean {
    if (!this.#tasks.leaveNew(slot, mayInterruptIfRunning ? INTERRUPTING : CANCELLED)) return false
    if (mayInterruptIfRunning) {
      const handle = this.#tasks.handleOf(slot)
      for (const worker of this.#parts.workerTable) {
        if (!worker.holds(slot, handle)) continue
        worker.interrupt()
        worker.requestStop(handle)
      }
      this.#tasks.settle(slot, INTERRUPTED)
    }
    return true
  }

  /** Whether the task that this thread has taken was cancelled. */
  get isStopped(): boolean {
    return this.#base !== 0 && this.#tasks.stateOf(this.#base) !== NEW
  }

  /** Throws because it was, and cancels what it has forked. */
  throwIfStopped(): void {
    if (this.isStopped) this.#stop()
  }

  #stop(): never {
    this.cancelParts()
    throw new CancellationError("The task was cancelled")
  }

  /** Cancels what the task that this thread has taken has forked, and not joined. */
  cancelParts(): void {
    const base = this.#base
    const interrupts = this.#tasks.stateOf(base) >= INTERRUPTING
    for (const [slot, task] of this.#forked.entries()) {
      if (task?.isSettled === false && this.#records.parentOf(slot) === base) task.cancel(interrupts)
    }
  }

  // ------------------------------------------------------------------ what this thread has taken

  /** Begins a task that was forked elsewhere, or submitted; what was before, to be given to {@link leave}. */
  enter(slot: number): number {
    const outer = this.#base
    this.#setBase(slot)
    const { number } = this.#parts.self
    const waiter = noteThief(this.#tasks, slot, number)
    if (waiter !== 0) this.#helping.wake(waiter)
    this.#deques.countSteal(number)
    store(this.#deques.words, this.#call, 1) // there may be fewer threads than there should
    return outer
  }

  /** It is over, and has been delivered. */
  leave(outer: number): void {
    this.#setBase(outer)
  }

  #setBase(slot: number): void {
    this.#base = slot
    this.#baseState = slot === 0 ? 0 : this.#tasks.recordOf(slot) + TASK.STATE
  }

  // ------------------------------------------------------------------ for those who wait otherwise

  startOf(): undefined {
    return undefined
  }

  report(): never {
    throw new Error("corepool: what a forked task throws is told to who joins it")
  }

  timeOf(): never {
    throw new Error("corepool: a forked task has no time")
  }

  argumentsOf(): readonly unknown[] {
    return []
  }

  /**
   * The task in this slot is awaited: it is run now, if no thief has it. With a time limit it is left to other threads, as a limit
   * could not be kept by a thread that runs it.
   */
  awaited(slot: number, isLimited: boolean): void {
    const task = this.#forked[slot]
    if (task === undefined) return
    if (isLimited) {
      this.compensation.compensate()
      return
    }
    this.#runNewer(task)
    if (task.slot === 0) return
    this.#awaited.add(task)
    this.#runAwaited()
  }

  *blocking(_future: unknown, slot: number, isLimited: boolean): Steps<void> {
    const task = this.#forked[slot]
    if (task !== undefined) yield* this.#waiting(task, isLimited)
  }

  /** Blocks until the task is over, for at most `limit` ms. An interrupt ends the wait. */
  await(task: Forked, limit: number): void {
    blocking(this.#waiting(task, limit !== Infinity), limit)
  }

  *#waiting(task: Forked, isLimited: boolean): Steps<void> {
    if (isLimited) yield* this.#helping.idling(task)
    else {
      this.#runNewer(task)
      if (!task.isSettled) yield* this.#helping.waiting(task, true)
    }
  }

  /** Another worker has been asked for the arguments of a task. */
  remind(token: number): void {
    this.#helping.remind(token)
  }

  /** The thread is about to end. */
  end(): void {
    this.#records.end()
    this.#parts.completionQueues.close(this.#completionQueue)
    this.bell.end()
  }
}
