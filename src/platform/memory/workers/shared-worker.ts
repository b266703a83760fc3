import { compareAndSet, exchange, load, store, write } from "#atomics"
import { type Flow, mainFlow } from "../../../memory/flow/flow.ts"
import type { ThreadContext } from "../../../memory/thread/thread-context.ts"
import type { Worker } from "../../../core/worker.ts"
import { WORKER } from "../layout.ts"
import type { PoolMemory } from "../pool-memory.ts"
import {
  ENDING,
  entryOf,
  FREE,
  HALT,
  LEAVING,
  POOL,
  REQUESTED,
  reservedBy,
  RUNNING,
  STARTING,
  type TEARDOWN,
  UNCOUNTING,
} from "./worker-line.ts"
import { runtime } from "#host/runtime/clock"

const HIGH = 2 ** 32

/**
 * A worker of a pool, on a thread of its own: a line of the worker table, which every thread can read. worker-line.ts
 * says what its words mean. The methods of the first part are for the worker itself.
 */
export class SharedWorker implements Worker<number> {
  readonly number: number
  thread: object | undefined // in the thread that owns the pool
  readonly #memory: PoolMemory
  readonly #words: Int32Array
  readonly #threadContext: ThreadContext
  readonly #entry: number
  readonly #start: (worker: SharedWorker) => void
  /** TASK, as the worker itself knows it. */
  #task: number | undefined
  /** COMPLETED, as the worker itself knows it. */
  #completed = 0
  /** Whether COMPLETED includes the current run of the current task. */
  #isCounted = false
  /** This thread was the worker, and has left. */
  #gone = false
  /** Called when the worker, on this thread, leaves. */
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

  /** The worker begins. Its first task, if any, is its current task. */
  begin(): void {
    this.#completed = this.completed // the worker that had this line before does not write any more
    store(this.#words, this.#entry + WORKER.TOKEN, this.#threadContext.token)
    store(this.#words, this.#entry + WORKER.STATUS, RUNNING)
    this.#task = this.currentSlot || undefined
  }

  /** The index of the CLAIM. */
  get claim(): number {
    return this.#entry + WORKER.CLAIM
  }

  /** Drops the claim: the claimed slot no longer concerns this worker. */
  disclaim(): void {
    store(this.#words, this.#entry + WORKER.CLAIM, 0)
  }

  get task(): number | undefined {
    return this.#task
  }

  get currentTask(): number {
    return this.#task as number
  }

  /** The worker has got the task that it waited for. */
  accept(task: number): void {
    this.hold(task)
    write(this.#words, this.#entry + WORKER.WAITS, 0)
  }

  /** Makes the task the current one. The worker may still wait for another task. */
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

  /**
   * Ends {@link hold} for a task that the worker ran while it waited for another one. That one may have arrived
   * meanwhile and is then the current task.
   */
  rest(task: number): void {
    if (this.#task === task) this.release()
    this.#memory.ringIfIdle()
  }

  /**
   * The current task is going back into the queue. From now on the task cannot be interrupted here, and its run counts.
   * If this thread dies before {@link hasReturned}, the owner puts the task back.
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

  /** The run of the current task is over. No effect if it has been counted. */
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
    this.works(false)
    this.#changePhase(this.#threadContext.token)
  }

  /** The worker is in the code of the pool, between two tasks; or no longer. */
  works(isIn: boolean): void {
    this.#threadContext.stretch(isIn)
  }

  /** The pool has stopped, and the worker is about to leave. From now on it is not terminated. */
  depart(): void {
    this.#changePhase(LEAVING)
  }

  /** The worker is about to count itself down; or it stays after all. */
  countsDown(isSo: boolean): void {
    const at = this.#entry + WORKER.STATUS
    compareAndSet(this.#words, at, isSo ? RUNNING : UNCOUNTING, isSo ? UNCOUNTING : RUNNING)
  }

  #changePhase(phase: number): void {
    const at = this.#entry + WORKER.PHASE
    if (!compareAndSet(this.#words, at, POOL, phase) && load(this.#words, at) === HALT) this.#threadContext.halt()
  }

  /** Whether the worker runs user code. True if the thread is not this line's worker: it has nothing to leave. */
  get isInUserCode(): boolean {
    return load(this.#words, this.#entry + WORKER.PHASE) !== POOL || this.token !== this.#threadContext.token
  }

  /**
   * Whether the worker has given up its line, which another worker may have by now. Its thread is about to end; until
   * then its microtasks still run.
   */
  get hasLeft(): boolean {
    return this.#gone
  }

  leaveUserCode(): void {
    this.#threadContext.haltIfLeft()
    // If the owner has decided to terminate this thread, it has taken over the task.
    if (!compareAndSet(this.#words, this.#entry + WORKER.PHASE, this.#threadContext.token, POOL))
      this.#threadContext.halt()
  }

  /** The task inside of which the current one runs; it is linked to the task inside of which it runs itself. */
  get below(): number {
    return load(this.#words, this.#entry + WORKER.BELOW)
  }

  set below(slot: number) {
    store(this.#words, this.#entry + WORKER.BELOW, slot)
  }

  /** The first of the tasks under way beside the current one. */
  get beside(): number {
    return load(this.#words, this.#entry + WORKER.BESIDE)
  }

  set beside(slot: number) {
    store(this.#words, this.#entry + WORKER.BESIDE, slot)
  }

  /** Asks the owner, by a number, for a hook. The answer replaces the number. */
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

  // ------------------------------------------------------------------ by any thread

  get status(): number {
    return load(this.#words, this.#entry + WORKER.STATUS)
  }

  /** Whether the worker has begun and has not left. */
  get isCounted(): boolean {
    const { status } = this
    return status === RUNNING || status === UNCOUNTING
  }

  get token(): number {
    return load(this.#words, this.#entry + WORKER.TOKEN)
  }

  /** The slot of the current task; 0 if there is none. */
  get currentSlot(): number {
    return load(this.#words, this.#entry + WORKER.TASK)
  }

  /** Whether exactly this task is the current one. */
  holds(slot: number, handle: number): boolean {
    return this.currentSlot === slot && load(this.#words, this.#entry + WORKER.HANDLE) === handle
  }

  /** The handle of the current task. */
  get handle(): number {
    return load(this.#words, this.#entry + WORKER.HANDLE)
  }

  /** The slot that the worker is about to take, or has taken and not yet accepted. */
  get claimed(): number {
    return load(this.#words, this.#entry + WORKER.CLAIM)
  }

  /** Only the worker itself sets it. */
  set claimed(slot: number) {
    store(this.#words, this.#entry + WORKER.CLAIM, slot)
  }

  /** Whether the worker waits for a task by hand-over, or has just been promised one. */
  get waits(): boolean {
    return load(this.#words, this.#entry + WORKER.WAITS) !== 0 && this.currentSlot === 0
  }

  /**
   * How many tasks this worker and those before it in this line have completed. Read as a Counter is
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

  /** Whether COMPLETED includes the current task. Only for a dead worker. */
  get hasCounted(): boolean {
    return load(this.#words, this.#entry + WORKER.COUNTED) !== load(this.#words, this.#entry + WORKER.COMPLETED)
  }

  get isBusy(): boolean {
    return this.currentSlot !== 0 || this.returning !== 0 || this.beside !== 0
  }

  /** The slot that the worker is putting back into the queue; 0 if there is none. */
  get returning(): number {
    return load(this.#words, this.#entry + WORKER.RETURNS)
  }

  get isInterrupted(): boolean {
    const { token } = this
    return token !== 0 && this.#threadContext.registry.isInterrupted(token)
  }

  get isAlive(): boolean {
    const { token } = this
    return token === 0 || this.#threadContext.registry.isAlive(token)
  }

  /**
   * Whether the thread has died without the worker having left. The order of the two reads matters: a worker that
   * leaves is counted down, frees its line and then dies, and all of that may happen between the reads.
   */
  get hasDied(): boolean {
    return !this.isAlive && this.isCounted
  }

  interrupt(): void {
    const { token } = this
    if (token === this.#threadContext.token) mainFlow.interrupt()
    else if (token !== 0) this.#threadContext.registry.interrupt(token) // else it will read the pool's state
  }

  /** The number that the worker asks by, or the answer. */
  get asked(): number {
    return load(this.#words, this.#entry + WORKER.ASK)
  }

  answer(what: number): void {
    store(this.#words, this.#entry + WORKER.ASK, what)
    this.#threadContext.wake(this.token, load(this.#words, this.#entry + WORKER.BELL))
  }

  /** The task with this handle was interrupted: asks the owner to make sure that it stops. */
  requestStop(handle: number): void {
    store(this.#words, this.#entry + WORKER.STOP, handle)
    this.#memory.ringOwner()
  }

  /** The handle of {@link requestStop}, once; 0 if there is none. */
  takeStop(): number {
    if (load(this.#words, this.#entry + WORKER.STOP) === 0) return 0
    return exchange(this.#words, this.#entry + WORKER.STOP, 0)
  }

  /** The owner begins to make the thread. False if no thread was requested. */
  take(): boolean {
    return compareAndSet(this.#words, this.#entry + WORKER.STATUS, REQUESTED, STARTING)
  }

  /** From now on the owner may make the thread. */
  request(): void {
    compareAndSet(this.#words, this.#entry + WORKER.STATUS, reservedBy(this.#threadContext.token), REQUESTED)
  }

  start(): void {
    this.request()
    this.#start(this)
  }

  /** True if the thread may be terminated now: the caller must terminate it. */
  markTerminating(): boolean {
    return this.#haltFrom(this.token)
  }

  /** The same for a worker in the code of the pool: it should have left, or have let go of its task, long ago. */
  markStaying(): boolean {
    return this.#haltFrom(POOL) || this.#haltFrom(this.token)
  }

  /** The same, unless the worker has entered user code by now. */
  markHeldUp(): boolean {
    return this.#haltFrom(POOL) || this.#haltFrom(LEAVING)
  }

  #haltFrom(phase: number): boolean {
    if (!compareAndSet(this.#words, this.#entry + WORKER.PHASE, phase, HALT)) return false
    this.#threadContext.registry.silence(this.token)
    return true
  }

  /** The worker has left: frees the line, unless the thread is ending. What the worker has completed stays counted. */
  vacate(next: typeof FREE | typeof TEARDOWN = FREE): void {
    const { status } = this
    // A thread that has left may have reserved its own line again, for another worker.
    if (compareAndSet(this.#words, this.#entry + WORKER.STATUS, reservedBy(this.#threadContext.token), FREE)) return
    if (this.#gone || status === FREE || status === ENDING) return
    this.#gone = this.token === this.#threadContext.token // another worker may have the line soon
    if (this.#gone) this.onLeft?.()
    store(this.#words, this.#entry + WORKER.STATUS, next)
  }

  /** The pool no longer relies on the worker. Its thread may still use the line, which is freed when it has stopped. */
  retire(): void {
    store(this.#words, this.#entry + WORKER.STATUS, ENDING)
  }

  /** The thread of a retired worker has stopped. */
  free(): void {
    compareAndSet(this.#words, this.#entry + WORKER.STATUS, ENDING, FREE)
  }
}
