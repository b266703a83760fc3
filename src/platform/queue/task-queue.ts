import { add, compareAndSet, load, store } from "#atomics"
import { InterruptedError } from "../../errors.ts"
import { type Flow, mainFlow } from "../../memory/flow/flow.ts"
import { ACQUIRED, CANCELLED } from "../../memory/thread/node-pool.ts"
import { Ring } from "../../memory/structures/ring.ts"
import { SpinWait } from "../../memory/flow/spin-wait.ts"
import type { WaitNode } from "../../memory/wait/wait-node.ts"
import { SHARED, WaitQueue } from "../../memory/wait/wait-queue.ts"
import {
  driveLingering,
  DUE,
  type Settle,
  SIGNALLED,
  type Steps,
  TIMEOUT,
  type Wake,
} from "../../memory/flow/waiting.ts"
import { isPaused } from "../../core/control-word.ts"
import { StealingStore } from "./stealing-store.ts"
import { DelayedTaskQueue } from "./delayed-task-queue.ts"
import { BASE, BY_PRIORITY, BY_TIME, HEADER, NOTHING, ringPlaces, WORKER } from "../memory/layout.ts"
import { isAwaited } from "./idle-workers.ts"
import type { PoolMemory } from "../memory/pool-memory.ts"
import { SharedWorkerTable } from "../memory/workers/shared-worker-table.ts"
import { SlotHeap } from "../memory/slot-heap.ts"
import { LINGER, type SlotQueue } from "./slot-queue.ts"
import type { Taker } from "./taker.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/** How long a spinner polls, in ms. */
const SPIN_TIME = 0.1

/** How long a worker backs off, in ms. */
const BACKOFF_TIME = 0.5

type Role = typeof HEADER.SPINNER | typeof HEADER.BACKOFF

const IDLE: number = BASE.HEADER + HEADER.IDLE

/**
 * What holds the waiting tasks: a ring; a heap if tasks have an order; a ring and deques if workers have tasks of their
 * own.
 */
interface SlotStore {
  readonly isEmpty: boolean
  readonly size: number
  offer(slot: number): boolean
  poll(claim?: number): number
  remove(slot: number): boolean
  peek(): number
  toArray(): number[]
}

/** The queue of this pool; `claim` is as for {@link TaskQueue}. */
export function queueIn(memory: PoolMemory, tasks: TaskRecords, claim = 0): SlotQueue {
  return memory.ordering === BY_TIME ? new DelayedTaskQueue(memory, tasks, claim) : new TaskQueue(memory, tasks, claim)
}

/**
 * The queue of a pool's tasks, first in first out unless tasks have a priority, and the list of its idle workers. Any
 * thread may offer and take.
 *
 * Waking a thread costs more than running most tasks. The queue avoids wake-ups in two ways:
 *
 * - One idle worker, the spinner, polls the queue for 0.1 ms before it sleeps. While there is a spinner, offer() wakes
 *   no worker. A spinner that finds a task ceases to spin; if more tasks wait, it wakes the next worker.
 * - A worker that was woken and finds the queue empty, because others were faster, backs off for 0.5 ms. While a worker
 *   backs off, offer() wakes no worker, unless another worker has gone to sleep.
 *
 * No task is missed: offer() first publishes the task and then checks for a spinner and for a back-off. Both of these
 * workers poll once more after they have given up that role, or after another worker has ended the back-off.
 *
 * With a bound of 0 (hand-over) no task waits: a task goes in only if a worker waits for it. IDLE counts the workers
 * that wait and have not been promised a task. offer() takes one off that count, which is the promise, and then puts
 * the task in. A worker that gives up takes itself off the count; if it cannot, a task is on its way to it. For a
 * worker that has died the owner does so: WAITS of the worker says whether it was counted. (WAITS is set before the
 * count and cleared after it. A death in between makes the count too low by one: the pool then makes one thread more
 * than needed, but no task ever waits for a worker that does not exist.)
 *
 * A worker keeps the promise as long as the pool runs. Only that worker takes the task out: for shutdownNow(), remove()
 * and the methods of `pool.queue` the queue is empty, as a SynchronousQueue is. A thread that does take a task out,
 * because it runs the task itself or no worker is left, gives the promise back. Once the pool is shut down, promises do
 * not count: a worker leaves if the queue is empty, and a thread that is still offering a task finds the pool shut down
 * and takes the task back. So a thread that dies between its promise and its offer keeps no worker waiting.
 */
export class TaskQueue implements SlotQueue {
  readonly bound: number
  taker: Taker | undefined
  /** The store, if workers have tasks of their own. */
  readonly stealing: StealingStore | undefined
  readonly #memory: PoolMemory
  readonly #tasks: TaskRecords
  /** For {@link #isFull}; made when it is first needed. */
  #workerTable: SharedWorkerTable | undefined
  readonly #words: Int32Array
  readonly #store: SlotStore
  readonly #waiters: WaitQueue
  readonly #claim: number
  readonly #waits: number
  readonly #spinWait: Pick<SpinWait, "isWorthwhile" | "until">
  readonly #isNews = (): boolean => this.#hasNews || mainFlow.looksInterrupted

  /**
   * `claim` is the index of the word in which this thread, if it is a worker, writes which slot it is about to take.
   */
  constructor(
    memory: PoolMemory,
    tasks: TaskRecords,
    claim = 0,
    spinWait: Pick<SpinWait, "isWorthwhile" | "until"> = new SpinWait(SPIN_TIME),
  ) {
    const { threadContext, words, capacity, order, deques } = memory
    this.bound = memory.bound
    this.#memory = memory
    this.#tasks = tasks
    this.#words = words
    const { control } = memory.state
    this.stealing = deques && new StealingStore(words, deques, capacity, claim, () => isPaused(control.snapshot))
    this.#store =
      this.stealing ??
      (order === undefined
        ? new Ring(words, BASE.RING, ringPlaces(capacity), capacity)
        : new SlotHeap(threadContext, order, words, capacity, tasks, BY_PRIORITY))
    this.#waiters = new WaitQueue(threadContext, words, BASE.WAITERS, { isShared: true })
    this.#claim = claim
    this.#waits = claim - WORKER.CLAIM + WORKER.WAITS
    this.#spinWait = spinWait
  }

  /** Of a pool whose tasks fork: forked tasks go on, as they are parts of tasks that run. */
  get knowsPause(): boolean {
    return this.stealing !== undefined
  }

  lookAgain(): void {
    if (this.stealing !== undefined) this.#waiters.wakeFirst()
  }

  get isEmpty(): boolean {
    return this.#store.isEmpty
  }

  get size(): number {
    return this.#store.size
  }

  get idleWorkers(): number {
    if (this.bound === 0) return Math.max(load(this.#words, IDLE), 0)
    return this.#waiters.length + (this.#isHeld(HEADER.SPINNER) ? 1 : 0)
  }

  toArray(): number[] {
    return this.#store.toArray()
  }

  offer(slot: number): boolean {
    if (this.bound === NOTHING) return false
    if (this.bound === 0 ? !this.#promise() : this.bound > 0 && this.#isFull(slot)) return false
    if (!this.#store.offer(slot)) return false
    this.#wakeUnlessSpinning()
    return true
  }

  #isFull(offered: number): boolean {
    if (this.#store.size < this.bound) return false
    this.#workerTable ??= new SharedWorkerTable(this.#memory, () => undefined)
    return !isAwaited(offered, this.#workerTable, this.#tasks, this.#memory.state.control, {
      surplus: () => this.#store.size - this.bound,
      toArray: () => this.#store.toArray(),
    })
  }

  /** A worker has forked a task: wakes an idle worker for it. False if no worker sleeps. */
  announce(): boolean {
    if (this.#waiters.isEmpty) return false
    this.#wakeUnlessSpinning()
    return true
  }

  restore(slot: number): void {
    this.#store.offer(slot)
    this.#waiters.wakeFirst()
  }

  poll(): number | undefined {
    if (this.bound === 0) return undefined // every task inside is promised to a worker
    const slot = this.#store.poll(this.#claim)
    return slot !== 0 ? slot : this.#spin()
  }

  get #hasNews(): boolean {
    return this.stealing === undefined ? !this.#store.isEmpty : this.stealing.isWorthALook
  }

  /** Whether a living worker has this role. */
  #isHeld(role: Role): boolean {
    const holder = load(this.#words, BASE.HEADER + role)
    return holder !== 0 && this.#memory.threadContext.registry.isAlive(holder)
  }

  /** Takes the role; false if another worker has it. */
  #tryHold(role: Role): boolean {
    const before = this.#memory.header(role)
    const { threadContext } = this.#memory
    if (before !== 0 && threadContext.registry.isAlive(before)) return false
    return compareAndSet(this.#words, BASE.HEADER + role, before, threadContext.token)
  }

  #wakeUnlessSpinning(): void {
    if (!this.#isHeld(HEADER.SPINNER) && !this.#isHeld(HEADER.BACKOFF)) this.#waiters.wakeFirstOnce()
  }

  /** Spins for a task, if no other worker does. */
  #spin(): number | undefined {
    if (this.#claim === 0 || !this.#spinWait.isWorthwhile) return undefined
    if (!this.#tryHold(HEADER.SPINNER)) return undefined
    this.#spinWait.until(this.#isNews)
    this.#memory.setHeader(HEADER.SPINNER, 0)
    this.stealing?.askForCalls() // for other workers, which sleep
    const slot = this.#store.poll(this.#claim)
    if (slot !== 0 && !this.#store.isEmpty) this.#wakeUnlessSpinning()
    return slot || undefined
  }

  take(): number | undefined {
    return this.draw()
  }

  draw(): number | undefined {
    return this.#isPromised ? undefined : this.seize()
  }

  seize(): number | undefined {
    const { taker } = this
    const slot = taker === undefined ? this.#store.poll() : taker.hold(this.#store.poll(taker.claim))
    if (slot !== 0) this.#giveBack()
    return slot || undefined
  }

  /** Whether every task inside has been promised to a worker. */
  get #isPromised(): boolean {
    return this.bound === 0 && this.#memory.state.control.workerCount > 0
  }

  /** A thread has taken out a task that was promised to a worker. */
  #giveBack(): void {
    if (this.bound !== 0) return
    add(this.#words, IDLE, 1)
    this.#waiters.wakeFirst()
  }

  first(): number | undefined {
    return this.#store.peek() || undefined
  }

  remove(slot: number): boolean {
    return !this.#isPromised && this.takeBack(slot)
  }

  takeBack(slot: number): boolean {
    return this.taker === undefined ? this.pull(slot) : this.taker.holdRemoved(slot, (it) => this.pull(it))
  }

  pull(slot: number): boolean {
    const isOut = this.#store.remove(slot)
    if (isOut) this.#giveBack()
    return isOut
  }

  untilReady(): number {
    return 0
  }

  receive(settle: Settle<number | undefined>, flow: Flow, timeout: number): void {
    driveLingering(this.#receiving(flow), settle, flow, timeout, LINGER)
  }

  *looking(flow: Flow): Steps<boolean> {
    return (yield* this.#receiving(flow, true)) !== undefined
  }

  *#receiving(flow: Flow, looks = false): Steps<number | undefined> {
    const node = this.#waiters.enter(flow, SHARED, true)
    let how: number = CANCELLED
    let slot = 0
    const isHandOver = this.bound === 0
    if (isHandOver) {
      store(this.#words, this.#waits, 1)
      add(this.#words, IDLE, 1)
    }
    let broken: unknown
    let wake: Wake = DUE
    try {
      for (;;) {
        // A worker that is woken though not the first was woken by a death, perhaps of the thread that was to link in
        // its node.
        if (!this.#waiters.isFirst(node)) this.#waiters.tend(node.index)
        if (wake !== SIGNALLED) {
          this.#endBackoff()
          this.stealing?.askForCalls()
        }
        slot = looks ? this.#store.peek() : this.#store.poll(this.#claim)
        if (slot !== 0) break
        if (wake === SIGNALLED && !isHandOver) {
          wake = this.#backOff(node, flow)
          continue
        }
        if (broken !== undefined) {
          if (this.#withdraw()) break
          if (this.#isShutDown) continue // the task has arrived just now
          node.limited = false // the task is on its way, and the time limit does not apply
        }
        this.noteSleep()
        try {
          wake = yield node
          if (wake === TIMEOUT) broken ??= TIMEOUT
        } catch (error) {
          broken = error
          wake = DUE
        }
        if (broken !== undefined && !isHandOver) break
      }
      if (slot !== 0) how = ACQUIRED
    } finally {
      this.#waiters.leave(node, how)
      this.stealing?.askForCalls()
    }
    // A thread that offered a task meanwhile has woken this worker, which had its task already: pass the wake-up on.
    if (!this.#store.isEmpty) this.#wakeUnlessSpinning()
    if (slot === 0) {
      if (broken !== TIMEOUT) throw broken
      return undefined
    }
    if (broken instanceof InterruptedError) flow.interrupt()
    return slot
  }

  /**
   * This worker has found nothing and goes to sleep: tells the owner, if the owner wants to know. Other workers have
   * taken what this one had claimed.
   */
  noteSleep(): void {
    store(this.#words, this.#claim, 0) // not a plain write: see quiet.ts
    this.#memory.ringIfIdle()
  }

  /**
   * Backs off: this worker was woken in vain, because workers that were awake were faster. Otherwise it would be woken
   * again and again for tasks that are gone when it comes, and each time costs as much as a hundred tasks. Meanwhile no
   * worker is woken; afterwards this worker looks again.
   *
   * If all workers sleep by now, none of them would come for the next task: then this worker does not back off. It
   * looks for that after it has taken the role. A worker that goes to sleep later ends the back-off.
   */
  #backOff(node: WaitNode, flow: Flow): Wake {
    const isBackingOff = this.#tryHold(HEADER.BACKOFF)
    const isAlone = isBackingOff && this.#waiters.length >= this.#memory.state.control.workerCount
    const wake = isAlone ? DUE : node.block(flow, BACKOFF_TIME)
    if (isBackingOff) compareAndSet(this.#words, BASE.HEADER + HEADER.BACKOFF, this.#memory.threadContext.token, 0)
    return wake === SIGNALLED ? SIGNALLED : DUE
  }

  /** This worker is about to sleep and cannot take new tasks: the worker that backs off can be woken from now on. */
  #endBackoff(): void {
    if (this.#memory.header(HEADER.BACKOFF) !== 0) this.#memory.setHeader(HEADER.BACKOFF, 0)
  }

  /** Takes one off the number of workers that wait. */
  #promise(): boolean {
    for (;;) {
      const idle = load(this.#words, IDLE)
      if (idle <= 0) return false
      if (compareAndSet(this.#words, IDLE, idle, idle - 1)) return true
    }
  }

  /** Takes this worker off the number of those that wait; false if a task is on its way to it. */
  #withdraw(): boolean {
    if (!this.#promise() && !(this.#isShutDown && this.#store.isEmpty)) return false
    store(this.#words, this.#waits, 0)
    return true
  }

  get #isShutDown(): boolean {
    return !this.#memory.state.control.isRunning
  }

  /** If the dead worker had been promised a task, the count may fall below zero. */
  forgetWaiter(): void {
    add(this.#words, IDLE, -1)
  }
}
