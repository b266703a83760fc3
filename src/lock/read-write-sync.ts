import {
  IS_TAKEN_BACK_AT_ONCE,
  WAIT_QUEUE,
  REFUSE_TO_BLOCK,
  RELEASE_ALL,
  TRY_ACQUIRE_AGAIN,
  TRY_OUT_OF_TURN,
  WAITED_FOR,
} from "./internals.ts"
import { compareAndSet, load, read, store, write } from "#atomics"
import { MAX_VALUE } from "../checks.ts"
import { IllegalMonitorStateError, IllegalStateError } from "../errors.ts"
import { currentFlow, type Flow } from "../memory/flow/flow.ts"
import type { WaitedFor } from "../observing.ts"
import type { SharedMemory } from "../memory/shared/shared-memory.ts"
import type { ThreadRegistry } from "../memory/thread/thread-registry.ts"
import { EXCLUSIVE, SHARED } from "../memory/wait/wait-queue.ts"
import { AbstractQueuedSynchronizer } from "./abstract-queued-synchronizer.ts"
import { nameOf } from "./lock-sync.ts"
import {
  FAIR,
  FLOW,
  HOLDS,
  isAbandoned,
  MAKER,
  NUMBER,
  readersIn,
  readsOf,
  STATE,
  tokenOf,
  writerIn,
  WRITERS_CELL,
  writing,
} from "./read-write-words.ts"
import { NONE, ReaderCells } from "./reader-cells.ts"
import { ReadersHere, type ReadingFlows } from "./reading-flows.ts"

/** How often a task holds each lock. */
type Holds = Readonly<Record<"writes" | "reads", number>>

/**
 * The synchronizer under a read-write lock: many flows that read, or one that writes. read-write-words.ts has the
 * layout of its words, and explains why a death at any step does no harm.
 *
 * Only the first read hold of a thread and its last release touch the state, by one compare-and-set each. Further read
 * holds of flows of the same thread are counted within the thread: see reading-flows.ts.
 *
 * Which flow is woken. A release that leaves no reader, or no writer, wakes the first waiting flow; so does a release
 * that leaves only dead readers. A release that leaves live readers can only help a reader that found no cell; if such
 * a reader is first in the queue, it is woken. A flow that becomes first later tries after that, with one exception: a
 * writer that stood behind a reader does not try, but waits for that reader. Therefore a reader that stops checks
 * whether the remaining readers are alive.
 */
export class ReadWriteSync extends AbstractQueuedSynchronizer {
  readonly isFair: boolean
  readonly #words: Int32Array
  readonly #registry: ThreadRegistry
  readonly #token: number
  readonly #cells: ReaderCells
  /** The flows of this thread that read. */
  readonly #readers: ReadersHere
  /** The flow that writes, if it locked through this object: the memory has only its number. */
  #writingFlow: Flow | undefined

  constructor(memory: SharedMemory, face: object) {
    super(memory, face)
    this.#words = memory.words
    this.#registry = memory.threadContext.registry
    this.#token = memory.threadContext.token
    this.#cells = new ReaderCells(memory)
    this.#readers = new ReadersHere(memory.threadContext, `${load(memory.words, MAKER)}:${load(memory.words, NUMBER)}`)
    this.isFair = load(memory.words, FAIR) !== 0
  }

  /** @internal */
  protected override get [WAITED_FOR](): WaitedFor {
    return "ReentrantReadWriteLock"
  }

  // ------------------------------------------------------------------ reading

  /**
   * Takes a read hold, the first or a further one, if that needs no wait. With `barging` it overtakes waiting flows.
   */
  read(flow: Flow, holds: number, barging: boolean): boolean {
    // A plain read can be out of date, except about this thread. Then the compare-and-set decides.
    const writer = writerIn(read(this.#words, STATE))
    if (writer === this.#token) return this.isWriting(flow) && this.#readWhileWriting(flow, holds)
    if (writer !== 0 && this.#cells.isWritten) return false
    if (!barging && this.#readers.flows.of(flow.id) === 0 && this.#mustQueue(SHARED)) return false
    const { flows } = this.#readers
    return flows.total > 0 ? this.#readMore(flows, flow, holds) : this.#readFirst(flow, holds)
  }

  #readFirst(flow: Flow, holds: number): boolean {
    const cell = this.#cells.claim()
    if (cell === NONE) return false
    if (this.#cells.enter(cell, holds)) {
      this.#readers.begin(cell, flow.id, holds)
      return true
    }
    this.#cells.free(cell)
    this.#offerCell()
    return false
  }

  #readMore(flows: ReadingFlows, flow: Flow, holds: number): true {
    requireCountable(flows.total, holds)
    flows.add(flow.id, holds)
    write(this.#words, readsOf(flows.cell), flows.total)
    return true
  }

  #readWhileWriting(flow: Flow, holds: number): true {
    const { flows } = this.#readers
    if (flows.total > 0) return this.#readMore(flows, flow, holds)
    write(this.#words, readsOf(WRITERS_CELL), holds)
    store(this.#words, tokenOf(WRITERS_CELL), this.#token)
    this.#readers.begin(WRITERS_CELL, flow.id, holds)
    return true
  }

  /** Ends one read hold; true if a waiting flow may succeed now. */
  endRead(flow: Flow): boolean {
    const { flows } = this.#readers
    if (flows.of(flow.id) > 0) return this.#end(flows, flow, 1)
    throw new IllegalMonitorStateError("The current task does not hold the read lock")
  }

  #end(flows: ReadingFlows, flow: Flow, times: number): boolean {
    flows.remove(flow.id, times)
    write(this.#words, readsOf(flows.cell), flows.total)
    if (flows.total > 0) return false
    this.#readers.end()
    if (read(this.#words, STATE) < 0) return false // this thread still writes
    return this.#cells.leave(flows.cell) === 0 || this.#isAwaited()
  }

  /** Whether the first waiting flow may succeed though readers are left. */
  #isAwaited(): boolean {
    const mode = this[WAIT_QUEUE].firstMode
    // The remaining readers may be dead, and the flow that is first now was not first when they died.
    return mode === SHARED || (mode === EXCLUSIVE && this.#cells.reap())
  }

  /**
   * Wakes the first flow if it is a reader, since a cell has become free: while others read, it waits for nothing else.
   */
  #offerCell(): void {
    if (this[WAIT_QUEUE].firstMode === SHARED) this[WAIT_QUEUE].wakeFirst()
  }

  // ------------------------------------------------------------------ writing

  /** Takes write holds, the first or further ones, if no other flow reads or writes. */
  write(flow: Flow, holds: number): boolean {
    const words = this.#words
    if (compareAndSet(words, STATE, 0, writing(this.#token, false))) return this.#own(flow, holds)
    for (let hasReaped = false; ;) {
      const state = load(words, STATE)
      const writer = writerIn(state)
      if (writer === this.#token) return this.isWriting(flow) && this.#writeMore(holds)
      const free = writer === 0 ? readersIn(state) === 0 : !this.#registry.isAlive(writer)
      if (free) {
        const abandoned = writer !== 0 || isAbandoned(state)
        if (compareAndSet(words, STATE, state, writing(this.#token, abandoned))) return this.#own(flow, holds)
      } else if (writer === 0 && this.#cells.reap()) hasReaped = true
      else {
        if (hasReaped) this.#offerCell()
        return false
      }
    }
  }

  #own(flow: Flow, holds: number): true {
    write(this.#words, FLOW, flow.id | 0)
    write(this.#words, HOLDS, holds)
    this.#writingFlow = flow
    return true
  }

  #writeMore(holds: number): true {
    requireCountable(read(this.#words, HOLDS), holds)
    write(this.#words, HOLDS, read(this.#words, HOLDS) + holds)
    return true
  }

  /**
   * Ends that many write holds; true if the lock is not write-locked any more. The task's read holds remain, and others
   * may read beside it.
   */
  endWrite(flow: Flow, times: number): boolean {
    const words = this.#words
    if (!this.isWriting(flow)) throw new IllegalMonitorStateError("The current task does not hold the write lock")
    const left = read(words, HOLDS) - times
    write(words, HOLDS, left)
    if (left > 0) return false
    this.#writingFlow = undefined
    write(words, FLOW, 0)
    store(words, STATE, this.#readers.flows.total > 0 ? 1 << WRITERS_CELL : 0)
    return true
  }

  // ------------------------------------------------------------------ asking

  /**
   * Whether this thread writes. No other thread can write its token there, or change the word while the token is there.
   */
  get #isWriter(): boolean {
    return writerIn(read(this.#words, STATE)) === this.#token
  }

  isWriting(flow: Flow): boolean {
    return this.#isWriter && read(this.#words, FLOW) === (flow.id | 0)
  }

  /** How often the flow holds the write lock. */
  writesOf(flow: Flow): number {
    return this.isWriting(flow) ? read(this.#words, HOLDS) : 0
  }

  /** How often the flow holds the read lock. */
  readsOf(flow: Flow): number {
    return this.#readers.flows.of(flow.id)
  }

  /**
   * Whether a writer died and no writer has unlocked since, which could have repaired the data. Counts for holders of a
   * lock.
   */
  get isAbandoned(): boolean {
    return isAbandoned(load(this.#words, STATE))
  }

  /** Thread, flow and holds of the writer. */
  writer(): { thread: number; flow: number; holds: number } | undefined {
    const thread = writerIn(load(this.#words, STATE))
    if (thread === 0 || !this.#registry.isAlive(thread)) return undefined
    return { thread, flow: load(this.#words, FLOW), holds: load(this.#words, HOLDS) }
  }

  /** Describes the holder of the write lock; undefined if it is free. */
  get holder(): string | undefined {
    const writer = this.writer()
    if (writer === undefined) return undefined
    if (writer.thread !== this.#token) return "another thread"
    const flow = this.#writingFlow // another object for this lock may have been used meanwhile
    return flow !== undefined && this.isWriting(flow) ? `thread ${nameOf(flow)}` : "this thread"
  }

  /** The threads that read, and how often. */
  readers(): { thread: number; holds: number }[] {
    return this.#cells.list()
  }

  // ------------------------------------------------------------------ for the base class

  protected override tryAcquire(holds: number): boolean {
    const flow = currentFlow()
    if (this.isFair && !this.isWriting(flow) && this.#mustQueue(EXCLUSIVE)) return false
    return this.write(flow, holds)
  }

  protected override tryAcquireShared(holds: number): number {
    return this.read(currentFlow(), holds, false) ? 1 : -1
  }

  /** Whether a flow that could have the lock must let the waiting flows go first. */
  #mustQueue(mode: number): boolean {
    if (this.isFair) return this.hasQueuedPredecessors()
    // Otherwise new readers would keep a writer waiting for ever.
    return mode === SHARED && this[WAIT_QUEUE].firstMode === EXCLUSIVE
  }

  /**
   * @internal The flows in front may be writers that wait until this thread reads no more. Waiting for them would never
   * end.
   */
  protected override [TRY_OUT_OF_TURN](holds: number, mode: number): boolean {
    return mode === SHARED && this.#readers.flows.total > 0 && this.read(currentFlow(), holds, true)
  }

  /**
   * @internal A reader that waits to write waits for itself. This is allowed, as in Java, if something can end the
   * wait.
   */
  protected override [REFUSE_TO_BLOCK](mode: number, endless: boolean): void {
    const flow = currentFlow()
    const own = this.#readers.flows.of(flow.id)
    const byOther = this.#isWriter ? !this.isWriting(flow) : mode === EXCLUSIVE && this.#readers.flows.total > own
    if (byOther) {
      throw new IllegalStateError(
        "This thread would block for ever: the lock is held by another flow of the same thread, which stands still meanwhile. Use the form that is awaited",
      )
    }
    if (endless && mode === EXCLUSIVE && own > 0) {
      throw new IllegalStateError(
        "This thread would block for ever: the current task holds the read lock, which it has to unlock before it can write",
      )
    }
  }

  // ------------------------------------------------------------------ for conditions of the write lock

  /** @internal */
  protected override get [IS_TAKEN_BACK_AT_ONCE](): boolean {
    return !this.isFair
  }

  protected override isHeldExclusively(): boolean {
    return this.isWriting(currentFlow())
  }

  /** @internal Releases the read holds too: while they are held no flow could write, and so none could signal. */
  protected override [RELEASE_ALL](): Holds {
    const flow = currentFlow()
    const holds = { writes: this.writesOf(flow), reads: this.readsOf(flow) }
    if (holds.reads > 0) this.#end(this.#readers.flows, flow, holds.reads)
    this.endWrite(flow, holds.writes)
    this[WAIT_QUEUE].wakeFirst()
    return holds
  }

  /** @internal */
  protected override [TRY_ACQUIRE_AGAIN](released: unknown): boolean {
    const { writes, reads } = released as Holds
    const flow = currentFlow()
    if (!this.write(flow, writes)) return false
    if (reads > 0) this.#readWhileWriting(flow, reads)
    return true
  }
}

function requireCountable(holds: number, more: number): void {
  if (holds > MAX_VALUE - more) throw new IllegalStateError("Maximum lock count exceeded")
}
