import { compareAndSet, exchange, load, store, write } from "#atomics"
import { type Flow, mainFlow } from "../../memory/flow/flow.ts"
import type { ThreadContext } from "../../memory/thread/thread-context.ts"
import { LINE } from "../../memory/layout.ts"
import { THREAD } from "../../memory/thread/thread-registry.ts"
import type { Worker } from "../../core/worker.ts"
import { BASE, WORKER } from "./layout.ts"
import type { PoolMemory } from "./pool-memory.ts"
import { runtime } from "../../time/runtime.ts"

/** Values of STATUS. */
export const FREE = 0
export const REQUESTED = 1
export const STARTING = 2
export const RUNNING = 3
export const RESERVED = 4
export const ENDING = 5

/** Values of PHASE. */
const POOL = 0
const CONDEMNED = -1

const HIGH = 2 ** 32

/** Where the line of the worker with this number begins. */
export function entryOf(number: number): number {
  return BASE.WORKER_TABLE + number * LINE
}

/**
 * A worker of a pool, on a thread of its own: a line of shared memory, which everybody can read.
 *
 *     STATUS     FREE -> RESERVED      by whoever admits a worker, and then writes the rest; TASK is its first task, if any
 *                RESERVED -> REQUESTED by the same, when nothing can keep it from that any more
 *                REQUESTED -> STARTING by the owner, who makes the thread
 *                STARTING -> RUNNING   by the thread, which then writes its TOKEN
 *                RUNNING -> ENDING     by the owner, who has told the thread to end and does not count on it any more
 *                any -> FREE           by the worker when it leaves, or by the owner if its thread has stopped
 *     TASK       the slot in hand; the worker's own, except before it runs
 *     CLAIM      the slot that it is about to take out of the queue (memory/structures/ring.ts)
 *     RETURNS    a periodic task that it has run, let go of, and puts back into the queue
 *     HANDLE     that of TASK: a slot may be in use again before the worker has let go of it
 *     PHASE      POOL, or its token while it runs code of the user's: only there may it be killed. Then CONDEMNED by who
 *                kills it; if it comes back in spite of that, it goes no further
 *     COMPLETED  how many tasks have been completed in this place, in two words, by all who were ever here: it stays when a
 *                worker leaves, and the next one counts on from there, so that the sum over all places never falls
 *     COUNTED    what COMPLETED was before TASK: should the worker die, the owner sees whether TASK has been counted
 */
export class SharedWorker implements Worker<number> {
  readonly number: number
  readonly #memory: PoolMemory
  readonly #words: Int32Array
  readonly #threadContext: ThreadContext
  readonly #entry: number
  readonly #start: (worker: SharedWorker) => void
  /** The same as TASK, for the worker itself. */
  #task: number | undefined
  /** The same as COMPLETED, for the worker itself. */
  #completed = 0
  /** Whether the run of the task in hand is among these. */
  #isCounted = false
  /** The worker itself has left. */
  #gone = false
  /** Is told when it does. */
  onLeft: (() => void) | undefined

  constructor(memory: PoolMemory, number: number, start: (worker: SharedWorker) => void) {
    this.number = number
    this.#memory = memory
    this.#words = memory.words
    this.#threadContext = memory.threadContext
    this.#entry = entryOf(number)
    this.#start = start
  }

  // ------------------------------------------------------------------ by the worker itself

  get flow(): Flow {
    return mainFlow
  }

  /** It has begun: its first task is in its hand. */
  begin(): void {
    this.#completed = this.completed // the worker that had this place before does not write any more
    store(this.#words, this.#entry + WORKER.TOKEN, this.#threadContext.token)
    store(this.#words, this.#entry + WORKER.STATUS, RUNNING)
    this.#task = this.currentSlot || undefined
  }

  /** The index of its CLAIM. */
  get claim(): number {
    return this.#entry + WORKER.CLAIM
  }

  /** Whatever it has claimed is none of its business any more. */
  disclaim(): void {
    store(this.#words, this.#entry + WORKER.CLAIM, 0)
  }

  get task(): number | undefined {
    return this.#task
  }

  get currentTask(): number {
    return this.#task as number
  }

  /** It has got the task that it waited for. */
  accept(task: number): void {
    this.hold(task)
    write(this.#words, this.#entry + WORKER.WAITS, 0)
  }

  /** The task is in its hand from now on; it may still wait for another one. */
  hold(task: number): void {
    this.#task = task
    write(this.#words, this.#entry + WORKER.HANDLE, this.#memory.slots.handleOf(task))
    write(this.#words, this.#entry + WORKER.COUNTED, this.#completed | 0)
    store(this.#words, this.#entry + WORKER.TASK, task)
  }

  release(): void {
    this.#task = undefined
    write(this.#words, this.#entry + WORKER.CLAIM, 0)
    store(this.#words, this.#entry + WORKER.TASK, 0)
  }

  /** Ends that for what was run while it waited for another task; it may have got one meanwhile. */
  rest(task: number): void {
    if (this.#task === task) this.release()
    this.#memory.ringIfIdle()
  }

  /**
   * The task in hand is going back into the queue: from now on it cannot be interrupted here any more, and its run
   * counts. Should this thread die before {@link hasReturned}, the owner puts it back.
   */
  letGo(): void {
    store(this.#words, this.#entry + WORKER.RETURNS, this.currentTask)
    store(this.#words, this.#entry + WORKER.TASK, 0)
    this.countCompleted()
    this.#isCounted = true
  }

  hasReturned(): void {
    store(this.#words, this.#entry + WORKER.RETURNS, 0)
  }

  /** The run of the task in hand is over. No effect if it has been counted. */
  countCompleted(): void {
    if (this.#isCounted) {
      this.#isCounted = false
      return
    }
    const count = ++this.#completed
    write(this.#words, this.#entry + WORKER.COMPLETED, count | 0)
    if (count % HIGH === 0) store(this.#words, this.#entry + WORKER.COMPLETED + 1, count / HIGH)
  }

  enterUserCode(): void {
    store(this.#words, this.#entry + WORKER.PHASE, this.#threadContext.token)
  }

  /** Whether it is there; otherwise, for code of the user's that runs beside all tasks, there is nothing to leave. */
  get isInUserCode(): boolean {
    return load(this.#words, this.#entry + WORKER.PHASE) !== POOL || this.token !== this.#threadContext.token
  }

  /**
   * Whether it has given up its place, which may be another's by now. Its thread is about to end; until then microtasks
   * run on there.
   */
  get hasLeft(): boolean {
    return this.#gone
  }

  leaveUserCode(): void {
    this.#threadContext.haltIfLeft()
    // Condemned: its task is another's by now.
    if (!compareAndSet(this.#words, this.#entry + WORKER.PHASE, this.#threadContext.token, POOL))
      this.#threadContext.halt()
  }

  /** The task in the midst of which the one in hand is run; it is linked to that beneath it. */
  get below(): number {
    return load(this.#words, this.#entry + WORKER.BELOW)
  }

  set below(slot: number) {
    store(this.#words, this.#entry + WORKER.BELOW, slot)
  }

  /** The first of the tasks that are under way beside the one in hand. */
  get beside(): number {
    return load(this.#words, this.#entry + WORKER.BESIDE)
  }

  set beside(slot: number) {
    store(this.#words, this.#entry + WORKER.BESIDE, slot)
  }

  /** Asks the owner for something, by a number; the answer takes its place. */
  ask(what: number, bell: number): void {
    store(this.#words, this.#entry + WORKER.BELL, bell)
    store(this.#words, this.#entry + WORKER.ASK, what)
    this.#memory.ringOwner()
  }

  reportUncaught(error: unknown): void {
    runtime.microtask(() => {
      throw error
    })
  }

  // ------------------------------------------------------------------ by anybody

  get status(): number {
    return load(this.#words, this.#entry + WORKER.STATUS)
  }

  get token(): number {
    return load(this.#words, this.#entry + WORKER.TOKEN)
  }

  /** The slot in its hand; 0 if there is none. */
  get currentSlot(): number {
    return load(this.#words, this.#entry + WORKER.TASK)
  }

  /** Whether it has this very task in hand. */
  holds(slot: number, handle: number): boolean {
    return this.currentSlot === slot && load(this.#words, this.#entry + WORKER.HANDLE) === handle
  }

  /** The handle of the slot in its hand. */
  get handle(): number {
    return load(this.#words, this.#entry + WORKER.HANDLE)
  }

  /** The slot that it was about to take, or has taken and not yet accepted. */
  get claimed(): number {
    return load(this.#words, this.#entry + WORKER.CLAIM)
  }

  /** By the worker itself. */
  set claimed(slot: number) {
    store(this.#words, this.#entry + WORKER.CLAIM, slot)
  }

  /** Whether it waits for a task that is handed over to it, or has just been. */
  get waits(): boolean {
    return load(this.#words, this.#entry + WORKER.WAITS) !== 0 && this.currentSlot === 0
  }

  /**
   * How many tasks have been completed in this place, by this worker and those before it. Read as a Counter is
   * (memory/structures/counter.ts).
   */
  get completed(): number {
    const low = this.#entry + WORKER.COMPLETED
    for (;;) {
      const high = load(this.#words, low + 1)
      const count = high * HIGH + (load(this.#words, low) >>> 0)
      if (load(this.#words, low + 1) === high) return count
    }
  }

  /** Whether the task in its hand is among those. Only of one that is dead. */
  get hasCounted(): boolean {
    return load(this.#words, this.#entry + WORKER.COUNTED) !== load(this.#words, this.#entry + WORKER.COMPLETED)
  }

  get isBusy(): boolean {
    return this.currentSlot !== 0 || this.returning !== 0 || this.beside !== 0
  }

  /** The slot that it is putting back into the queue; 0 if there is none. */
  get returning(): number {
    return load(this.#words, this.#entry + WORKER.RETURNS)
  }

  get isInterrupted(): boolean {
    const { token } = this
    return (
      token !== 0 &&
      load(this.#threadContext.registry.words, this.#threadContext.registry.entryOf(token) + THREAD.INTERRUPT) !== 0
    )
  }

  get isAlive(): boolean {
    const { token } = this
    return token === 0 || this.#threadContext.registry.isAlive(token)
  }

  /**
   * Whether its thread has died and it had not left. In this order: one that leaves is counted down, gives up its place
   * and then dies, all of which may happen while its status is on the way to who asks.
   */
  get hasDied(): boolean {
    return !this.isAlive && this.status === RUNNING
  }

  interrupt(): void {
    const { token } = this
    if (token === this.#threadContext.token) mainFlow.interrupt()
    else if (token !== 0) this.#threadContext.registry.interrupt(token) // else it has not begun, and looks at the pool's state when it does
  }

  /** What it asks for, or has been answered. */
  get asked(): number {
    return load(this.#words, this.#entry + WORKER.ASK)
  }

  answer(what: number): void {
    store(this.#words, this.#entry + WORKER.ASK, what)
    this.#threadContext.wake(this.token, load(this.#words, this.#entry + WORKER.BELL))
  }

  /** The task with this handle was interrupted: the owner is to see that it stops. */
  requestStop(handle: number): void {
    store(this.#words, this.#entry + WORKER.STOP, handle)
    this.#memory.ringOwner()
  }

  /** Whether that is asked for; once. */
  takeStop(): number {
    if (load(this.#words, this.#entry + WORKER.STOP) === 0) return 0
    return exchange(this.#words, this.#entry + WORKER.STOP, 0)
  }

  /** By the owner: from now on the thread is being made. False if it was not requested. */
  take(): boolean {
    return compareAndSet(this.#words, this.#entry + WORKER.STATUS, REQUESTED, STARTING)
  }

  /** From now on the owner may make the thread. */
  request(): void {
    compareAndSet(this.#words, this.#entry + WORKER.STATUS, RESERVED, REQUESTED)
  }

  start(): void {
    this.request()
    this.#start(this)
  }

  /** True if it may be killed now, and then it must be. */
  markTerminating(): boolean {
    return compareAndSet(this.#words, this.#entry + WORKER.PHASE, this.token, CONDEMNED)
  }

  /** Its place is free, unless its thread is still ending. What it has completed stays counted there. */
  vacate(): void {
    const { status } = this
    if (this.#gone || status === FREE || status === ENDING) return
    this.#gone = this.token === this.#threadContext.token // the place may be another's soon
    if (this.#gone) this.onLeft?.()
    store(this.#words, this.#entry + WORKER.STATUS, FREE)
  }

  /**
   * The pool does not count on it any more. But its thread may still be there, in the user's code, and use the place:
   * that is free when the thread is known to have stopped.
   */
  retire(): void {
    store(this.#words, this.#entry + WORKER.STATUS, ENDING)
  }

  /** The thread of one that has retired has stopped. */
  free(): void {
    compareAndSet(this.#words, this.#entry + WORKER.STATUS, ENDING, FREE)
  }
}
