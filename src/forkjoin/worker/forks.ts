import { OwnSet } from "../../primordials.ts"
import { type CarriedStores, mayHaveStores, runWithStores, storesToCarry } from "../../executor/propagation.ts"
import { COME_BACK, IS_PART_OF, IS_SETTLED, LIE_IN, PORTABLE, RUN_HERE, SLOT } from "../task/internals.ts"
import { load, read, store } from "#atomics"
import { CancellationError } from "../../errors.ts"
import { CANCELLED, INTERRUPTED, INTERRUPTING, NEW } from "../../future/task-state.ts"
import { Bell } from "../../memory/wait/bell.ts"
import { blocking, type Steps } from "../../memory/flow/waiting.ts"
import type { PoolCore } from "../../core/pool-core.ts"
import type { FunctionTable } from "../../platform/memory/function-table.ts"
import { TASK } from "../../platform/memory/layout.ts"
import type { WorkerContext } from "../../platform/worker/worker-context.ts"
import type { TaskQueue } from "../../platform/queue/task-queue.ts"
import type { TaskRecords } from "../../platform/memory/task-records.ts"
import type { WorkerEvents } from "../../platform/memory/workers/worker-events.ts"
import { Arrivals } from "./arrivals.ts"
import { type Deques, PLACE } from "../../platform/queue/deques.ts"
import type { ForkJoinTask } from "../task/fork-join-task.ts"
import { ForkEvents } from "./fork-events.ts"
import { ForkRecords, noteThief, noteWaiter, thiefOf } from "./fork-records.ts"
import { Helping } from "./helping.ts"
import type { SlotDeque } from "../../platform/queue/slot-deque.ts"
import { Compensation } from "./compensation.ts"
import type { StealingStore } from "../../platform/queue/stealing-store.ts"
import { takeFromHand } from "./stray-code.ts"
import type { AnyFunction, ForkingWorker } from "../task/this-thread.ts"
import { runtime } from "#host/runtime/clock"
import { cannotHear } from "../../platform/submit/outgoing.ts"

/** The parts of a worker of a ForkJoinPool. */
export interface WorkerParts extends WorkerContext {
  readonly queue: TaskQueue
  readonly core: PoolCore<number>
  /** Runs a task on top of the one for which the thread waits. */
  readonly runner: {
    runInside(slot: number, isBlocked: boolean): void
    canRunInside(slot: number, isBlocked: boolean): boolean
    hasSettled(): void
    readonly events: WorkerEvents
  }
}

type Forked = ForkJoinTask<unknown>

/**
 * The tasks that a worker of a ForkJoinPool has forked: in which slot each is, which thief has it, and how its outcome
 * comes back.
 *
 * A forked task is a slot in the worker's deque, with a record like that of any task. So a thief runs it like a
 * submitted task, and then puts it into the completion queue of this worker. Until it is stolen, it belongs to this
 * worker alone, which takes it back by one step on its deque. README.md says how threads find work, sleep and wake.
 */
export class Forks implements ForkingWorker {
  readonly bell: Bell
  /** Adds a thread while this worker is blocked by anything but a task that it has forked. */
  readonly compensation: Compensation
  readonly #parts: WorkerParts
  readonly #deque: SlotDeque
  readonly #deques: Deques
  /** The index of this worker's CALL. */
  readonly #call: number
  /** The index of this worker's ASKED. */
  readonly #asked: number
  readonly #tasks: TaskRecords
  readonly #functions: FunctionTable
  readonly #completionQueue: number
  readonly #records: ForkRecords
  readonly #helping: Helping
  readonly #events: ForkEvents
  readonly #arrivals: Arrivals
  /** Forked tasks by slot. */
  readonly #forked: (Forked | undefined)[] = []
  /** Awaited tasks that thieves have. A thief that cannot run one puts it back: then this worker runs it. */
  readonly #awaited = new OwnSet<Forked>()
  /** Called from the event loop, because the bell may have rung while this thread was blocked. */
  readonly #runAwaited = (): void => {
    this.#arrivals.during(() => {
      for (const task of this.#awaited) if (task[SLOT] === 0 || this.runReturned(task)) this.#awaited.delete(task)
    })
  }
  /** The slot of the task that this thread has taken; all that it forks are parts of that task. 0 if it has none. */
  #base = 0
  /** The index of that task's state. */
  #baseState = 0

  constructor(parts: WorkerParts) {
    const { memory, tasks, completionQueues, queue, self } = parts
    const { deques, own } = queue.stealing as StealingStore
    this.#parts = parts
    this.#tasks = tasks
    this.#functions = parts.functions
    this.#deques = deques
    ;(this.#deque = own as SlotDeque).adopt()
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
      (slot) => this.#forked[slot]?.[PORTABLE]().args,
      () => this.look(),
    )
    this.compensation = new Compensation(parts, deques)
    const stealing = queue.stealing as StealingStore
    this.#events = new ForkEvents(parts, stealing, parts.runner.events, (slot) => this.#records.parentOf(slot))
    this.#helping = new Helping(this, parts, this.compensation)
    deques.store(self.number, PLACE.HELPS, 0)
    deques.store(self.number, PLACE.BLOCKED, 0)
    deques.store(self.number, PLACE.JOINS, 0)
    deques.store(self.number, PLACE.ASKED, 0)
    deques.store(self.number, PLACE.BELL, this.bell.index)
  }

  // ------------------------------------------------------------------ forking

  /** Pushes the task on the deque, for thieves. If there is no room, runs it at once. Throws if it cannot be sent. */
  fork(task: Forked, fn: AnyFunction, args: readonly unknown[]): void {
    this.#parts.memory.threadContext.haltIfLeft() // the deque may be another thread's by now
    if (this.#base !== 0 && read(this.#tasks.words, this.#baseState) !== NEW) this.#stop()
    const number = this.#functions.numberOf(fn)
    const slot = this.#records.take() || this.#takeAfterLook()
    if (slot === 0 || !this.#records.write(slot, number, this.#base, args, storesToCarry())) task[RUN_HERE]()
    else if (this.#deque.push(slot)) {
      this.#forked[slot] = task
      task[LIE_IN](slot)
      if (load(this.#deques.words, this.#call) !== 0) this.#helping.call()
    } else {
      this.#records.putBack(slot)
      task[RUN_HERE]()
    }
  }

  /** The stores of the task in this slot, which this thread has forked. */
  storesOf(slot: number): CarriedStores | undefined {
    return this.#records.storesOf(slot)
  }

  /** A slot after a look: tasks that thieves have finished give theirs back. */
  #takeAfterLook(): number {
    this.look()
    return this.#records.take()
  }

  // ------------------------------------------------------------------ taking back

  /** Takes the task in this slot back, if it was forked last and was not stolen. */
  unpush(slot: number): boolean {
    // A worker that only joins for a while answers here. (CALL would not do: it is set for sleepers, too.)
    if (read(this.#deques.words, this.#asked) !== 0) this.#helping.answer()
    if (!this.#deque.unpush(slot)) return false
    this.#forked[slot] = undefined
    this.#records.putBack(slot)
    return true
  }

  /**
   * The task in the slot that this worker has just taken, if the worker forked it: runs as a plain call, followed by
   * {@link endOwn}. Until then the slot is not reused: its new task would be mistaken for the running one.
   */
  beginOwn(slot: number): Forked | undefined {
    const task = this.#forked[slot]
    this.#forked[slot] = undefined
    return task
  }

  endOwn(slot: number): void {
    this.#records.putBack(slot)
  }

  /** Runs the task forked last, as a plain call; false if there is none. */
  runNewest(): boolean {
    const slot = this.#deque.pop() || takeFromHand(this.#parts.self, this.#forked)
    if (slot === 0) return false
    const task = this.beginOwn(slot)
    if (task === undefined)
      this.#helping.runInsideUserCode(slot) // forked by the thread that had this place before
    else {
      const stores = this.storesOf(slot)
      this.endOwn(slot)
      if (mayHaveStores()) runWithStores(stores, () => task[RUN_HERE]())
      else task[RUN_HERE]()
    }
    return true
  }

  /** Waits for a task that is not on top of the deque, and runs other tasks meanwhile. */
  join(task: Forked): void {
    this.#runNewer(task)
    if (!task[IS_SETTLED]) this.#helping.join(task)
  }

  /** Runs the tasks forked last until this one is over. If it was stolen, so were all that were forked before it. */
  #runNewer(task: Forked): void {
    while (!task[IS_SETTLED]) if (!this.runNewest()) return
  }

  // ------------------------------------------------------------------ outcomes of stolen tasks

  /** Settles the tasks that thieves have finished. */
  look(): void {
    this.#arrivals.look()
    if (this.#awaited.size > 0) runtime.afterTurn(this.#runAwaited)
  }

  /** Runs the function; the pool is not quiescent meanwhile, and counts as having made progress afterwards. */
  during(body: () => void): void {
    this.#arrivals.during(body)
  }

  /** Throws if the outcome of a stolen task comes by a message, which this thread does not read while it blocks. */
  requireNoMessage(slot: number): void {
    if (this.#arrivals.isPostponed(slot)) throw cannotHear()
  }

  get hasMail(): boolean {
    return this.#arrivals.hasCompletions
  }

  /** False if an attachment of the outcome is still on its way. */
  #receive(slot: number): boolean {
    const task = this.#forked[slot]
    if (task === undefined) {
      this.#tasks.free(slot) // of a thread that has died, and had this completion queue before
      return true
    }
    const outcome = this.#records.receive(slot)
    if (outcome === undefined) return false
    this.#forked[slot] = undefined
    this.#awaited.delete(task)
    task[COME_BACK](...outcome)
    return true
  }

  /** Runs the task, if a thief could not run it and has put it back. */
  runReturned(task: Forked): boolean {
    const { [SLOT]: slot } = task
    if (slot === 0 || !(this.#parts.queue.stealing as StealingStore).remove(slot)) return false
    this.beginOwn(slot)
    this.endOwn(slot)
    task[RUN_HERE]()
    return true
  }

  /** The worker that has begun the task, or, of a completer, one of its parts; 0 if none has, as far as is known. */
  thiefOf(task: Forked): number {
    if (task[SLOT] !== 0) return thiefOf(this.#tasks, task[SLOT])
    for (const [slot, each] of this.#forked.entries()) {
      const thief = each?.[IS_PART_OF](task) === true ? thiefOf(this.#tasks, slot) : 0
      if (thief !== 0) return thief
    }
    return 0
  }

  /** Whether parts of this completer, or any forked tasks at all, are stolen or can be stolen. */
  hasPartsOf(task?: Forked): boolean {
    return this.#forked.some((each) => each !== undefined && (task === undefined || each[IS_PART_OF](task)))
  }

  /**
   * Works for a completer that this worker has taken and that is not over, and waits, as long as parts of it are under
   * way. After that it is complete, or nothing under way can complete it; then it occupies no thread.
   */
  finish(task: Forked): void {
    this.#runNewer(task)
    if (!task[IS_SETTLED] && this.hasPartsOf(task)) this.#helping.settle(task)
  }

  /** Notes which worker sleeps until a thief has begun the task; 0 if none does. */
  noteWaiter(task: Forked, worker: number): void {
    if (task[SLOT] !== 0) noteWaiter(this.#tasks, task[SLOT], worker)
  }

  // ------------------------------------------------------------------ cancelling

  /** Cancels the task in this slot; false if its outcome is decided already. */
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

  /** If it was, cancels what it has forked and throws. */
  throwIfStopped(): void {
    if (this.isStopped) this.#stop()
  }

  #stop(): never {
    this.cancelParts()
    throw new CancellationError("The task was cancelled")
  }

  /** Cancels all that the current task has forked and not joined. */
  cancelParts(): void {
    const base = this.#base
    const interrupts = this.#tasks.stateOf(base) >= INTERRUPTING
    for (const [slot, task] of this.#forked.entries()) {
      if (task?.[IS_SETTLED] === false && this.#records.parentOf(slot) === base) task.cancel(interrupts)
    }
  }

  // ------------------------------------------------------------------ the task that this thread has taken

  /** Begins a task that was stolen or submitted. Returns the outer task, for {@link leave}. */
  enter(slot: number): number {
    const outer = this.#base
    this.#setBase(slot)
    const { number } = this.#parts.self
    const waiter = noteThief(this.#tasks, slot, number)
    if (waiter !== 0) this.#helping.wake(waiter)
    this.#deques.countSteal(number)
    this.#events.taken(slot)
    store(this.#deques.words, this.#call, 1) // there may be fewer threads than the parallelism: the next fork looks
    return outer
  }

  /** The task is over and its outcome delivered. */
  leave(outer: number): void {
    this.#setBase(outer)
  }

  #setBase(slot: number): void {
    this.#base = slot
    this.#baseState = slot === 0 ? 0 : this.#tasks.recordOf(slot) + TASK.STATE
  }

  // ------------------------------------------------------------------ other waits than join

  /**
   * The task in this slot is awaited: this worker runs it now, if no thief has it. With a time limit it leaves the task
   * to other threads, because it could not keep the limit while it runs the task.
   */
  awaited(slot: number, isLimited: boolean): void {
    const task = this.#forked[slot]
    if (task === undefined) return
    if (isLimited) {
      this.compensation.compensate()
      return
    }
    this.#runNewer(task)
    if (task[SLOT] === 0) return
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
      if (!task[IS_SETTLED]) yield* this.#helping.waiting(task, true)
    }
  }

  /** This worker has asked the worker with this token for the arguments of a task. */
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
