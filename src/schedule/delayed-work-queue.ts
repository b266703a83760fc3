import { MAX_VALUE, typeError } from "../checks.ts"
import { IllegalStateError, InterruptedError } from "../errors.ts"
import { type Flow, interrupted } from "../memory/flow/flow.ts"
import { guarded } from "../memory/flow/guard.ts"
import { drive, type Settle, type Steps, TIMEOUT } from "../memory/flow/waiting.ts"
import { BlockingQueue } from "../queue/base/blocking-queue.ts"
import { QueueCore } from "../queue/base/queue-core.ts"
import { type Cursor, cursorOver } from "../queue/local/iteration.ts"
import { type Clock, type ClockTimer, systemClock } from "../time/clock.ts"
import { ScheduledTask } from "./scheduled-task.ts"
import { NOWHERE, TaskHeap } from "./task-heap.ts"
import { runtime } from "#host/runtime/clock"

type Task = ScheduledTask<unknown>

/** What the queue needs to know of its pool. */
export interface ServedPool {
  readonly poolSize: number
  readonly isShutdown: boolean
}

/**
 * The queue of a scheduled executor: tasks in the order in which they are due. As with a DelayQueue, only due tasks can
 * be taken; `size`, `peek`, iteration (in the order of the due times), `contains` and `remove(task)` see all tasks.
 */
export class DelayedWorkQueue extends BlockingQueue<Task> {
  constructor(clock: Clock = systemClock) {
    super(new DelayedWorkCore(clock))
  }
}

/*
 * How it works
 *
 * A heap and one timer, set to when the first task is due. When the timer fires, or a task comes in that is due
 * already, the queue hands due tasks to waiting threads, the longest waiter first. No thread waits with a limit for the
 * head, as the leader of a DelayQueue does, so no thread has to be woken and put back to sleep when the head changes:
 * the timer is moved, in a microtask, once for all changes that the program made in one turn.
 *
 * Only the timer keeps the process alive, as long as there is a task that is going to run. A task that is unref'd does
 * not count, and neither does a cancelled task that stays in the queue. Once the pool is shut down they count all the
 * same: the pool ends when the last task leaves the queue, and a caller that waits for the end may have no timer of its
 * own.
 */
export class DelayedWorkCore extends QueueCore<Task> {
  readonly clock: Clock
  readonly #heap = new TaskHeap<Task>()
  /** How many takers have put off their time limit: see {@link receive}. */
  #patient = 0
  /** How many tasks in the queue are going to run and have to keep the process alive. */
  #alive = 0
  #pool: ServedPool | undefined
  #alarm: { readonly timer: ClockTimer; readonly time: number; readonly background: boolean } | undefined
  #planned = false

  constructor(clock: Clock) {
    super()
    this.clock = clock
  }

  /** Sets the pool: the queue has to exist before it. */
  serve(pool: ServedPool): void {
    this.#pool = pool
  }

  /** Called when a task that may be in the queue is done. */
  ended(task: Task): void {
    if (!task.counted) return
    this.#discount(task)
    this.#plan()
  }

  /** Called when a task that may be in the queue was ref'd or unref'd. */
  held(task: Task): void {
    if (!this.#heap.has(task)) return
    if (task.isHeld) this.#count(task)
    else this.#discount(task)
    this.#plan()
  }

  override get size(): number {
    return this.#heap.size
  }

  override get remainingCapacity(): number {
    return MAX_VALUE
  }

  override peek(): Task | undefined {
    return this.#heap.first
  }

  // ------------------------------------------------------------------ waiting

  /**
   * As in every queue, with two refinements. A thread that waits here keeps nothing alive; the timer does. And the last
   * thread of a pool, which cannot leave while tasks are queued, does not time out every few milliseconds in vain: it
   * puts off its time limit until the queue is empty, and is then woken to look again, as by an interrupt.
   */
  override receive(settle: Settle<Task | undefined>, flow: Flow, timeout: number): void {
    flow.idle = true
    if (flow.consumeInterrupt()) {
      settle.reject(interrupted(" before it could wait"))
      return
    }
    const task = this.extract("first")
    if (task !== undefined) {
      settle.resolve(task)
      return
    }
    const isPatient = timeout !== Infinity && !this.isEmpty && (this.#pool?.poolSize ?? 0) <= 1
    if (isPatient) drive(this.#waitingPatiently(), settle, flow, Infinity)
    else drive(this.taking(), settle, flow, timeout)
  }

  protected override *taking(): Steps<Task | undefined> {
    for (;;) {
      const why = yield this.takers
      const task = this.extract("first")
      if (task !== undefined || why === TIMEOUT) return task
    }
  }

  override *looking(isPatient: boolean): Steps<boolean> {
    if (isPatient) this.#patient++
    try {
      while (this.ready() === undefined) {
        if (isPatient && this.isEmpty) throw new InterruptedError("Nothing is left to wait for")
        if ((yield this.takers) === TIMEOUT) return false
      }
    } finally {
      if (isPatient) this.#patient--
    }
    return true
  }

  *#waitingPatiently(): Steps<Task | undefined> {
    this.#patient++
    try {
      while (!this.isEmpty) {
        yield this.takers
        const task = this.extract("first")
        if (task !== undefined) return task
      }
    } finally {
      this.#patient--
    }
    throw new InterruptedError("Nothing is left to wait for")
  }

  /** Hands due tasks to waiting threads. Each takes its task inside the signal. */
  #handOut(): void {
    while (this.ready() !== undefined) if (!this.takers.signal()) return
  }

  /** Sets the timer in a microtask, when the present code is over: until then the tasks may change again. */
  #plan(): void {
    if (this.#planned) return
    this.#planned = true
    runtime.microtask(() => {
      this.#planned = false
      guarded(() => this.#setAlarm()) // the clock may be user code
    })
  }

  #setAlarm(): void {
    const time = this.#heap.first?.time ?? Infinity
    const background = this.#alive === 0 && this.#pool?.isShutdown !== true
    if (this.#alarm?.time === time && this.#alarm.background === background) return
    this.#alarm?.timer.cancel()
    this.#alarm = undefined
    if (time <= this.clock.time()) {
      this.#handOut() // if no thread waits, the next idle one takes it
      return
    }
    if (time === Infinity) return
    const timer = this.clock.timer(time, background, () => {
      this.#alarm = undefined
      this.#handOut()
      this.#plan()
    })
    this.#alarm = { timer, time, background }
  }

  // ------------------------------------------------------------------ what a kind of queue supplies

  override check(e: Task): void {
    super.check(e)
    if (!(e instanceof ScheduledTask)) throw typeError("e", "a scheduled task: use schedule() or execute()", e)
    if (e.slot !== NOWHERE) throw typeError("e", "a scheduled task that is in no queue", e)
  }

  override enter(flow: Flow, what: "put" | "take", _timed: boolean): void {
    if (what === "take") flow.throwIfInterrupted()
  }

  protected override insert(e: Task): boolean {
    this.#heap.push(e)
    this.#count(e)
    this.#plan()
    if (this.#heap.first === e) this.#handOut()
    return true
  }

  override ready(): Task | undefined {
    const first = this.#heap.first
    return first !== undefined && first.delay <= 0 ? first : undefined
  }

  override behead(): void {
    const first = this.#heap.first
    if (first !== undefined) this.#take(first)
  }

  override removeWhere(test: (task: Task) => boolean): number {
    const removed = this.#heap.removeWhere(test)
    for (const task of removed) this.#discount(task)
    if (removed.length > 0) this.#plan()
    return removed.length
  }

  override wipe(): void {
    this.removeWhere(() => true)
  }

  /** Walks over a snapshot of the tasks. */
  protected override cursor(): Cursor<Task> {
    return cursorOver(this.#heap.toSorted(), (task) => this.#take(task))
  }

  /** If the queue is empty, wakes the threads that put off their time limits, so that they look again. */
  override vacated(): void {
    if (this.#patient > 0 && this.isEmpty) this.takers.signalAll()
  }

  /** Never called: a pool's queue cannot be shared. */
  protected override toShared(): never {
    throw new IllegalStateError("The queue belongs to a pool")
  }

  override has(task: unknown): boolean {
    return task instanceof ScheduledTask && this.#heap.has(task)
  }

  override removeEqual(task: unknown): boolean {
    if (!(task instanceof ScheduledTask) || !this.#take(task)) return false
    this.vacated()
    return true
  }

  #take(task: Task): boolean {
    if (!this.#heap.remove(task)) return false
    this.#discount(task)
    this.#plan()
    return true
  }

  #count(task: Task): void {
    if (!task.isHeld || task.isDone || task.time === Infinity) return
    task.counted = true
    this.#alive++
  }

  #discount(task: Task): void {
    if (!task.counted) return
    task.counted = false
    this.#alive--
  }
}
