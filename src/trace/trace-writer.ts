/** A trace in the JSON form of Chrome's trace event format, which Perfetto and Chrome's own viewers open. */
export interface ChromeTrace {
  /** All events, lanes first. */
  readonly traceEvents: readonly TraceEvent[]
  /** The unit in which viewers show times. The times of events are in microseconds all the same. */
  readonly displayTimeUnit: "ms"
  /** What is known of the recording as a whole. */
  readonly otherData: TraceFacts
}

/** What a {@link ChromeTrace} tells about the recording itself. */
export interface TraceFacts {
  /** When the recording began, as an ISO date. The times of events count from there. */
  readonly started: string
  /** How many events were lost, because threads wrote them faster than they could be read. */
  readonly dropped: number
}

/** An event of a {@link ChromeTrace}. The names of the fields are those of the format. */
export interface TraceEvent {
  /**
   * What it is: `M` names a process or a lane, `X` is a slice of time, `i` an instant, `C` a count, `s` and `f` are the
   * two ends of an arrow.
   */
  readonly ph: "M" | "X" | "i" | "C" | "s" | "f"
  /** The name of the task, of the count, or of what happened. */
  readonly name: string
  /** `task`, `submit`, `thread` or `queue`; events of kind `M` have none. */
  readonly cat?: string
  /** The process. */
  readonly pid: number
  /** The lane: a number of this recording, not the thread's id. */
  readonly tid: number
  /** When, in microseconds since the recording began; events of kind `M` have no time. */
  readonly ts?: number
  /** For how long, in microseconds, of `X`. */
  readonly dur?: number
  /** The same for both ends of an arrow. */
  readonly id?: number
  /** Of `i`: the instant belongs to its lane. */
  readonly s?: "t"
  /** Of `f`: the arrow ends at the slice in which this event is. */
  readonly bp?: "e"
  /** Details. */
  readonly args?: Readonly<Record<string, string | number>>
}

/** A moment of a lane. */
export interface Moment {
  readonly lane: number
  readonly time: number
}

/** The lane of the program itself. Other lanes have the numbers from 1 on. */
export const OWN_LANE = 0

/**
 * Writes what happened in lanes in Chrome's format. `corepool/trace` and the page of the monitor use it.
 *
 * Times are given in ms, on one clock. Those of a trace are multiples of an eighth of a microsecond. Readers multiply
 * them by 1000, and some cut off what is behind the point: a number that is not exact in binary would make two slices
 * overlap that only touch, and Perfetto drops slices that overlap.
 */
export class TraceWriter {
  readonly #pid: number
  readonly #origin: number
  readonly #lanes: TraceEvent[] = []
  readonly #events: TraceEvent[] = []
  #lastFlow = 0

  /** `origin` is when the trace begins. */
  constructor(pid: number, program: string, origin: number) {
    this.#pid = pid
    this.#origin = origin
    this.#name("process_name", OWN_LANE, program)
  }

  lane(lane: number, name: string): void {
    this.#name("thread_name", lane, name)
    this.#lanes.push({ ph: "M", name: "thread_sort_index", ...this.#place(lane), args: { sort_index: lane } })
  }

  #name(what: "process_name" | "thread_name", lane: number, name: string): void {
    this.#lanes.push({ ph: "M", name: what, ...this.#place(lane), args: { name } })
  }

  /** Slices of a lane must not overlap, unless one lies within the other. */
  slice(cat: string, name: string, { lane, time }: Moment, end: number, args: NonNullable<TraceEvent["args"]>): void {
    const ts = this.#microseconds(time)
    const dur = this.#microseconds(Math.max(end, time)) - ts
    this.#events.push({ ph: "X", name: name === "" ? "anonymous" : name, cat, ...this.#place(lane), ts, dur, args })
  }

  instant(cat: string, name: string, { lane, time }: Moment, args: NonNullable<TraceEvent["args"]> = {}): void {
    this.#events.push({ ph: "i", name, cat, ...this.#place(lane), ts: this.#microseconds(time), s: "t", args })
  }

  count(name: string, time: number, values: Readonly<Record<string, number>>): void {
    const place = this.#place(OWN_LANE)
    this.#events.push({ ph: "C", name, cat: "queue", ...place, ts: this.#microseconds(time), args: values })
  }

  /** An arrow between the slices in which the two moments are. It never points back in time. */
  arrow(name: string, from: Moment, to: Moment): void {
    const id = ++this.#lastFlow
    const end = this.#microseconds(to.time)
    const ts = Math.min(this.#microseconds(from.time), end)
    this.#events.push({ ph: "s", name, cat: "task", id, ...this.#place(from.lane), ts })
    this.#events.push({ ph: "f", bp: "e", name, cat: "task", id, ...this.#place(to.lane), ts: end })
  }

  /** `started` is the origin, in ms since 1970. */
  trace(started: number, dropped: number): ChromeTrace {
    // Outer slices stand before those that lie in them, and slices before the arrows at them.
    const events = this.#events.sort((a, b) => (a.ts ?? 0) - (b.ts ?? 0) || (b.dur ?? -1) - (a.dur ?? -1))
    return {
      traceEvents: [...this.#lanes, ...events],
      displayTimeUnit: "ms",
      otherData: { started: new Date(started).toISOString(), dropped },
    }
  }

  /** The program's lane has the number of the process, as the first thread of a process has on Linux. */
  #place(lane: number): { readonly pid: number; readonly tid: number } {
    return { pid: this.#pid, tid: this.#pid + lane }
  }

  #microseconds(time: number): number {
    return Math.max(0, Math.round((time - this.#origin) * 8000) / 8)
  }
}

/** The name of a thread mostly begins with that of its pool. */
export function laneName(pool: string, thread: string): string {
  return thread.startsWith(pool) ? thread : `${pool} ${thread}`
}
