import {
  observing,
  type PoolInfo,
  type RingPool,
  type RingSink,
  type TaskOutcome,
  type ThreadInfo,
  threadInfoOf,
  type WaitedFor,
} from "../../observing.ts"
import type { Thread } from "../../thread/thread.ts"
import type { FunctionTable } from "../memory/function-table.ts"
import { HEADER } from "../memory/layout.ts"
import type { PoolMemory } from "../memory/pool-memory.ts"
import type { SharedWorker } from "../memory/workers/shared-worker.ts"
import {
  BEGAN,
  BLOCKED,
  DUE,
  ENDED,
  FAILED,
  HAS_PERIOD,
  IDLE,
  PoolEventsReader,
  RAN,
  STOLE,
  SUCCEEDED,
  TRACED,
  UNBLOCKED,
  WAITS,
} from "../memory/workers/worker-events.ts"

/** An entry of a ring, and whose it is. */
interface Entry {
  readonly thread: ThreadInfo
  readonly what: number
  readonly task: number
  readonly fn: number
  readonly at: number
}

/**
 * Reports the events of the threads of a pool to the observer: those that the owner notices itself, and those that it
 * reads from the rings of the threads.
 */
export class ThreadEvents implements RingPool {
  readonly info: PoolInfo
  readonly #memory: PoolMemory
  readonly #reader: PoolEventsReader
  readonly #functions: FunctionTable
  readonly #threadOf: (worker: number) => Thread
  readonly #names = new Map<number, string>()

  constructor(memory: PoolMemory, info: PoolInfo, functions: FunctionTable, threadOf: (worker: number) => Thread) {
    this.info = info
    this.#memory = memory
    this.#functions = functions
    this.#threadOf = threadOf
    this.#reader = new PoolEventsReader(memory)
    observing.rings.add(this)
    if (observing.by !== undefined) this.listen(true)
  }

  listen(isOn: boolean): void {
    this.#reader.listen(isOn)
  }

  get droppedEvents(): number {
    return this.#reader.dropped
  }

  started(_worker: SharedWorker, thread: Thread): void {
    observing.by?.started(this.info, threadInfoOf(thread))
  }

  /** The worker no longer belongs to the pool. Its thread is still known. */
  exited(_worker: SharedWorker, thread: Thread, died: boolean): void {
    if (observing.by === undefined) return
    observing.by.readRings(this)
    observing.by.exited(this.info, threadInfoOf(thread), died)
  }

  /** The pool has ended. */
  end(): void {
    observing.by?.poolEnded(this)
    observing.rings.delete(this)
  }

  readRings(sink: RingSink): void {
    const entries: Entry[] = []
    this.#readAll(entries)
    if (this.#memory.deques !== undefined && entries.length > 0) {
      // What a thread has forked may be read before the run that has forked it: that one is in its ring now.
      if (entries.some(({ what }) => (what & 0xff) === STOLE)) this.#readAll(entries)
      entries.sort((one, other) => writtenAt(one) - writtenAt(other))
    }
    for (const entry of entries) this.#pass(sink, entry)
  }

  #readAll(entries: Entry[]): void {
    const last = this.#memory.header(HEADER.WORKERS)
    for (let line = 1; line <= last; line++) {
      let thread: ThreadInfo | undefined
      this.#reader.read(line, (what, task, fn, at) => {
        thread ??= this.#infoAt(line)
        entries.push({ thread, what, task, fn, at })
      })
    }
  }

  #infoAt(line: number): ThreadInfo {
    return threadInfoOf(this.#threadOf(line))
  }

  #pass(sink: RingSink, { thread, what, task, fn, at }: Entry): void {
    const more = what & 0x300
    const name = (): string => this.#nameOf(fn)
    switch (what & 0xff) {
      case BEGAN:
        sink.ringBegan(this.info, thread, task, at, name)
        break
      case ENDED:
        sink.ringEnded(thread, task, at, outcomeOf(more), (what & TRACED) !== 0)
        break
      case IDLE:
        sink.ringIdle(this.info, thread, at)
        break
      case BLOCKED:
        sink.ringBlocked(this.info, thread, task, at, WAITS[fn] as WaitedFor)
        break
      case UNBLOCKED:
        sink.ringUnblocked(this.info, thread, task, at, WAITS[fn] as WaitedFor)
        break
      case STOLE:
        sink.ringStole(thread, task, at, this.#infoAt(what >>> 8), fn)
        break
      case RAN:
        sink.ringRan(this.info, thread, at, writtenAt({ what, task, at }), outcomeOf(more), name)
        break
      case DUE:
        sink.ringDue(thread, task, { isPeriodic: more === HAS_PERIOD, due: at, missed: fn })
        break
      default:
    }
  }

  #nameOf(fn: number): string {
    const known = this.#names.get(fn)
    if (known !== undefined) return known
    const name = this.#functions.nameOf(fn)
    this.#names.set(fn, name)
    return name
  }
}

function outcomeOf(how: number): TaskOutcome {
  return how === SUCCEEDED ? "success" : how === FAILED ? "failed" : "cancelled"
}

/** When the entry was written. That of a run says when that began, and for how many µs it lasted. */
function writtenAt({ what, task, at }: Pick<Entry, "what" | "task" | "at">): number {
  return (what & 0xff) === RAN ? at + task / 1000 : at
}
