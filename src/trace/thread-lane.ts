import type { PoolInfo } from "../events/event-source.ts"
import { laneName, type Moment, type TraceWriter } from "./trace-writer.ts"

type Details = Readonly<Record<string, string | number>>

interface Slice {
  readonly cat: string
  readonly name: string
  readonly start: number
  readonly end: number
  readonly args: Details
  /** Where and when the task was submitted. */
  readonly from: Moment | undefined
}

interface Open {
  readonly task: number
  readonly name: string
  readonly start: number
  readonly from: Moment | undefined
}

/**
 * What one thread has done: the runs of its tasks, its waits, and what happened to it.
 *
 * Runs may lie in each other: a fork/join thread runs other tasks while it waits for what it has forked. They may also
 * overlap, if asynchronous tasks take turns. In a trace slices must not overlap, so the thread then has several rows.
 */
export class ThreadLane {
  readonly #pool: PoolInfo
  readonly #name: string
  readonly #slices: Slice[] = []
  readonly #instants: { readonly name: string; readonly time: number; readonly args: Details | undefined }[] = []
  readonly #steals: { readonly task: number; readonly time: number; readonly victim: ThreadLane }[] = []
  /** The slices with the lane in which each was written. */
  readonly #written: { readonly slice: Slice; readonly lane: number }[] = []
  #runs: Open[] = []
  #waits: Open[] = []
  /** False until a task has begun or ended. */
  #isKnown = false

  constructor(pool: PoolInfo, thread: string) {
    this.#pool = pool
    this.#name = laneName(pool.name, thread)
  }

  begin(task: number, name: string, start: number, from: Moment | undefined): void {
    this.#runs.push({ task, name, start, from })
    this.#isKnown = true
  }

  /** A task whose beginning is unknown, because it began before the recording did at `earliest`, begins there. */
  end(task: number, name: string, time: number, outcome: string, earliest: number): void {
    const run = take(this.#runs, (it) => it.task === task)
    if (run !== undefined) this.#addRun(run, time, outcome)
    else if (!this.#isKnown) this.#addRun({ task, name, start: earliest, from: undefined }, time, outcome)
    this.#isKnown = true
  }

  block(task: number, name: string, start: number): void {
    this.#waits.push({ task, name, start, from: undefined })
  }

  unblock(name: string, time: number): void {
    const wait = take(this.#waits, (it) => it.name === name)
    if (wait !== undefined) this.#addWait(wait, time)
  }

  /** All that is under way ends. */
  endAll(time: number, outcome: string): void {
    for (const wait of this.#waits) this.#addWait(wait, time)
    for (const run of this.#runs) this.#addRun(run, time, outcome)
    this.#waits = []
    this.#runs = []
  }

  instant(name: string, time: number, args?: Details): void {
    this.#instants.push({ name, time, args })
  }

  /** The thread has taken the task, which it begins next, from `victim`. */
  steal(task: number, time: number, victim: ThreadLane): void {
    this.#steals.push({ task, time, victim })
  }

  #addRun({ task, name, start, from }: Open, end: number, outcome: string): void {
    const wait = from === undefined ? {} : { wait: Math.max(0, start - from.time) }
    this.#slices.push({ cat: "task", name, start, end, args: { pool: this.#pool.name, task, outcome, ...wait }, from })
  }

  #addWait({ task, name, start }: Open, end: number): void {
    this.#slices.push({ cat: "blocked", name: `wait for ${name}`, start, end, args: { task }, from: undefined })
  }

  /** Writes lanes from the number `first` on; how many. */
  write(writer: TraceWriter, first: number): number {
    writer.lane(first, this.#name)
    for (const { name, time, args } of this.#instants) writer.instant("thread", name, { lane: first, time }, args)
    /** Of each row, when the slices end that are open, the innermost last. */
    const rows: number[][] = [[]]
    // Outer slices come before the inner ones.
    for (const slice of this.#slices.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
      const row = rowFor(rows, slice)
      const lane = first + row
      if (row >= rows.length) {
        rows.push([])
        writer.lane(lane, `${this.#name} (${row + 1})`)
      }
      rows[row]?.push(slice.end)
      this.#written.push({ slice, lane })
      const moment = { lane, time: slice.start }
      writer.slice(slice.cat, slice.name, moment, slice.end, slice.args)
      if (slice.from !== undefined) writer.arrow("submitted", slice.from, moment)
    }
    return rows.length
  }

  /**
   * Writes an arrow for each steal, from what the other thread did at that moment to the run of the stolen task; none
   * if the recording has not both. To be called when all lanes are written.
   */
  writeSteals(writer: TraceWriter): void {
    if (this.#steals.length === 0) return
    const runs = new Map(
      this.#written.filter(({ slice }) => slice.cat === "task").map((it) => [it.slice.args["task"], it]),
    )
    for (const { task, time, victim } of this.#steals) {
      const run = runs.get(task)
      const from = victim.#at(time)
      if (run !== undefined && from !== undefined)
        writer.arrow("stolen", { lane: from, time }, { lane: run.lane, time: run.slice.start })
    }
  }

  /** The lane that has a slice at this time. */
  #at(time: number): number | undefined {
    return this.#written.find(({ slice: { start, end } }) => start <= time && time < end)?.lane
  }
}

/** The first row in which the slice lies in another one, or beside them; else a new row. */
function rowFor(rows: readonly number[][], { start, end }: Slice): number {
  const found = rows.findIndex((open) => {
    while (open.length > 0 && (open.at(-1) as number) <= start) open.pop()
    return end <= (open.at(-1) ?? Infinity)
  })
  return found === -1 ? rows.length : found
}

/** Removes the last item that fits. */
function take<T>(items: T[], fits: (item: T) => boolean): T | undefined {
  const place = items.findLastIndex(fits)
  return place === -1 ? undefined : items.splice(place, 1)[0]
}
