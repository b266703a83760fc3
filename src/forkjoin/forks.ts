/**
 * What a worker of a ForkJoinPool has forked: where it lies, who has it, and how its outcome comes back.
 *
 * A forked task is a slot in the worker's deque, with a record as that of any task, so whoever steals it runs it as it runs what
 * was submitted, and puts it into the box of this worker when it is over. But as long as nobody has stolen it, all of that
 * is in this worker's hands: it keeps a stock of slots for itself, and takes what it forked back by one step on its deque.
 * src/forkjoin/README.md says how threads find work, sleep and wake.
 */
import { load, read, store, write } from "#atomics"
import { encodeArguments } from "../codec/arguments.ts"
import { NO_ARGUMENTS, TWO_DOUBLES } from "../codec/letter.ts"
import { CancellationError } from "../errors.ts"
import type { RemoteTasks } from "../future/task-parties.ts"
import { CANCELLED, INTERRUPTED, INTERRUPTING, NEW, NORMAL } from "../future/task-state.ts"
import { Bell } from "../memory/bell.ts"
import type { Steps } from "../memory/waiting.ts"
import type { PoolCore } from "../pool/pool-core.ts"
import { REACHABLE, TASK } from "../platform/layout.ts"
import { Outgoing } from "../platform/outgoing.ts"
import type { PoolMemory } from "../platform/pool-memory.ts"
import { PostOffice } from "../platform/post-office.ts"
import { ON_ITS_WAY, outcomeOf } from "../platform/results.ts"
import type { Boxes } from "../platform/boxes.ts"
import type { FunctionTable } from "../platform/function-table.ts"
import type { SharedRoster, SharedWorker } from "../platform/shared-roster.ts"
import type { TaskQueue } from "../platform/task-queue.ts"
import type { TaskRecords } from "../platform/task-records.ts"
import { type Deques, PLACE } from "./deques.ts"
import type { ForkJoinTask } from "./fork-join-task.ts"
import { Helping } from "./helping.ts"
import { writeNumbers } from "./plain-arguments.ts"
import type { SlotDeque } from "./slot-deque.ts"
import type { StealingStore } from "./stealing-store.ts"
import type { AnyFunction } from "./this-thread.ts"

/** A value of TASK.STATE beside those of task-state.ts: the slot is in the stock of its worker, or the worker runs it as a plain call. */
export const PRIVATE = -1

/** Words of a task's record that only pools with an order use otherwise. */
export const FORK: { readonly PARENT: number; readonly THIEF: number; readonly WAITER: number } = {
  /** The slot of the task that has forked it. */
  PARENT: TASK.RANK,
  /** The number of the worker that has begun it. */
  THIEF: TASK.RANK + 1,
  /** The number of the worker that sleeps until somebody has. */
  WAITER: TASK.SEQUENCE,
}

/** How many slots are taken at once, and how many are kept at most. */
const BATCH = 32
const MOST_KEPT = 1024

/** What a worker thread consists of: see platform/worker-main.ts. */
export interface WorkerParts {
  readonly memory: PoolMemory
  readonly tasks: TaskRecords
  readonly boxes: Boxes
  readonly functions: FunctionTable
  readonly roster: SharedRoster
  readonly self: SharedWorker
  readonly queue: TaskQueue
  readonly core: PoolCore<number>
  readonly runner: {
    leaveTask(): void
    returnToTask(): void
    runInside(slot: number): void
  }
}

export class Forks implements RemoteTasks {
  readonly bell: Bell
  readonly deque: SlotDeque
  readonly #deques: Deques
  readonly #call: number
  readonly #parts: WorkerParts
  readonly #tasks: TaskRecords
  readonly #functions: FunctionTable
  readonly #box: number
  readonly #office: PostOffice
  readonly #outgoing: Outgoing
  readonly #flags: number
  readonly #helping: Helping
  /** By slot. */
  readonly #forked: (ForkJoinTask<unknown> | undefined)[] = []
  /** The stock of slots. */
  readonly #stock: number[] = []
  /** Slots that are over, but something that was posted has not come yet. */
  #late: number[] = []
  #arrived: number[] = []
  readonly #append = (slots: readonly number[]): void => {
    for (const slot of slots) this.#arrived.push(slot)
  }
  /** The task that this thread has taken, of which everything it forks is a part; 0 outside of any. */
  #base = 0
  /** Where its state is. */
  #baseState = 0
  #collector: object[] | undefined = []

  constructor(parts: WorkerParts) {
    const { memory, tasks, boxes, queue, self } = parts
    const { deques, own } = queue.stealing as StealingStore
    this.#parts = parts
    this.#tasks = tasks
    this.#functions = parts.functions
    this.#deques = deques
    this.deque = own as SlotDeque
    this.deque.adopt()
    this.#call = deques.placeOf(self.number) + PLACE.CALL
    this.bell = new Bell(memory.here, () => this.look())
    this.#box = boxes.open(this.bell)
    this.#office = PostOffice.of(memory)
    this.#outgoing = Outgoing.of(tasks, this.#office, () => this.look())
    this.#flags = this.#office.isReachable ? REACHABLE : 0
    this.#helping = new Helping(this, parts)
    deques.store(self.number, PLACE.HELPS, 0)
    deques.store(self.number, PLACE.BLOCKED, 0)
    deques.store(self.number, PLACE.BELL, this.bell.index)
  }

  // ------------------------------------------------------------------ forking

  /** Puts the task where others can take it. If there is no room, runs it at once. Throws if others could not run it. */
  fork(task: ForkJoinTask<unknown>, fn: AnyFunction, args: readonly unknown[]): void {
    if (this.#base !== 0 && read(this.#tasks.words, this.#baseState) !== NEW) this.#stop()
    const number = this.#functions.numberOf(fn)
    const stock = this.#stock
    const slot = stock.length > 0 ? (stock.pop() as number) : this.#takeSlots()
    if (slot === 0) {
      task.runHere()
      return
    }
    const tasks = this.#tasks
    const record = tasks.recordOf(slot)
    const { words } = tasks
    write(words, record + TASK.FUNCTION, number)
    write(words, record + FORK.PARENT, this.#base)
    if (!writeNumbers(words, record, args)) this.#fill(slot, args)
    write(words, record + TASK.STATE, NEW)
    if (!this.deque.push(slot)) {
      this.#putBack(slot)
      task.runHere()
      return
    }
    this.#forked[slot] = task
    task.lieIn(slot)
    if (load(this.#deques.words, this.#call) !== 0) this.#helping.call()
  }

  #fill(slot: number, args: readonly unknown[]): void {
    try {
      const things = this.#flags === 0 ? undefined : (this.#collector ?? [])
      this.#collector = undefined // a getter among the arguments may fork something itself
      const letter = encodeArguments(args, things)
      const isWhole = things === undefined || things.length === 0
      if (isWhole) this.#collector = things
      if (isWhole && this.#tasks.fill(slot, letter)) return
      this.#outgoing.pack(slot, letter, isWhole ? [] : things, [], args)
    } catch (error) {
      this.#putBack(slot)
      throw error
    }
  }

  #takeSlots(): number {
    this.look() // what is over makes room
    const stock = this.#stock
    for (let i = 0; i < BATCH && stock.length < BATCH; i++) {
      const slot = this.#tasks.take(this.#box, 0, this.#flags)
      if (slot === 0) break
      this.#clear(slot)
      stock.push(slot)
    }
    return stock.pop() ?? 0
  }

  /** The slot is this thread's alone, and nobody has begun a task in it. */
  #clear(slot: number): void {
    const record = this.#tasks.recordOf(slot)
    const { words } = this.#tasks
    write(words, record + TASK.STATE, PRIVATE)
    write(words, record + FORK.THIEF, 0)
    write(words, record + FORK.WAITER, 0)
  }

  /** The slot is this thread's alone again, and nobody else has ever seen what is in it. */
  #putBack(slot: number): void {
    const record = this.#tasks.recordOf(slot)
    const { words } = this.#tasks
    const kind = read(words, record + TASK.KIND)
    write(words, record + TASK.STATE, PRIVATE)
    if (kind < NO_ARGUMENTS || kind > TWO_DOUBLES) {
      this.#outgoing.finish(slot)
      this.#tasks.renew(slot)
    }
    this.#stock.push(slot)
  }

  // ------------------------------------------------------------------ taking back

  /** Takes the task in this slot back, if it was forked last and nobody has stolen it. */
  unpush(slot: number): boolean {
    if (!this.deque.unpush(slot)) return false
    this.#forked[slot] = undefined
    this.#putBack(slot)
    return true
  }

  /**
   * The task in a slot that this worker has in hand, if it is its own: for a plain call, after which {@link endOwn} is said. Until
   * then the slot is not used for anything else, lest somebody take that for what is in hand.
   */
  beginOwn(slot: number): ForkJoinTask<unknown> | undefined {
    const task = this.#forked[slot]
    if (task === undefined) return undefined
    this.#forked[slot] = undefined
    write(this.#tasks.words, this.#tasks.recordOf(slot) + TASK.STATE, PRIVATE)
    return task
  }

  endOwn(slot: number): void {
    this.#putBack(slot)
  }

  /** Runs what was forked last, as a plain call; false if there is nothing. */
  runNewest(): boolean {
    const slot = this.deque.pop()
    if (slot === 0) return false
    const task = this.beginOwn(slot)
    if (task !== undefined) {
      this.endOwn(slot)
      task.runHere()
    } else this.#parts.runner.runInside(slot) // of the thread that had this place before
    return true
  }

  /** Waits for a task that is not on top of the deque, and works meanwhile. */
  join(task: ForkJoinTask<unknown>): void {
    // Whatever is still there was forked later: if the task was stolen, so was everything before it.
    while (!task.isSettled && this.runNewest());
    if (!task.isSettled) this.#helping.join(task)
  }

  // ------------------------------------------------------------------ hearing of the others

  /** Settles what thieves have finished. */
  look(): void {
    if (this.#late.length > 0) this.#append(this.#late.splice(0))
    this.#parts.boxes.empty(this.#box, this.#append)
    for (let slot = this.#arrived.shift(); slot !== undefined; slot = this.#arrived.shift()) this.#receive(slot)
  }

  get hasMail(): boolean {
    return !this.#parts.boxes.isEmpty(this.#box)
  }

  #receive(slot: number): void {
    const state = this.#tasks.stateOf(slot)
    let outcome: unknown
    let failed = state !== NORMAL
    if (state < CANCELLED) {
      try {
        outcome = outcomeOf(slot, this.#tasks, this.#office, this.#outgoing)
      } catch (error) {
        outcome = error
        failed = true
      }
      if (outcome === ON_ITS_WAY) {
        this.#late.push(slot)
        return
      }
    } else this.#office.forget(this.#tasks.handleOf(slot))
    const task = this.#forked[slot]
    this.#forked[slot] = undefined
    this.#outgoing.finish(slot)
    this.#clear(slot)
    if (this.#stock.length < MOST_KEPT) {
      this.#tasks.renew(slot)
      this.#stock.push(slot)
    } else this.#tasks.free(slot)
    task?.comeBack(state >= CANCELLED ? "cancelled" : failed ? "failed" : "success", outcome)
  }

  /** Which worker has begun the task, as far as is known; 0 for none. Of one that waits for others: who has begun one of those. */
  thiefOf(task: ForkJoinTask<unknown>): number {
    if (task.slot !== 0) return this.#thiefIn(task.slot)
    for (const [slot, each] of this.#forked.entries()) {
      const thief = each === undefined ? 0 : this.#thiefIn(slot)
      if (thief !== 0) return thief
    }
    return 0
  }

  #thiefIn(slot: number): number {
    return load(this.#tasks.words, this.#tasks.recordOf(slot) + FORK.THIEF)
  }

  /** Says which worker sleeps until somebody has begun the task; 0 if none does. */
  noteWaiter(task: ForkJoinTask<unknown>, worker: number): void {
    if (task.slot !== 0) store(this.#tasks.words, this.#tasks.recordOf(task.slot) + FORK.WAITER, worker)
  }

  // ------------------------------------------------------------------ cancelling

  /** Decides that the task in this slot is cancelled, unless its outcome is decided already. */
  cancel(slot: number, mayInterruptIfRunning: boolean): boolean {
    if (!this.#tasks.leaveNew(slot, mayInterruptIfRunning ? INTERRUPTING : CANCELLED)) return false
    if (mayInterruptIfRunning) {
      const handle = this.#tasks.handleOf(slot)
      for (const worker of this.#parts.roster) {
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
    this.#cancelParts(this.#base)
    throw new CancellationError("The task was cancelled")
  }

  #cancelParts(base: number): void {
    const interrupts = this.#tasks.stateOf(base) >= INTERRUPTING
    for (const [slot, task] of this.#forked.entries()) {
      if (task === undefined || task.isSettled) continue
      const record = this.#tasks.recordOf(slot)
      if (read(this.#tasks.words, record + FORK.PARENT) === base) task.cancel(interrupts)
    }
  }

  // ------------------------------------------------------------------ what this thread has taken

  /** Begins a task that was forked elsewhere, or submitted; what was before, to be given to {@link leave}. */
  enter(slot: number): number {
    const outer = this.#base
    this.#setBase(slot)
    store(this.#deques.words, this.#call, 1) // there may be fewer threads than there should
    const record = this.#tasks.recordOf(slot)
    store(this.#tasks.words, record + FORK.THIEF, this.#parts.self.number)
    const waiter = load(this.#tasks.words, record + FORK.WAITER)
    if (waiter !== 0) this.#helping.wake(waiter)
    this.#deques.countSteal(this.#parts.self.number)
    return outer
  }

  /** It is over. */
  leave(outer: number): void {
    if (this.isStopped) this.#cancelParts(this.#base)
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

  timeOf(): never {
    throw new Error("corepool: a forked task has no time")
  }

  argumentsOf(): readonly unknown[] {
    return []
  }

  /** Somebody awaits the task in this slot: it is run now, if nobody has stolen it. */
  awaited(slot: number): void {
    const task = this.#forked[slot]
    while (task !== undefined && this.#forked[slot] === task && !task.isSettled && this.runNewest());
  }

  *blocking(future: { readonly isDone: boolean }, slot: number): Steps<void> {
    const task = this.#forked[slot]
    if (task === undefined) return
    while (!task.isSettled && this.runNewest());
    if (!future.isDone) yield* this.#helping.waiting(task, true)
  }

  /** The thread is about to end. */
  end(): void {
    for (const slot of this.#stock.splice(0)) this.#tasks.free(slot)
    this.#parts.boxes.close(this.#box)
    this.bell.end()
  }
}
