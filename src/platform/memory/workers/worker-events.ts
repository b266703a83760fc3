import { load, read, store } from "#atomics"
import { CANCELLED, EXCEPTIONAL } from "../../../future/task-state.ts"
import { SYNCHRONIZERS } from "../../../memory/shared/kinds.ts"
import { BLOCK } from "../../../memory/structures/arena.ts"
import { EventRingReader, EventRingWriter, ringWords } from "../../../memory/structures/event-ring.ts"
import type { WaitedFor } from "../../../observing.ts"
import { sharedNow } from "../../../time/shared-clock.ts"
import { BASE, HEADER } from "../layout.ts"
import type { PoolMemory } from "../pool-memory.ts"
import type { TaskRecords } from "../task-records.ts"

/** The kinds of entries of a ring: the low byte of an entry. The next byte has details: see the constants below. */
export const BEGAN = 1
export const ENDED = 2
export const IDLE = 3
/** A wait of a task begins, or is over. Instead of the function: the place of its name in WAITS. */
export const BLOCKED = 4
export const UNBLOCKED = 5
/**
 * Before BEGAN: the task was taken from the deque of a worker, whose number is from bit 8 on. Instead of the function:
 * the handle of the task that has forked it.
 */
export const STOLE = 6
/**
 * A task that the thread has forked itself has run, from the time of the entry on. Instead of the task: for how long,
 * in µs.
 */
export const RAN = 7
/**
 * Before BEGAN of a task with a time: the time at which it was due. Instead of the function: how many further times
 * have passed.
 */
export const DUE = 8

/** What rings have for the name of a wait is its place in this list. */
export const WAITS: readonly WaitedFor[] = [
  "Future",
  "ForkJoinTask",
  "BlockingQueue",
  ...SYNCHRONIZERS,
  "AbstractQueuedSynchronizer",
  "StructuredTaskScope",
  "Thread",
  "sleep",
  "termination",
]

/** With DUE: the task has a period. */
export const HAS_PERIOD = 0x100

/** With ENDED: how. */
export const SUCCEEDED = 0x100
export const FAILED = 0x200
export const WAS_CANCELLED = 0x300
/** With ENDED, besides: the thread itself has traced the run. */
export const TRACED = 0x400

/** The places of a ring. At 20 readings a second, a thread may run ten thousand tasks a second. */
const PLACES = 2048
const BYTES = ringWords(PLACES) * 4

/**
 * Writes the events of the threads of a pool into rings, from which the thread that made the pool reads them. Each line
 * of the worker table has a ring, in the arena. The first word of EVENTS says whether there is a listener; the others
 * name the block of the ring of each line.
 *
 * A ring belongs to the line. The worker of the line takes the block when it first has something to tell, and gives it
 * back when it is idle and there is no listener. If the worker ends, the next worker of the line goes on with the ring.
 */
export class WorkerEvents {
  readonly #memory: PoolMemory
  readonly #at: number
  #writer: EventRingWriter | undefined
  /** Whether there is no room for a ring. */
  #isFull = false
  /** The tasks whose runs the thread itself traces. */
  #traced: Set<number> | undefined

  constructor(memory: PoolMemory, line: number) {
    this.#memory = memory
    this.#at = BASE.EVENTS + line
  }

  /** The task in this slot begins. */
  began(slot: number, tasks: TaskRecords, isScheduled: boolean): void {
    const handle = tasks.handleOf(slot)
    if (isScheduled) {
      const period = tasks.periodOf(slot)
      const due = tasks.rankOf(slot)
      this.#write(DUE | (period === 0 ? 0 : HAS_PERIOD), handle, missedSince(due, period, sharedNow()), due)
    }
    this.write(BEGAN, handle, tasks.functionOf(slot))
  }

  /** The task in this slot, which is about to begin, was taken from the deque of `victim`. */
  stole(slot: number, tasks: TaskRecords, victim: number, parent: number): void {
    this.write(STOLE | (victim << 8), tasks.handleOf(slot), parent === 0 ? 0 : tasks.handleOf(parent))
  }

  /** A task that the thread has forked itself has run since `start`. */
  ran(start: number, end: number, fn: number, failed: boolean): void {
    const duration = Math.min(Math.round((end - start) * 1000), 2 ** 31 - 1)
    this.#write(RAN | (failed ? FAILED : SUCCEEDED), duration, fn, start)
  }

  /** The task in this slot is over. */
  ended(slot: number, tasks: TaskRecords): void {
    const state = tasks.stateOf(slot)
    const how = state >= CANCELLED ? WAS_CANCELLED : state === EXCEPTIONAL ? FAILED : SUCCEEDED
    const handle = tasks.handleOf(slot)
    this.write(ENDED | how | (this.#traced?.delete(handle) === true ? TRACED : 0), handle, 0)
  }

  /** The thread itself traces the run of this task. */
  noteTraced(handle: number): void {
    this.#traced ??= new Set()
    this.#traced.add(handle)
  }

  write(what: number, task: number, fn: number): void {
    this.#write(what, task, fn, sharedNow())
  }

  #write(what: number, task: number, fn: number, at: number): void {
    const writer = this.#writer ?? this.#open()
    writer?.write(what, task, fn, at)
  }

  /** The worker has nothing to do. */
  idle(): void {
    if (isListening(this.#memory)) {
      this.write(IDLE, 0, 0)
      return
    }
    this.#isFull = false
    const block = load(this.#memory.words, this.#at)
    if (block === 0) return
    this.#writer = undefined
    store(this.#memory.words, this.#at, 0)
    this.#memory.arena.give(block)
  }

  #open(): EventRingWriter | undefined {
    if (this.#isFull) return undefined
    const { words, arena } = this.#memory
    const known = load(words, this.#at)
    const block = known === 0 ? arena.take(BYTES) : known
    this.#isFull = block === 0
    if (block === 0) return undefined
    const ring = ringIn(this.#memory, block)
    if (known === 0) ring.fill(0)
    this.#writer = new EventRingWriter(ring, PLACES)
    store(words, this.#at, block)
    return this.#writer
  }
}

/** Reads the rings of a pool. */
export class PoolEventsReader {
  readonly #memory: PoolMemory
  readonly #readers: ({ readonly block: number; readonly ring: EventRingReader } | undefined)[] = []
  #dropped = 0

  constructor(memory: PoolMemory) {
    this.#memory = memory
  }

  /** From now on there are events of tasks that are submitted, or no longer. */
  listen(isOn: boolean): void {
    if (isOn) {
      const last = this.#memory.header(HEADER.WORKERS)
      for (let line = 1; line <= last; line++) this.#readers[line] = this.#newReader(line, false)
    }
    store(this.#memory.words, BASE.EVENTS, isOn ? 1 : 0)
  }

  #newReader(line: number, fromStart: boolean): { block: number; ring: EventRingReader } | undefined {
    const block = load(this.#memory.words, BASE.EVENTS + line)
    if (block === 0) return undefined
    return { block, ring: new EventRingReader(ringIn(this.#memory, block), PLACES, fromStart) }
  }

  /** How many entries were overwritten before they were read. */
  get dropped(): number {
    return this.#readers.reduce((sum, reader) => sum + (reader?.ring.dropped ?? 0), this.#dropped)
  }

  /** Calls `visit` with what is new in the ring of this line. */
  read(line: number, visit: (what: number, task: number, fn: number, at: number) => void): void {
    const at = BASE.EVENTS + line
    const block = load(this.#memory.words, at)
    let reader = this.#readers[line]
    if ((reader?.block ?? 0) !== block) {
      this.#dropped += reader?.ring.dropped ?? 0
      reader = this.#newReader(line, true)
      this.#readers[line] = reader
    }
    const entries: [number, number, number, number][] = []
    reader?.ring.read((...entry) => entries.push(entry))
    // The worker may have given the block back meanwhile: then it has written nothing since there was a listener.
    if (load(this.#memory.words, at) === block) for (const entry of entries) visit(...entry)
  }
}

/** How many further times at which a periodic task is due have passed, if it begins now. */
export function missedSince(due: number, period: number, now: number): number {
  return period > 0 ? Math.max(0, Math.floor((now - due) / period)) : 0
}

/** A plain read: one listener more or less for a moment changes nothing. */
export function isListening(memory: PoolMemory): boolean {
  return read(memory.words, BASE.EVENTS) !== 0
}

function ringIn(memory: PoolMemory, block: number): Int32Array {
  memory.arena.roomIn(block) // the memory of this thread may be shorter than the block's
  return new Int32Array(memory.arena.buffer, (block + BLOCK.DATA) * 4, ringWords(PLACES))
}
