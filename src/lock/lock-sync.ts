/**
 * The synchronizer inside of ReentrantLock: who holds it, and how often.
 *
 *     OWNER      the token of the thread that holds it, or 0: changed from 0 by compare-and-set, which decides
 *     FLOW       which of its flows; written and compared by that thread alone
 *     STATE      how often it is locked; written by the holder
 *     FAIR       never changes
 *     ABANDONED  1 if the holder took it from a dead thread
 *
 * That one word decides and also says who, is what makes a death at any step harmless: there is no moment at which the
 * lock is taken and nobody knows by whom.
 */
import { compareAndSet, load, read, store, write } from "#atomics"
import { MAX_VALUE } from "../checks.ts"
import { IllegalMonitorStateError, IllegalStateError } from "../errors.ts"
import { currentFlow, type Flow, mainFlow } from "../memory/flow.ts"
import { SharedMemory } from "../memory/shared-memory.ts"
import { AbstractQueuedSynchronizer } from "./abstract-queued-synchronizer.ts"
import { OWN, STATE } from "./synchronizer-base.ts"

const OWNER = OWN
const FLOW = OWN + 1
const HOLDS = STATE
const FAIR = OWN + 2
const ABANDONED = OWN + 3
export const LOCK_WORDS: number = OWN + 4

export class LockSync extends AbstractQueuedSynchronizer {
  readonly #words: Int32Array
  readonly #token: number
  readonly #fair: boolean
  /** The flow that holds it, if it is one of ours and locked it by means of this object: memory has but its number. */
  #holder: Flow | undefined

  constructor(memory: SharedMemory, face?: object) {
    super(memory, face)
    this.#words = memory.words
    this.#token = memory.here.token
    this.#fair = load(this.#words, FAIR) !== 0
  }

  /** Memory for a new one; `more` words are for whoever it is a part of, from `LOCK_WORDS` on. */
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
    const owner = load(words, OWNER)
    if (owner === this.#token) {
      if (read(words, FLOW) !== (flow.id | 0)) return false
      if (read(words, HOLDS) > MAX_VALUE - holds) throw new IllegalStateError("Maximum lock count exceeded")
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
    this.#holder = flow
    return true
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
    this.#holder = undefined
    write(words, FLOW, 0)
    store(words, OWNER, 0)
    return true
  }

  // ------------------------------------------------------------------ asking

  isHeldBy(flow: Flow): boolean {
    return load(this.#words, OWNER) === this.#token && read(this.#words, FLOW) === (flow.id | 0)
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

  /** Who holds it, in words. */
  describeHolder(): string {
    const owner = this.#owner
    if (owner === 0) return "Unlocked"
    if (owner !== this.#token) return "Locked by another thread"
    return this.#holder === undefined ? "Locked by this thread" : `Locked by thread ${nameOf(this.#holder)}`
  }

  /** The token of the thread that holds it; 0 if it is free, or the holder is dead, which is the same to who asks. */
  get #owner(): number {
    const owner = load(this.#words, OWNER)
    return owner !== 0 && this.memory.here.space.isAlive(owner) ? owner : 0
  }

  // ------------------------------------------------------------------ for the base class

  protected override tryAcquire(holds: number): boolean {
    const flow = currentFlow()
    if (this.#fair && this.hasQueuedPredecessors()) return this.isHeldBy(flow) && this.barge(flow, holds)
    return this.barge(flow, holds)
  }

  protected override tryRelease(holds: number): boolean {
    return this.letGo(currentFlow(), holds)
  }

  protected override isHeldExclusively(): boolean {
    return this.isHeld
  }

  protected override refuseToBlock(): void {
    if (load(this.#words, OWNER) !== this.#token) return
    throw new IllegalStateError(
      "This thread would block for ever: the lock is held by another flow of the same thread, which stands still meanwhile. Use `await lock.lock()`",
    )
  }
}

/** Its Thread has the name; the layer of threads is above this one. */
export function nameOf(flow: Flow): string {
  const { name } = (flow.owner ?? {}) as { name?: unknown }
  if (typeof name === "string") return name
  return flow === mainFlow ? "main" : `#${flow.id}`
}
