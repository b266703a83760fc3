import { IS_TAKEN_BACK_AT_ONCE, MEMORY, NOTE_QUEUED, WAIT_QUEUE, REFUSE_TO_BLOCK, WAITED_FOR } from "./internals.ts"
import { compareAndSet, exchange, load, read, store, write } from "#atomics"
import { MAX_VALUE } from "../checks.ts"
import { IllegalMonitorStateError, IllegalStateError } from "../errors.ts"
import { currentFlow, type Flow, mainFlow } from "../memory/flow/flow.ts"
import type { WaitedFor } from "../observing.ts"
import { SharedMemory } from "../memory/shared/shared-memory.ts"
import { AbstractQueuedSynchronizer } from "./abstract-queued-synchronizer.ts"
import { OWN, STATE } from "./synchronizer-base.ts"

const OWNER = OWN
const FLOW = OWN + 1
const HOLDS = STATE
const FAIR = OWN + 2
const ABANDONED = OWN + 3
export const LOCK_WORDS: number = OWN + 4

/** The sign: tokens are positive. */
const CONTENDED = -(2 ** 31)
const TOKEN = 2 ** 31 - 1

/**
 * The synchronizer inside of ReentrantLock: which flow holds it, and how often.
 *
 *     OWNER      the token of the thread that holds it, or 0: changed from 0 by compare-and-set, which decides;
 *                and the bit CONTENDED, set by a thread that wants it and cannot have it
 *     FLOW       which of its flows; written and compared by that thread alone
 *     STATE      how often it is locked; written by the holder
 *     FAIR       never changes
 *     ABANDONED  1 if the holder took it from a dead thread
 *
 * One word both decides and names the holder. This makes a death at any step harmless: at every moment at which the
 * lock is taken, its holder is known.
 *
 * A thread that unlocks and finds no CONTENDED need not look at the queue, which saves one atomic access of three. The
 * first flow in the queue sets CONTENDED before it sleeps. A flow that becomes first because the flow before it got the
 * lock has not set it; so a flow that gets the lock out of the queue sets it on its own OWNER word. In all other cases
 * the first flow in the queue is woken and tries again.
 */
export class LockSync extends AbstractQueuedSynchronizer {
  readonly #words: Int32Array
  readonly #token: number
  readonly #fair: boolean
  /**
   * The flow that holds it, if it is in this thread and locked through this object: the memory has only its number.
   */
  #holder: Flow | undefined

  constructor(memory: SharedMemory, face?: object) {
    super(memory, face)
    this.#words = memory.words
    this.#token = memory.threadContext.token
    this.#fair = load(this.#words, FAIR) !== 0
  }

  /** @internal */
  protected override get [WAITED_FOR](): WaitedFor {
    return "ReentrantLock"
  }

  /** Memory for a new lock. The object that the lock is part of has `more` words in it, from `LOCK_WORDS` on. */
  static allocate(fair: boolean, more = 0): SharedMemory {
    const memory = SharedMemory.allocate(LOCK_WORDS + more)
    store(memory.words, FAIR, fair ? 1 : 0)
    return memory
  }

  get isFair(): boolean {
    return this.#fair
  }

  /** Takes the lock if it is free, or the flow's own. */
  barge(flow: Flow, holds = 1): boolean {
    const words = this.#words
    if (compareAndSet(words, OWNER, 0, this.#token)) return this.#own(flow, holds, 0)
    return this.#bargeAgain(flow, holds)
  }

  #bargeAgain(flow: Flow, holds: number): boolean {
    const words = this.#words
    for (;;) {
      const word = load(words, OWNER)
      const owner = word & TOKEN
      if (owner === this.#token && read(words, FLOW) === (flow.id | 0)) {
        if (read(words, HOLDS) > MAX_VALUE - holds) throw new IllegalStateError("Maximum lock count exceeded")
        write(words, HOLDS, read(words, HOLDS) + holds)
        return true
      }
      if (owner === 0) {
        if (compareAndSet(words, OWNER, 0, this.#token)) return this.#own(flow, holds, 0)
      } else if (!this[MEMORY].threadContext.registry.isAlive(owner)) {
        if (compareAndSet(words, OWNER, word, this.#token | CONTENDED)) return this.#own(flow, holds, 1)
      } else if (word < 0 || compareAndSet(words, OWNER, word, word | CONTENDED)) return false
    }
  }

  #own(flow: Flow, holds: number, abandoned: number): true {
    write(this.#words, FLOW, flow.id | 0)
    write(this.#words, HOLDS, holds)
    write(this.#words, ABANDONED, abandoned)
    if (this.#holder !== flow) this.#holder = flow
    return true
  }

  /** Unlocks once. */
  unlock(flow: Flow): void {
    const words = this.#words
    if (
      read(words, HOLDS) !== 1 ||
      (read(words, OWNER) & TOKEN) !== this.#token ||
      read(words, FLOW) !== (flow.id | 0)
    ) {
      if (this.letGo(flow, 1)) this[WAIT_QUEUE].wakeFirst()
    } else if (exchange(words, OWNER, 0) < 0) this[WAIT_QUEUE].wakeFirst()
  }

  /** Unlocks that many times; true if it is free now. */
  letGo(flow: Flow, times: number): boolean {
    // Only the holder can find its own token and flow here: plain reads will do.
    const words = this.#words
    if ((read(words, OWNER) & TOKEN) !== this.#token || read(words, FLOW) !== (flow.id | 0)) {
      throw new IllegalMonitorStateError("The current task does not hold this lock")
    }
    const left = read(words, HOLDS) - times
    write(words, HOLDS, left)
    if (left > 0) return false
    store(words, OWNER, 0)
    return true
  }

  // ------------------------------------------------------------------ asking

  isHeldBy(flow: Flow): boolean {
    return (load(this.#words, OWNER) & TOKEN) === this.#token && read(this.#words, FLOW) === (flow.id | 0)
  }

  get isHeld(): boolean {
    return this.isHeldBy(currentFlow())
  }

  get holds(): number {
    return this.isHeld ? read(this.#words, HOLDS) : 0
  }

  get wasAbandoned(): boolean {
    return this.isHeld && read(this.#words, ABANDONED) !== 0
  }

  get isLocked(): boolean {
    return this.#owner !== 0
  }

  /** Thread, flow and holds of the holder. */
  holder(): { thread: number; flow: number; holds: number } | undefined {
    const thread = this.#owner
    return thread === 0 ? undefined : { thread, flow: read(this.#words, FLOW), holds: read(this.#words, HOLDS) }
  }

  /** Describes whether it is locked, and by which holder. */
  describeHolder(): string {
    const { holderName } = this
    return holderName === undefined ? "Unlocked" : `Locked by ${holderName}`
  }

  /** Describes the holder; undefined if it is free. */
  get holderName(): string | undefined {
    const owner = this.#owner
    if (owner === 0) return undefined
    if (owner !== this.#token) return "another thread"
    const holder = this.#holder
    if (holder === undefined || (holder.id | 0) !== read(this.#words, FLOW)) return "this thread"
    return `thread ${nameOf(holder)}`
  }

  /**
   * The token of the thread that holds it; 0 if it is free, or the holder is dead, which makes no difference to the
   * caller.
   */
  get #owner(): number {
    const owner = load(this.#words, OWNER) & TOKEN
    return owner !== 0 && this[MEMORY].threadContext.registry.isAlive(owner) ? owner : 0
  }

  // ------------------------------------------------------------------ for the base class

  protected override tryAcquire(holds: number): boolean {
    const flow = currentFlow()
    if (this.#fair && this.hasQueuedPredecessors() && !this.isHeldBy(flow)) return false
    if (!this.barge(flow, holds)) return false
    if (!this[WAIT_QUEUE].isEmpty) store(this.#words, OWNER, this.#token | CONTENDED)
    return true
  }

  protected override tryRelease(holds: number): boolean {
    return this.letGo(currentFlow(), holds)
  }

  /** @internal Called by the holder. */
  protected override [NOTE_QUEUED](): void {
    store(this.#words, OWNER, this.#token | CONTENDED)
  }

  /** @internal */
  protected override get [IS_TAKEN_BACK_AT_ONCE](): boolean {
    return !this.#fair
  }

  protected override isHeldExclusively(): boolean {
    return this.isHeld
  }

  /** @internal */
  protected override [REFUSE_TO_BLOCK](): void {
    if ((load(this.#words, OWNER) & TOKEN) !== this.#token) return
    throw new IllegalStateError(
      "This thread would block for ever: the lock is held by another flow of the same thread, which stands still meanwhile. Use `await lock.lock()`",
    )
  }
}

/** The name is on the Thread of the flow, whose layer is above this one. */
export function nameOf(flow: Flow): string {
  const { name } = (flow.owner ?? {}) as { name?: unknown }
  if (typeof name === "string") return name
  return flow === mainFlow ? "main" : `#${flow.id}`
}
