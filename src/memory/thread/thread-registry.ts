import { add, compareAndSet, exchange, load, notify, sharedWords, store, write } from "#atomics"
import { IllegalStateError } from "../../errors.ts"
import { growTo, wordsOf } from "../growth.ts"
import { LINE } from "../layout.ts"
import { reserve } from "../reservation.ts"

export const SPACE = { MAGIC: 0, ID: 1, DEATHS: 2, THREADS: 3, CHUNKS: 4, NUMBERS: 5, SIZE: 6 } as const

/** The words of a thread's entry in the table. */
export const THREAD = {
  TOKEN: 0,
  PARK: 1,
  MAIL: 2,
  INTERRUPT: 3,
  THREAD_ID: 4,
  PARENT_ID: 5,
  /** The token to which the two words above belong. */
  NAMED: 6,
  /** 1 if the thread was asked to end: it stops where it next waits. */
  TERMINATING: 7,
  /** Always 0: the word to which the thread listens as long as the runtime has it; see life.ts. */
  LIFE: 8,
  /** How often the thread has begun to listen to LIFE, and how often others have probed. */
  LISTENERS: 9,
  PROBES: 10,
  /** 1 if the thread must not listen any more: it is about to end. */
  SILENT: 11,
  /**
   * Odd while the thread is in a stretch of corepool's own code, which takes a moment unless the thread is held up
   * there: another odd number for each.
   */
  OWN_CODE: 12,
  /** The same for the answers to its doorbell. */
  ANSWERS: 13,
  /** 1 while the whole thread sleeps until another thread wakes it, or its time is up. */
  BLOCKED: 14,
  SIZE: 15,
} as const

/** One wait of one flow. */
export const NODE = {
  STATE: 0,
  THREAD: 1,
  FLOW: 2,
  MODE: 3,
  NEXT: 4,
  PREV: 5,
  LINKED: 6,
  INBOX_NEXT: 7,
  MAILED: 8,
  MAIL_NEXT: 9,
  CONDITION_NEXT: 10,
  PRIORITY: 11,
  /** What kind of object the flow waits for, and the number of the object; 0 if that is of no interest. */
  KIND: 12,
  OBJECT: 13,
  SIZE: 14,
} as const

/** Values of a thread's PARK word: it need not be rung, it listens, it has been rung. */
const AWAKE = 0
export const LISTENING = 1
const RUNG = 2

/** The version of the layouts. Two copies of corepool that differ must not share memory. */
const MAGIC = 0xc0_9e_00_4

/*
 * A token names one life of one thread: the number of its entry, and how often that entry was taken before. A word that
 * holds the token of a dead thread is thereby known to be void, whichever thread has the entry now.
 */
const ID_BITS = 10
const MAX_THREADS = 2 ** ID_BITS
const MAX_EPOCH = 2 ** 20
const ENTRY = LINE

const TABLE = LINE
const NODES = TABLE + MAX_THREADS * ENTRY

/** Nodes are given to threads by the chunk. The first record of a chunk names its owner. */
export const NODE_SIZE: number = LINE
export const CHUNK_NODES = 64
const CHUNK = CHUNK_NODES * NODE_SIZE

const INITIAL_BYTES = (NODES + 8 * CHUNK) * 4
const RESERVED_BYTES = 2 ** 28

/**
 * A thread registry: the memory through which the threads of a program know of each other. It holds the thread table
 * and the wait nodes. Locks and queues have memory of their own, which the garbage collector frees, and refer to
 * threads and nodes by their numbers in the registry. See README.md in src/memory for the layouts.
 *
 * Its buffer grows (growth.ts): each thread holds a view of fixed length, and takes a longer one when it meets a number
 * beyond its end.
 */
export class ThreadRegistry {
  readonly #buffer: SharedArrayBuffer
  #words: Int32Array

  constructor(words: Int32Array) {
    this.#words = words
    this.#buffer = words.buffer as SharedArrayBuffer
    if (!compareAndSet(words, SPACE.MAGIC, 0, MAGIC) && load(words, SPACE.MAGIC) !== MAGIC) {
      throw new IllegalStateError("This shared memory belongs to another version of corepool")
    }
  }

  /** Makes a new registry. */
  static create(): ThreadRegistry {
    const buffer = reserve(INITIAL_BYTES, RESERVED_BYTES)
    const registry = ThreadRegistry.over(buffer)
    write(registry.#words, SPACE.ID, Math.floor(Math.random() * 2 ** 31))
    return registry
  }

  /** The registry in a buffer that another thread sent. */
  static over(buffer: SharedArrayBuffer): ThreadRegistry {
    return new ThreadRegistry(wordsOf(buffer))
  }

  /** A small registry over memory that does not grow: for models, in which every word counts. */
  static small(chunks: number): ThreadRegistry {
    return new ThreadRegistry(sharedWords(NODES + chunks * CHUNK))
  }

  get buffer(): SharedArrayBuffer {
    return this.#buffer
  }

  /** The same number in all threads. The buffer cannot serve as identity: it is another object in each thread. */
  get id(): number {
    return load(this.#words, SPACE.ID)
  }

  get words(): Int32Array {
    return this.#words
  }

  /** A number, not 0, that no thread has got before; it repeats after four thousand million others. */
  nextNumber(): number {
    return (add(this.#words, SPACE.NUMBERS, 1) + 1) | 0 || this.nextNumber()
  }

  /** The words, in a view that is long enough for this record. */
  reach(record: number): Int32Array {
    if (record + NODE_SIZE > this.#words.length) this.#words = wordsOf(this.#buffer)
    return this.#words
  }

  // ------------------------------------------------------------------ the thread table

  /** Takes an entry of the table, and returns the token of the new life. */
  enter(threadId: number, parentId: number): number {
    for (let id = 1; id < MAX_THREADS; id++) {
      const entry = this.entryOf(id)
      const last = load(this.#words, entry + THREAD.TOKEN)
      if (last > 0) continue
      const epoch = ((-last >> ID_BITS) + 1) % MAX_EPOCH
      const token = (epoch << ID_BITS) | id
      if (!compareAndSet(this.#words, entry + THREAD.TOKEN, last, token)) continue
      // No other thread knows the token yet, so no mail for it can have come: the mailbox has mail for the thread
      // before.
      store(this.#words, entry + THREAD.MAIL, 0)
      store(this.#words, entry + THREAD.PARK, AWAKE)
      store(this.#words, entry + THREAD.INTERRUPT, 0)
      store(this.#words, entry + THREAD.TERMINATING, 0)
      store(this.#words, entry + THREAD.SILENT, 0)
      write(this.#words, entry + THREAD.OWN_CODE, 0)
      write(this.#words, entry + THREAD.ANSWERS, 0)
      store(this.#words, entry + THREAD.LISTENERS, 0)
      store(this.#words, entry + THREAD.PROBES, 0)
      store(this.#words, entry + THREAD.PARENT_ID, parentId)
      store(this.#words, entry + THREAD.THREAD_ID, threadId)
      store(this.#words, entry + THREAD.NAMED, token)
      this.#raise(SPACE.THREADS, id)
      return token
    }
    throw new IllegalStateError(`More than ${MAX_THREADS - 1} threads share memory`)
  }

  /** The index of the entry of the thread with this token or number. */
  entryOf(token: number): number {
    return TABLE + (token & (MAX_THREADS - 1)) * ENTRY
  }

  isAlive(token: number): boolean {
    return load(this.#words, this.entryOf(token) + THREAD.TOKEN) === token
  }

  /**
   * Tells a thread to end: where it next waits, it reaps itself and stops for ever. It keeps what it holds until then.
   * False if it is dead.
   */
  markTerminating(token: number): boolean {
    if (!this.isAlive(token)) return false
    store(this.#words, this.entryOf(token) + THREAD.TERMINATING, 1)
    this.#alarm(token)
    return true
  }

  /** Tells each stretch of corepool's own code in which the thread is from any other; empty if it is in none. */
  stretchOf(token: number): string {
    const entry = this.entryOf(token)
    const ownCode = load(this.#words, entry + THREAD.OWN_CODE)
    const answers = load(this.#words, entry + THREAD.ANSWERS)
    return (ownCode | answers) % 2 === 0 ? "" : `${token} ${ownCode} ${answers}`
  }

  isTerminating(token: number): boolean {
    return load(this.#words, this.entryOf(token) + THREAD.TERMINATING) !== 0
  }

  /**
   * Takes back the listener of a thread that is about to end, for good. The thread does it itself if it can; otherwise
   * the thread that ends it, right before.
   *
   * For Node crashes if a word is notified to which a thread listens whose event loop is gone, but not yet its memory.
   */
  silence(token: number): void {
    if (token === 0 || !this.isAlive(token)) return // 0: it has not begun
    store(this.#words, this.entryOf(token) + THREAD.SILENT, 1)
    this.#alarm(token)
  }

  isSilent(token: number): boolean {
    return load(this.#words, this.entryOf(token) + THREAD.SILENT) !== 0
  }

  get deaths(): number {
    return load(this.#words, SPACE.DEATHS)
  }

  /**
   * Declares a thread dead, and rings all others: each then looks again at everything that it waits for. So no code has
   * to know what the dead thread held, or waited for, or was about to do. False if it was dead already.
   *
   * Only for a thread that is known to have stopped: other threads may take over what it held from now on.
   */
  reap(token: number): boolean {
    if (!compareAndSet(this.#words, this.entryOf(token) + THREAD.TOKEN, token, -token)) return false
    add(this.#words, SPACE.DEATHS, 1)
    const last = load(this.#words, SPACE.THREADS)
    for (let id = 1; id <= last; id++) {
      if (load(this.#words, this.entryOf(id) + THREAD.TOKEN) > 0) this.#alarm(id)
    }
    return true
  }

  /** As {@link ring}, but notifies in any case: the dead thread may have rung, and died before it could notify. */
  #alarm(id: number): void {
    const park = this.entryOf(id) + THREAD.PARK
    store(this.#words, park, RUNG)
    notify(this.#words, park)
  }

  /** Reaps the thread that the runtime knows by this number, and its children, which die with it. */
  reapThread(threadId: number): void {
    for (const token of this.tokensOf(threadId)) this.reap(token)
  }

  /** The tokens of the thread that the runtime knows by this number, of its children, and of theirs. */
  *tokensOf(threadId: number): Generator<number> {
    for (const { token, threadId: itself, parentId } of this.threads()) {
      if (itself === threadId) yield token
      else if (parentId === threadId) yield* this.tokensOf(itself)
    }
  }

  /**
   * The tokens of all threads that live, with the runtime's numbers of them and of their parents. A thread may have
   * reaped itself, and another thread may just be taking its entry: until NAMED holds the new token, the numbers there
   * are not those of the new thread.
   */
  *threads(): Generator<{ readonly token: number; readonly threadId: number; readonly parentId: number }> {
    const last = load(this.#words, SPACE.THREADS)
    for (let id = 1; id <= last; id++) {
      const entry = this.entryOf(id)
      const token = load(this.#words, entry + THREAD.TOKEN)
      if (token <= 0 || load(this.#words, entry + THREAD.NAMED) !== token) continue
      const threadId = load(this.#words, entry + THREAD.THREAD_ID)
      yield { token, threadId, parentId: load(this.#words, entry + THREAD.PARENT_ID) }
    }
  }

  /** Whether the whole thread sleeps. */
  isBlocked(token: number): boolean {
    return this.isAlive(token) && load(this.#words, this.entryOf(token) + THREAD.BLOCKED) !== 0
  }

  /**
   * What the flows of all threads wait for now, as far as it is an object in shared memory. A snapshot without any
   * lock: a wait that begins or ends meanwhile may be in it or not.
   */
  *waits(): Generator<{ thread: number; flow: number; kind: number; object: number }> {
    const count = load(this.#words, SPACE.CHUNKS)
    for (let chunk = 0; chunk < count; chunk++) {
      const first = NODES + chunk * CHUNK
      const words = this.reach(first)
      if (first + CHUNK > words.length) return
      const thread = load(words, first)
      if (!this.isAlive(thread)) continue
      for (let node = first + NODE_SIZE; node < first + CHUNK; node += NODE_SIZE) {
        const kind = load(words, node + NODE.KIND)
        // What a dead thread has left behind in its chunk is not this thread's.
        if (kind === 0 || load(words, node + NODE.THREAD) !== thread) continue
        yield { thread, flow: load(words, node + NODE.FLOW), kind, object: load(words, node + NODE.OBJECT) }
      }
    }
  }

  /** Wakes a thread, whether it blocks or listens; if it does neither, it looks for news before it does. */
  ring(token: number): void {
    const park = this.entryOf(token) + THREAD.PARK
    if (exchange(this.#words, park, RUNG) === LISTENING) notify(this.#words, park)
  }

  isInterrupted(token: number): boolean {
    return load(this.#words, this.entryOf(token) + THREAD.INTERRUPT) !== 0
  }

  /** Raises the interrupt flag of a thread and wakes it. No effect on a thread that is gone. */
  interrupt(token: number): void {
    if (!this.isAlive(token)) return
    store(this.#words, this.entryOf(token) + THREAD.INTERRUPT, 1)
    this.ring(token)
  }

  // ------------------------------------------------------------------ wait nodes

  /** Takes a chunk of nodes for the thread, a dead thread's or a new one, and returns its first record. */
  takeChunk(token: number): number {
    const count = load(this.#words, SPACE.CHUNKS)
    for (let chunk = 0; chunk < count; chunk++) {
      const record = NODES + chunk * CHUNK
      const words = this.reach(record)
      if (record >= words.length) break // another thread took it and has yet to make room for it
      const owner = load(words, record)
      if (!this.isAlive(owner) && compareAndSet(words, record, owner, token)) return record
    }
    const record = NODES + add(this.#words, SPACE.CHUNKS, 1) * CHUNK
    if (!growTo(this.#buffer, (record + CHUNK) * 4)) {
      throw new IllegalStateError("Too many flows wait at the same time: the memory for shared waits is used up")
    }
    store(this.reach(record), record, token)
    return record
  }

  #raise(word: number, value: number): void {
    for (;;) {
      const current = load(this.#words, word)
      if (current >= value || compareAndSet(this.#words, word, current, value)) return
    }
  }
}
