import { compareAndSet, read, store, write } from "#atomics"
import { requireTimeout, typeError } from "../checks.ts"
import { IllegalMonitorStateError, IllegalStateError, InterruptedError } from "../errors.ts"
import { currentFlow, type Flow } from "../memory/flow/flow.ts"
import { CANCELLED, FREE, WAITING } from "../memory/thread/node-pool.ts"
import { type Part, PART } from "../memory/shared/shareables.ts"
import { Shareable, type SharedMemory } from "../memory/shared/shared-memory.ts"
import { NODE } from "../memory/thread/thread-registry.ts"
import { WaitNode } from "../memory/wait/wait-node.ts"
import { EXCLUSIVE, type WaitQueue } from "../memory/wait/wait-queue.ts"
import {
  abortOf,
  awaiting,
  blocking,
  type Steps,
  TIMEOUT,
  timeoutOf,
  type WaitOptions,
} from "../memory/flow/waiting.ts"
import { type LastResort, reacquiring } from "./acquiring.ts"
import { ConditionList, LEFT_BEHIND, LIST_WORDS } from "./condition-list.ts"
import type { QueuedThread } from "./synchronizer-base.ts"
import { runtime } from "#host/runtime/clock"

/*
 * How it works
 *
 * The waiting tasks are in a list that only the holder of the lock touches. A signal takes the first node out of it and
 * offers it to the queue of the lock, where the node then waits as if its task had just asked for the lock; that task
 * is not woken before it is its turn. The STATE of its node decides the outcome of a wait, once:
 *
 *     WAITING -> ENTERED     by the combiner of the lock's queue: it was signalled
 *     WAITING -> CANCELLED   by the waiting task: time-out, interrupt, abort, or a death
 *
 * A cancelled node stays in the list until its task has the lock again and takes it out. If the task does not find it
 * there any more, then a signal chose the node just before the task gave up. The wait then counts as signalled, because
 * that signal must not be lost.
 *
 * (Why does the signal not decide at once, by the same compare-and-set? If its thread died right after that, the node
 * would be neither in the list nor in the queue, and its task would wait for a turn that never comes.)
 *
 * Death. A signal may have been on its way, or have gone to a task that died before it could act on it; no thread can
 * tell. So a death ends every wait without a signal.
 */
const LOCK = LIST_WORDS
export const CONDITION_WORDS: number = LIST_WORDS + 1

/** What a condition needs from its lock. */
export interface Monitor {
  /** The lock itself, the object that a program has. */
  readonly lock: object
  readonly queue: WaitQueue
  /** Whether the current task holds the lock. */
  isHeld(): boolean
  /** Unlocks as often as it was locked, and returns how often, in a form that only `tryLockAgain` reads. */
  unlockAll(): unknown
  /** Locks as often as before, if the lock is free. */
  tryLockAgain(holds: unknown): boolean
  /** A flow is in the queue now that has not tried to get the lock, and will not before it is unlocked. */
  noteQueued(): void
  /**
   * Whether a task that gives the lock up and wants it back at once gets it, even if other tasks wait in the queue.
   */
  readonly isTakenBackAtOnce: boolean
  /**
   * Called by a thread that is about to block until it has the lock: throws if another flow of this thread holds it.
   */
  lastResort(): unknown
}

/** How a task waits. */
interface Manner {
  readonly interruptible: boolean
  readonly abort?: AbortSignal | undefined
  /** Only for a thread that blocks. */
  readonly lastResort?: LastResort
  readonly forever?: boolean
}

/**
 * A place where a task that holds a lock waits until another task, which then holds it, has changed something.
 *
 *     using guard = await lock.lock()
 *     while (buffer.length === 0) await notEmpty.await()
 *
 * `await` gives the lock up entirely, however often it was locked, and has it back, as often, when it returns: also
 * when it throws, and when the time is up. A wait may end without a signal (this happens if a thread dies); hence the
 * loop.
 *
 * Every method needs the lock, and throws `IllegalMonitorStateError` without it.
 *
 * **Memory effects.** Those of the lock: what a task wrote before it signalled and unlocked is visible to the task that
 * goes on.
 */
export class Condition extends Shareable {
  readonly #monitor: Monitor
  readonly #memory: SharedMemory
  readonly #list: ConditionList
  readonly #lock: number

  /**
   * @internal Called by `newCondition()` of a lock. Occupies `CONDITION_WORDS` words from `base` on; `identity` is the
   * lock's, for a new one.
   */
  constructor(monitor: Monitor, memory: SharedMemory, base = 0, identity = 0) {
    super("Condition", memory)
    this.#monitor = monitor
    this.#memory = memory
    this.#list = new ConditionList(memory.threadContext, memory.words, base)
    if (identity !== 0) write(memory.words, base + LOCK, identity)
    this.#lock = read(memory.words, base + LOCK)
  }

  /** @internal */
  get [PART](): Part {
    return { whole: this.#monitor.lock, name: "Condition" }
  }

  // ------------------------------------------------------------------ waiting

  /** Waits for a signal; false if the time is up before one came. `InterruptedError` if interrupted before one came. */
  async await(wait?: WaitOptions): Promise<boolean> {
    return await this.#await(true, wait)
  }

  /** Blocks the thread until a signal comes; false if the time is up before. */
  awaitSync(ms: number = Infinity): boolean {
    requireTimeout("ms", ms)
    return this.#block(true, ms)
  }

  /** Waits for a signal until that moment; false if it came before the signal did. */
  async awaitUntil(deadline: Date, options: { readonly signal?: AbortSignal } = {}): Promise<boolean> {
    return await this.await({ ...options, timeout: timeUntil(deadline) })
  }

  /** Blocks the thread until a signal comes, or that moment; false if it came before the signal did. */
  awaitUntilSync(deadline: Date): boolean {
    return this.awaitSync(timeUntil(deadline))
  }

  /** Waits for a signal, whatever interrupts come; false if the time is up before. */
  async awaitUninterruptibly(wait?: WaitOptions): Promise<boolean> {
    return await this.#await(false, wait)
  }

  /** Blocks the thread until a signal comes, whatever interrupts come. */
  awaitUninterruptiblySync(): void {
    this.#block(false, Infinity)
  }

  // ------------------------------------------------------------------ signalling

  /** Lets the task that has waited longest go on as soon as it has the lock. */
  signal(): void {
    this.#requireHeld()
    const first = this.#offerFirst()
    if (first !== 0) this.#tendQueue(first)
  }

  /** Lets all tasks go on that wait now, in the order in which they came. */
  signalAll(): void {
    this.#requireHeld()
    const first = this.#offerFirst()
    if (first === 0) return
    while (this.#offerFirst() !== 0);
    this.#tendQueue(first)
  }

  /** Makes the queue link the nodes, but wakes no task: unlocking does that. */
  #tendQueue(first: number): void {
    this.#monitor.queue.tend(first)
    this.#monitor.noteQueued()
  }

  #offerFirst(): number {
    const node = this.#list.takeFirst()
    if (node !== 0) this.#monitor.queue.offer(node)
    return node
  }

  // ------------------------------------------------------------------ asking

  /** Whether any task waits here. */
  get hasWaiters(): boolean {
    return this.waitQueueLength > 0
  }

  /** How many tasks wait. */
  get waitQueueLength(): number {
    this.#requireHeld()
    return this.#list.nodes().length
  }

  /** The waiting tasks, longest waiting first. */
  get waitingThreads(): QueuedThread[] {
    this.#requireHeld()
    const { token } = this.#memory.threadContext
    return this.waiters().map(({ thread, flow }) => ({ id: flow >>> 0, isLocal: thread === token }))
  }

  /**
   * @internal Thread and flow of the waiting tasks, longest waiting first; for the holder of the lock, or when no
   * thread changes the list.
   */
  waiters(): { thread: number; flow: number }[] {
    return this.#list.nodes().map((node) => {
      const words = this.#memory.threadContext.registry.reach(node)
      return { thread: read(words, node + NODE.THREAD), flow: read(words, node + NODE.FLOW) }
    })
  }

  /** @internal The number of its lock; 0 if it is part of an object that has only this condition. */
  get identity(): number {
    return this.#lock
  }

  // ------------------------------------------------------------------ inside

  #waiter({ interruptible }: Manner): Flow {
    const flow = currentFlow()
    if (interruptible) flow.throwIfInterrupted()
    this.#requireHeld()
    return flow
  }

  async #await(interruptible: boolean, wait: WaitOptions | undefined): Promise<boolean> {
    const manner = { interruptible, abort: abortOf(wait) }
    const flow = this.#waiter(manner)
    manner.abort?.throwIfAborted()
    if (this.#isPointless(timeoutOf(wait))) return false
    return await awaiting(this.#waiting(flow, manner), wait, "Condition", this)
  }

  /** Whether the time is up before the wait begins, and no other task could get the lock meanwhile. */
  #isPointless(ms: number): boolean {
    return ms <= 0 && this.#monitor.isTakenBackAtOnce
  }

  #block(interruptible: boolean, ms: number): boolean {
    const manner: Manner = { interruptible, lastResort: () => this.#monitor.lastResort(), forever: ms === Infinity }
    const flow = this.#waiter(manner)
    if (manner.forever === true && !this.#memory.isShared) {
      throw new IllegalStateError(
        "This wait could never end: only flows of this thread know the condition, and they stand still while the thread is blocked. Await it instead, or share it with another thread",
      )
    }
    return !this.#isPointless(ms) && blocking(this.#waiting(flow, manner), ms, "Condition")
  }

  *#waiting(flow: Flow, manner: Manner): Steps<boolean> {
    const { threadContext } = this.#memory
    const { deaths } = threadContext.registry
    const node = new WaitNode(threadContext, flow, this.#memory, manner.interruptible, WAITING, EXCLUSIVE)
    const holds = this.#giveLockUp(node)
    let timedOut = false
    let broken: { readonly reason: unknown } | undefined
    try {
      while (node.state === WAITING && threadContext.registry.deaths === deaths && !timedOut) {
        if (manner.forever === true) manner.lastResort?.()
        timedOut = (yield node) === TIMEOUT
      }
    } catch (reason) {
      broken = { reason }
    }
    const gaveUp = compareAndSet(threadContext.registry.words, node.index + NODE.STATE, WAITING, CANCELLED)
    yield* this.#lockAgain(flow, node, gaveUp, holds, manner.lastResort)
    const signalled = !gaveUp || !this.#withdraw(node)
    if (broken === undefined) return signalled || !timedOut
    if (!signalled) throw broken.reason
    // The interrupt came after the signal, so it is not for this wait. (An AbortSignal stays aborted by itself.)
    if (broken.reason instanceof InterruptedError && broken.reason !== manner.abort?.reason) flow.interrupt()
    return true
  }

  #giveLockUp(node: WaitNode): unknown {
    this.#list.append(node.index)
    try {
      return this.#monitor.unlockAll()
    } catch (error) {
      this.#withdraw(node) // a subclass of the synchronizer refuses to release, so this task still has the lock
      throw error
    }
  }

  *#lockAgain(flow: Flow, node: WaitNode, gaveUp: boolean, holds: unknown, last?: LastResort): Steps<void> {
    const { queue } = this.#monitor
    const entered = gaveUp ? queue.enter(flow, EXCLUSIVE, false) : node
    try {
      yield* reacquiring(queue, flow, entered, () => this.#monitor.tryLockAgain(holds), last)
    } catch (error) {
      if (gaveUp) this.#leaveBehind(node)
      throw error
    }
  }

  /** Takes out a cancelled node; false if it is not in the list any more, because a signal has chosen it. */
  #withdraw(node: WaitNode): boolean {
    const found = this.#list.remove(node.index)
    if (!found) this.#monitor.queue.settle() // after this no combiner handles the node any more
    store(this.#memory.threadContext.registry.words, node.index + NODE.STATE, FREE)
    node.end()
    return found
  }

  /**
   * Leaves the node in the list: without the lock, which could not be had again, this task must not change the list.
   */
  #leaveBehind(node: WaitNode): void {
    compareAndSet(this.#memory.threadContext.registry.words, node.index + NODE.STATE, CANCELLED, LEFT_BEHIND)
    node.end()
  }

  #requireHeld(): void {
    if (!this.#monitor.isHeld()) {
      throw new IllegalMonitorStateError("The current task does not hold the lock of this condition")
    }
  }
}

/** Once it is computed, a change of the wall clock does not matter any more. */
function timeUntil(deadline: Date): number {
  if (!(deadline instanceof Date) || Number.isNaN(deadline.getTime())) throw typeError("deadline", "a Date", deadline)
  return deadline.getTime() - runtime.wallTime()
}
