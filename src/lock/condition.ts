/**
 * A place where a task that holds a lock can wait until another one, which then holds it, has changed something.
 *
 *     using guard = await lock.lock()
 *     while (buffer.length === 0) await notEmpty.await()
 *
 * `await` gives the lock up entirely, however often it was locked, and has it back, as often, when it returns: also when
 * it throws, and when the time is up. A wait may end without a signal (this happens if a thread dies); hence the loop.
 */
import { compareAndSet, read, store, write } from "#atomics"
import { IllegalMonitorStateError, InterruptedError } from "../errors.ts"
import { currentFlow, type Flow } from "../memory/flow.ts"
import { CANCELLED, FREE, WAITING } from "../memory/node-pool.ts"
import { type Handle, Shareable, type SharedMemory } from "../memory/shared-memory.ts"
import { NODE } from "../memory/space.ts"
import { WaitNode } from "../memory/wait-node.ts"
import { EXCLUSIVE, type WaitQueue } from "../memory/wait-queue.ts"
import { awaiting, blocking, type Steps, TIMEOUT, type WaitOptions } from "../memory/waiting.ts"
import { reacquiring } from "./acquiring.ts"

/*
 * How it works
 *
 * Those who wait are in a list, linked by CONDITION_NEXT, that only the holder of the lock touches. A signal takes the first
 * node out of it and offers it to the queue of the lock, where it then stands as if its task had just asked for the lock; that
 * task is not woken before it is its turn. What becomes of a wait is decided by its node's STATE, once:
 *
 *     WAITING -> ENTERED     by whoever tends the lock's queue: it was signalled
 *     WAITING -> CANCELLED   by the waiting task: time-out, interrupt, abort, or a death
 *
 * A cancelled node stays in the list until its task has the lock again and takes it out.
 *
 * Death. The holder of the lock may die while it changes the list. The order of the stores is such that the list is
 * whole at each step, and misses at most the node of the dead. A signal may have been on its way, or have gone to a task
 * that died before it could act on it; nobody can tell. So a death ends every wait without a signal.
 */
const HEAD = 0
const TAIL = 1
export const CONDITION_WORDS = 2

/** What a condition needs of its lock. */
export interface Monitor {
  readonly queue: WaitQueue
  /** Whether the current task holds the lock. */
  isHeld(): boolean
  /** Unlocks as often as it was locked, and says how often. */
  unlockAll(): number
  /** Locks so often, if the lock is free. */
  tryLockAgain(holds: number): boolean
}

export class Condition extends Shareable {
  readonly #monitor: Monitor
  readonly #memory: SharedMemory
  readonly #words: Int32Array

  /** @internal By `newCondition()` of a lock. */
  constructor(monitor: Monitor, memory: SharedMemory) {
    super("Condition", memory)
    this.#monitor = monitor
    this.#memory = memory
    this.#words = memory.words
  }

  /** Waits for a signal; false if the time is up before one came. `InterruptedError` if interrupted before one came. */
  async await(wait?: WaitOptions): Promise<boolean> {
    this.#requireHeld()
    const flow = currentFlow()
    flow.throwIfInterrupted()
    return await awaiting(this.#waiting(flow, true), wait)
  }

  awaitSync(ms: number = Infinity): boolean {
    this.#requireHeld()
    const flow = currentFlow()
    flow.throwIfInterrupted()
    return blocking(this.#waiting(flow, true), ms)
  }

  /** Waits for a signal, whatever interrupts come. */
  async awaitUninterruptibly(wait?: WaitOptions): Promise<boolean> {
    this.#requireHeld()
    return await awaiting(this.#waiting(currentFlow(), false), wait)
  }

  awaitUninterruptiblySync(): void {
    this.#requireHeld()
    blocking(this.#waiting(currentFlow(), false))
  }

  /** Lets the task go on that has waited longest. */
  signal(): void {
    this.#requireHeld()
    if (this.#offerFirst()) this.#monitor.queue.tend()
  }

  /** Lets all go on that wait now. */
  signalAll(): void {
    this.#requireHeld()
    let any = false
    while (this.#offerFirst()) any = true
    if (any) this.#monitor.queue.tend()
  }

  get hasWaiters(): boolean {
    this.#requireHeld()
    return this.#waitingNodes().length > 0
  }

  /** How many wait. */
  get waitQueueLength(): number {
    this.#requireHeld()
    return this.#waitingNodes().length
  }

  /** @internal Thread and flow of those who wait, longest waiting first; for the holder of the lock, or when all is quiet. */
  waiters(): { thread: number; flow: number }[] {
    return this.#waitingNodes().map((node) => ({
      thread: this.#read(node, NODE.THREAD),
      flow: this.#read(node, NODE.FLOW),
    }))
  }

  // ------------------------------------------------------------------ waiting

  *#waiting(flow: Flow, interruptible: boolean): Steps<boolean> {
    const { here } = this.#memory
    const { deaths } = here.space
    const node = new WaitNode(here, flow, this.#memory, interruptible, WAITING, EXCLUSIVE)
    this.#append(node.index)
    const holds = this.#monitor.unlockAll()
    let timedOut = false
    let broken: { readonly reason: unknown } | undefined
    try {
      while (node.state === WAITING && here.space.deaths === deaths && !timedOut) timedOut = (yield node) === TIMEOUT
    } catch (reason) {
      broken = { reason }
    }
    const signalled = !compareAndSet(here.space.words, node.index + NODE.STATE, WAITING, CANCELLED)
    yield* this.#lockAgain(flow, signalled ? node : undefined, holds)
    if (!signalled) this.#withdraw(node)
    if (broken !== undefined && (!signalled || !(broken.reason instanceof InterruptedError))) throw broken.reason
    if (broken !== undefined) flow.interrupt() // it came after the signal: not for this wait
    return signalled || !timedOut
  }

  *#lockAgain(flow: Flow, entered: WaitNode | undefined, holds: number): Steps<void> {
    const { queue } = this.#monitor
    const node = entered ?? queue.enter(flow, EXCLUSIVE, false)
    yield* reacquiring(queue, flow, node, () => this.#monitor.tryLockAgain(holds))
  }

  // ------------------------------------------------------------------ the list; by the holder of the lock

  #append(node: number): void {
    this.#write(node, NODE.CONDITION_NEXT, 0)
    if (this.#word(HEAD) === 0) {
      write(this.#words, TAIL, node) // first: TAIL counts for nothing while there is no HEAD
      write(this.#words, HEAD, node)
    } else {
      this.#write(this.#word(TAIL), NODE.CONDITION_NEXT, node)
      write(this.#words, TAIL, node)
    }
  }

  /** Offers the first who still waits, and lives, to the queue of the lock; false if there is none. */
  #offerFirst(): boolean {
    for (let node = this.#word(HEAD); node !== 0; node = this.#word(HEAD)) {
      write(this.#words, HEAD, this.#read(node, NODE.CONDITION_NEXT))
      if (this.#read(node, NODE.STATE) !== WAITING) continue
      if (!this.#memory.here.space.isAlive(this.#read(node, NODE.THREAD))) {
        store(this.#memory.here.space.words, node + NODE.STATE, FREE)
        continue
      }
      this.#monitor.queue.offer(node)
      return true
    }
    return false
  }

  /** Takes out a node that gave up, and makes sure that nobody has it in hands. */
  #withdraw(node: WaitNode): void {
    let before = 0
    for (let at = this.#word(HEAD); at !== 0 && at !== node.index; at = this.#read(at, NODE.CONDITION_NEXT)) before = at
    const next = this.#read(node.index, NODE.CONDITION_NEXT)
    if (this.#word(HEAD) === node.index) write(this.#words, HEAD, next)
    else if (before !== 0 && this.#read(before, NODE.CONDITION_NEXT) === node.index) {
      if (next === 0) write(this.#words, TAIL, before) // first: what comes after TAIL counts for nothing
      this.#write(before, NODE.CONDITION_NEXT, next)
    }
    // If it was signalled after all, it is on its way into the queue: not after this.
    this.#monitor.queue.settle()
    store(this.#memory.here.space.words, node.index + NODE.STATE, FREE)
    node.end()
  }

  #waitingNodes(): number[] {
    const nodes: number[] = []
    for (let node = this.#word(HEAD); node !== 0; node = this.#read(node, NODE.CONDITION_NEXT)) {
      if (this.#read(node, NODE.STATE) === WAITING) nodes.push(node)
    }
    return nodes
  }

  #requireHeld(): void {
    if (!this.#monitor.isHeld()) {
      throw new IllegalMonitorStateError("The current task does not hold the lock of this condition")
    }
  }

  #word(word: number): number {
    return read(this.#words, word)
  }

  #read(node: number, word: number): number {
    return read(this.#memory.here.space.reach(node), node + word)
  }

  #write(node: number, word: number, value: number): void {
    write(this.#memory.here.space.reach(node), node + word, value)
  }
}

export type { Handle }
