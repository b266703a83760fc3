/**
 * A lock that the task which holds it may lock again; it is free when it was unlocked as often. See {@link Lock} for how
 * to use one.
 *
 * The holder is a task: a thread of a pool, a virtual thread, the program itself. Two flows of one thread are two.
 *
 * Without `fair`, whoever comes when the lock is free gets it, which is faster; with `fair`, who has waited longest.
 *
 * **Death.** If the thread that holds the lock dies, the next one who asks gets it, and `wasAbandoned` is true for as
 * long as that one holds it: what the lock protects may be half changed. See the guide on sharing.
 */
import { compareAndSet, load, read, store, write } from "#atomics"
import { MAX_VALUE, requireBoolean } from "../checks.ts"
import { IllegalMonitorStateError, IllegalStateError } from "../errors.ts"
import { identityOf } from "../identity.ts"
import { currentFlow, type Flow } from "../memory/flow.ts"
import { Shareable, type Shared, SharedMemory } from "../memory/shared-memory.ts"
import type { WaitOptions } from "../memory/waiting.ts"
import { AbstractQueuedSynchronizer, OWN } from "./abstract-queued-synchronizer.ts"
import { Condition, CONDITION_WORDS, type Monitor } from "./condition.ts"
import type { Guard, Lock } from "./lock.ts"

/*
 * How it works
 *
 *     OWNER      the token of the thread that holds it, or 0: changed from 0 by compare-and-set, which decides
 *     FLOW       which of its flows; written and compared by that thread alone
 *     HOLDS      how often it is locked; written by the holder
 *     FAIR       never changes
 *     ABANDONED  1 if the holder took it from a dead thread
 *
 * That one word decides and also says who, is what makes a death at any step harmless: there is no moment at which the
 * lock is taken and nobody knows by whom.
 */
const OWNER = OWN
const FLOW = OWN + 1
const HOLDS = OWN + 2
const FAIR = OWN + 3
const ABANDONED = OWN + 4
const WORDS = OWN + 5

class LockSync extends AbstractQueuedSynchronizer implements Monitor {
  readonly #words: Int32Array
  readonly #token: number
  readonly #fair: boolean

  constructor(memory: SharedMemory) {
    super(memory)
    this.#words = memory.words
    this.#token = memory.here.token
    this.#fair = load(this.#words, FAIR) !== 0
  }

  get isFair(): boolean {
    return this.#fair
  }

  /** Takes the lock if it is free, or the flow's own. */
  barge(flow: Flow, holds = 1): boolean {
    const words = this.#words
    if (compareAndSet(words, OWNER, 0, this.#token)) return this.#own(flow, holds, 0)
    const owner = load(words, OWNER)
    if (owner === this.#token) {
      if (read(words, FLOW) !== (flow.id | 0)) return false
      if (read(words, HOLDS) === MAX_VALUE) throw new IllegalStateError("Maximum lock count exceeded")
      write(words, HOLDS, read(words, HOLDS) + holds)
      return true
    }
    if (owner === 0 || this.memory.here.space.isAlive(owner)) return false
    return compareAndSet(words, OWNER, owner, this.#token) && this.#own(flow, holds, 1)
  }

  #own(flow: Flow, holds: number, abandoned: number): true {
    write(this.#words, FLOW, flow.id | 0)
    write(this.#words, HOLDS, holds)
    write(this.#words, ABANDONED, abandoned)
    return true
  }

  isHeldBy(flow: Flow): boolean {
    return load(this.#words, OWNER) === this.#token && read(this.#words, FLOW) === (flow.id | 0)
  }

  /** Unlocks so often; true if it is free now. */
  letGo(flow: Flow, times: number): boolean {
    // Only its holder can find its own token and flow here: plain reads will do.
    const words = this.#words
    if (read(words, OWNER) !== this.#token || read(words, FLOW) !== (flow.id | 0)) {
      throw new IllegalMonitorStateError("The current task does not hold this lock")
    }
    const left = read(words, HOLDS) - times
    write(words, HOLDS, left)
    if (left > 0) return false
    write(words, FLOW, 0)
    store(words, OWNER, 0)
    return true
  }

  get holds(): number {
    return this.isHeld() ? read(this.#words, HOLDS) : 0
  }

  get wasAbandoned(): boolean {
    return this.isHeld() && read(this.#words, ABANDONED) !== 0
  }

  get isLocked(): boolean {
    const owner = load(this.#words, OWNER)
    return owner !== 0 && this.memory.here.space.isAlive(owner)
  }

  /** @internal Thread, flow and holds of the holder. */
  holder(): { thread: number; flow: number; holds: number } | undefined {
    const thread = load(this.#words, OWNER)
    return thread === 0 ? undefined : { thread, flow: read(this.#words, FLOW), holds: read(this.#words, HOLDS) }
  }

  // ------------------------------------------------------------------ for the base class

  protected override tryAcquire(holds: number): boolean {
    const flow = currentFlow()
    if (this.#fair && this.queue.hasPredecessorOf(flow)) return this.isHeldBy(flow) && this.barge(flow, holds)
    return this.barge(flow, holds)
  }

  protected override tryRelease(holds: number): boolean {
    return this.letGo(currentFlow(), holds)
  }

  protected override isHeldExclusively(): boolean {
    return this.isHeld()
  }

  protected override refuseToBlock(): void {
    if (load(this.#words, OWNER) !== this.#token || this.isHeld()) return
    throw new IllegalStateError(
      "This thread would block for ever: the lock is held by another flow of the same thread, which stands still meanwhile. Use `await lock.lock()`",
    )
  }

  // ------------------------------------------------------------------ for conditions

  isHeld(): boolean {
    return this.isHeldBy(currentFlow())
  }

  unlockAll(): number {
    const { holds } = this
    this.release(holds)
    return holds
  }

  tryLockAgain(holds: number): boolean {
    return this.tryAcquire(holds)
  }
}

export class ReentrantLock extends Shareable implements Lock {
  readonly #sync: LockSync
  readonly #guard: Guard

  constructor(options: { readonly fair?: boolean } | SharedMemory = {}) {
    const memory = options instanceof SharedMemory ? options : create(options)
    super("ReentrantLock", memory)
    this.#sync = new LockSync(memory)
    const unlock = (): void => this.unlock()
    this.#guard = { unlock, [Symbol.dispose]: unlock }
  }

  /** The same lock that another thread has posted. */
  static from(shared: Shared): ReentrantLock {
    return new ReentrantLock(SharedMemory.open("ReentrantLock", shared))
  }

  // ------------------------------------------------------------------ locking

  async lock(wait?: WaitOptions): Promise<Guard> {
    if (wait !== undefined || this.#sync.isFair || !this.#sync.barge(currentFlow())) await this.#sync.acquire(1, wait)
    return this.#guard
  }

  lockSync(): Guard {
    if (this.#sync.isFair || !this.#sync.barge(currentFlow())) this.#sync.acquireSync(1)
    return this.#guard
  }

  async lockInterruptibly(wait?: WaitOptions): Promise<Guard> {
    await this.#sync.acquireInterruptibly(1, wait)
    return this.#guard
  }

  lockInterruptiblySync(): Guard {
    this.#sync.acquireInterruptiblySync(1)
    return this.#guard
  }

  tryLock(): boolean
  tryLock(wait: WaitOptions): Promise<boolean>
  tryLock(wait?: WaitOptions): boolean | Promise<boolean> {
    return wait === undefined ? this.#sync.barge(currentFlow()) : this.#sync.tryAcquireWithin(1, wait)
  }

  tryLockSync(ms: number): boolean {
    return this.#sync.tryAcquireWithinSync(1, ms)
  }

  /** Gives the lock back; free when unlocked as often as locked. `IllegalMonitorStateError` if it is not ours. */
  unlock(): void {
    if (this.#sync.letGo(currentFlow(), 1)) this.#sync.queue.wakeFirst()
  }

  newCondition(): Condition {
    return new Condition(this.#sync, SharedMemory.allocate(CONDITION_WORDS))
  }

  /** The same condition of this lock that another thread has posted. */
  conditionFrom(shared: Shared): Condition {
    return new Condition(this.#sync, SharedMemory.open("Condition", shared))
  }

  // ------------------------------------------------------------------ asking

  get isFair(): boolean {
    return this.#sync.isFair
  }

  get isLocked(): boolean {
    return this.#sync.isLocked
  }

  get isHeldByCurrentThread(): boolean {
    return this.#sync.isHeld()
  }

  /** How often the current task holds it. */
  get holdCount(): number {
    return this.#sync.holds
  }

  /** Whether the current task holds it and got it because the thread that held it before died. */
  get wasAbandoned(): boolean {
    return this.#sync.wasAbandoned
  }

  get hasQueuedThreads(): boolean {
    return this.#sync.hasQueuedThreads
  }

  /** How many tasks wait for the lock; an estimate while they come and go. */
  get queueLength(): number {
    return this.#sync.queueLength
  }

  override toString(): string {
    return `${identityOf(this)}${this.isLocked ? "[Locked]" : "[Unlocked]"}`
  }

  /** @internal */
  get sync(): LockSync {
    return this.#sync
  }
}

function create({ fair = false }: { readonly fair?: boolean }): SharedMemory {
  const memory = SharedMemory.allocate(WORDS)
  store(memory.words, FAIR, requireBoolean("fair", fair) ? 1 : 0)
  return memory
}
