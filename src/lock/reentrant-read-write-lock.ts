import { REQUIRE_OWN, SYNC } from "./internals.ts"
import { store } from "#atomics"
import { requireBoolean, requireOptions } from "../checks.ts"
import { identityOf } from "../identity.ts"
import { FACTS, type Facts } from "../inspection.ts"
import { currentFlow } from "../memory/flow/flow.ts"
import { Shareable, type Shared, SharedMemory } from "../memory/shared/shared-memory.ts"
import type { Condition } from "./condition.ts"
import { ReadWriteSync } from "./read-write-sync.ts"
import { FAIR, MAKER, NUMBER, READ_WRITE_WORDS } from "./read-write-words.ts"
import { ReadLock } from "./read-lock.ts"
import { nextNumberIn } from "./reading-flows.ts"
import type { QueuedThread } from "./synchronizer-base.ts"
import { WriteLock } from "./write-lock.ts"

/**
 * A pair of locks: one to read, which many tasks may hold at once, and one to write, which excludes all others. For
 * what is read far more often than it is changed.
 *
 * The task that holds either can lock it again. A task that writes may also read, and go on reading when it stops
 * writing. A task that reads has to stop reading before it can write, or would wait for itself.
 *
 * With `fair`, the task that has waited longest goes first, and all readers that stand next to each other go together.
 * Without, newcomers may overtake; only a reader does not overtake a writer that stands first. `tryLock()` overtakes in
 * any case.
 *
 * To use it in another thread, post the lock itself and give what arrives to `ReentrantReadWriteLock.from`.
 *
 * **Threads.** Any number of flows may read, but at most 29 threads. Another one waits until one of them reads no more.
 *
 * **Death.** If a thread dies, what it held is free. If it was writing, what the lock protects may be half changed:
 * `wasAbandoned` of both locks is then true for all tasks that hold them, until a writer has unlocked, which could
 * repair it. A reader that dies has changed nothing.
 *
 * **Memory effects.** What a task wrote to shared memory before it unlocked the write lock is visible to each task that
 * then locks either of the two.
 *
 * @example
 * ```ts
 * import { ReentrantReadWriteLock } from "corepool"
 *
 * const lock = new ReentrantReadWriteLock()
 * const prices = new Map<string, number>()
 * {
 *   using _ = await lock.writeLock.lock() // alone
 *   prices.set("tea", 3)
 * }
 * {
 *   using _ = await lock.readLock.lock() // beside other readers
 *   console.log(prices.get("tea")) // => 3
 * }
 * ```
 */
export class ReentrantReadWriteLock extends Shareable {
  readonly #sync: ReadWriteSync
  // Not public fields: a clone would take them along.
  readonly #readLock: ReadLock
  readonly #writeLock: WriteLock

  /** `fair`: the task that has waited longest goes first; default false. */
  constructor(options?: { readonly fair?: boolean })
  /** @internal */
  constructor(options: { readonly fair?: boolean } | SharedMemory)
  constructor(options: { readonly fair?: boolean } | SharedMemory = {}) {
    const memory = options instanceof SharedMemory ? options : create(options)
    super("ReentrantReadWriteLock", memory)
    this.#sync = new ReadWriteSync(memory, this)
    this.#readLock = new ReadLock(this.#sync)
    this.#writeLock = new WriteLock(this.#sync)
  }

  /** The same lock that another thread has posted, itself or one of its two locks. */
  static from(shared: Shared): ReentrantReadWriteLock {
    return new ReentrantReadWriteLock(SharedMemory.open("ReentrantReadWriteLock", shared))
  }

  /** The lock to read. */
  get readLock(): ReadLock {
    return this.#readLock
  }

  /** The lock to write. */
  get writeLock(): WriteLock {
    return this.#writeLock
  }

  /** Whether the task that has waited longest goes first. */
  get isFair(): boolean {
    return this.#sync.isFair
  }

  /** How often the read lock is held by all tasks together. */
  get readLockCount(): number {
    return this.#readLock.count
  }

  /** How often the current task holds the read lock. */
  get readHoldCount(): number {
    return this.#sync.readsOf(currentFlow())
  }

  /** Whether any task holds the write lock. */
  get isWriteLocked(): boolean {
    return this.#sync.writer() !== undefined
  }

  /** Whether the current task holds the write lock. */
  get isWriteLockedByCurrentThread(): boolean {
    return this.#sync.isWriting(currentFlow())
  }

  /** How often the current task holds the write lock. */
  get writeHoldCount(): number {
    return this.#sync.writesOf(currentFlow())
  }

  /** Whether any task waits for either lock. */
  get hasQueuedThreads(): boolean {
    return this.#sync.hasQueuedThreads
  }

  /** How many tasks wait for either lock; an estimate while they come and go. */
  get queueLength(): number {
    return this.#sync.queueLength
  }

  /** The tasks that wait for either lock, first in line first. */
  get queuedThreads(): QueuedThread[] {
    return this.#sync.queuedThreads
  }

  /** The tasks that wait for the read lock, first in line first. */
  get queuedReaderThreads(): QueuedThread[] {
    return this.#sync.sharedQueuedThreads
  }

  /** The tasks that wait for the write lock, first in line first, those back from a condition among them. */
  get queuedWriterThreads(): QueuedThread[] {
    return this.#sync.exclusiveQueuedThreads
  }

  /** Whether this thread waits for either lock. Tasks in other threads cannot be asked for. */
  hasQueuedThread(thread: { readonly id: number }): boolean {
    return this.#sync.isQueued(thread)
  }

  /** Whether any task waits on this condition of the write lock. Needs the write lock. */
  hasWaiters(condition: Condition): boolean {
    return this.#sync[REQUIRE_OWN]("condition", condition).hasWaiters
  }

  /** How many tasks wait on this condition of the write lock. Needs the write lock. */
  waitQueueLength(condition: Condition): number {
    return this.#sync[REQUIRE_OWN]("condition", condition).waitQueueLength
  }

  /** The tasks that wait on this condition of the write lock, longest waiting first. Needs the write lock. */
  waitingThreads(condition: Condition): QueuedThread[] {
    return this.#sync[REQUIRE_OWN]("condition", condition).waitingThreads
  }

  /** @internal */
  override get [FACTS](): Facts {
    const { isWriteLocked, readLockCount, queueLength, isFair } = this
    return { isWriteLocked, writer: this.#sync.holder, readLockCount, queueLength, isFair }
  }

  /** How often each lock is held. */
  override toString(): string {
    const writes = this.#sync.writer()?.holds ?? 0
    return `${identityOf(this)}[Write locks = ${writes}, Read locks = ${this.readLockCount}]`
  }

  /** @internal */
  get [SYNC](): ReadWriteSync {
    return this.#sync
  }
}

function create(options: { readonly fair?: boolean }): SharedMemory {
  const { fair = false } = requireOptions("options", options, { fair: true })
  const memory = SharedMemory.allocate(READ_WRITE_WORDS)
  store(memory.words, FAIR, requireBoolean("fair", fair) ? 1 : 0)
  store(memory.words, MAKER, memory.threadContext.token)
  store(memory.words, NUMBER, nextNumberIn(memory.threadContext))
  return memory
}
