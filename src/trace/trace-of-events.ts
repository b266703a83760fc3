import type { PoolEvent, PoolInfo, ThreadInfo } from "../events/event-source.ts"
import { ThreadLane } from "./thread-lane.ts"
import { type ChromeTrace, type Moment, OWN_LANE, TraceWriter } from "./trace-writer.ts"

/** Submissions that follow each other within this time, in ms, are one slice: an arrow needs a slice to begin at. */
const BURST = 0.1
/** A count is written at most about twice in this time, in ms. */
const COUNT_INTERVAL = 0.1

/** A stretch of time that was recorded; `from` and `to` in ms on the clock of the events. */
export interface Recorded {
  readonly from: number
  readonly to: number
  /** When it began, in ms since 1970. */
  readonly started: number
  readonly dropped: number
  readonly pid: number
  readonly program: string
}

/** The trace of what the events tell, in any order. */
export function traceOfEvents(events: readonly PoolEvent[], recorded: Recorded): ChromeTrace {
  const builder = new TraceBuilder(recorded)
  for (const event of events.toSorted((a, b) => a.time - b.time || rank(a) - rank(b))) builder.add(event)
  return builder.trace()
}

/** Clocks of threads may differ by little, and a task does not begin before it was submitted. */
function rank({ kind }: PoolEvent): number {
  return kind === "submitted" ? 0 : 1
}

interface Burst {
  readonly start: number
  end: number
  name: string
  tasks: number
}

interface PoolCount {
  queued: number
  changedAt: number
  writtenAt: number
}

/** Makes a trace of events in the order of their times. */
class TraceBuilder {
  readonly #recorded: Recorded
  readonly #writer: TraceWriter
  readonly #lanes: ThreadLane[] = []
  readonly #living = new Map<ThreadInfo, ThreadLane>()
  /** When tasks were submitted that have not begun. */
  readonly #submissions = new Map<PoolInfo, Map<number, Moment>>()
  readonly #counts = new Map<PoolInfo, PoolCount>()
  #burst: Burst | undefined

  constructor(recorded: Recorded) {
    this.#recorded = recorded
    this.#writer = new TraceWriter(recorded.pid, recorded.program, recorded.from)
    this.#writer.lane(OWN_LANE, "submissions")
  }

  add(event: PoolEvent): void {
    const { kind, time, pool, thread, task, name } = event
    switch (kind) {
      case "submitted":
        this.#submit(pool, task, name, time)
        break
      case "rejected":
        this.#take(pool, task, time)
        this.#writer.instant("submit", "rejected", { lane: OWN_LANE, time }, { pool: pool.name, task, function: name })
        break
      case "settled":
        this.#take(pool, task, time) // it was cancelled before it began, or has been taken already
        break
      default:
        if (thread !== undefined) this.#addToLane(event, thread, this.#laneOf(pool, thread))
    }
  }

  #addToLane({ kind, time, pool, task, name, outcome, from }: PoolEvent, thread: ThreadInfo, lane: ThreadLane): void {
    switch (kind) {
      case "began":
        lane.begin(task, name, time, this.#take(pool, task, time))
        break
      case "ended":
        lane.end(task, name, time, outcome ?? "unknown", this.#recorded.from)
        break
      case "blocked":
        lane.block(task, name, time)
        break
      case "unblocked":
        lane.unblock(name, time)
        break
      case "exited":
        lane.endAll(time, "died")
        lane.instant(outcome === "failed" ? "died" : "exited", time)
        this.#living.delete(thread)
        break
      case "started":
        lane.instant("started", time)
        break
      case "stole":
        lane.instant("stole", time, from === undefined ? { task } : { task, from: from.name })
        if (from !== undefined) lane.steal(task, time, this.#laneOf(pool, from))
        break
      default:
    }
  }

  #laneOf(pool: PoolInfo, thread: ThreadInfo): ThreadLane {
    const known = this.#living.get(thread)
    if (known !== undefined) return known
    const lane = new ThreadLane(pool, thread.name)
    this.#lanes.push(lane)
    this.#living.set(thread, lane)
    return lane
  }

  // ------------------------------------------------------------------ tasks that wait

  #submit(pool: PoolInfo, task: number, name: string, time: number): void {
    const tasks = this.#submissions.get(pool) ?? new Map<number, Moment>()
    this.#submissions.set(pool, tasks)
    if (!tasks.has(task)) this.#count(pool, time, 1)
    tasks.set(task, { lane: OWN_LANE, time })
    const burst = this.#burst
    if (burst === undefined || time > burst.end + BURST) {
      this.#endBurst()
      this.#burst = { start: time, end: time, name, tasks: 1 }
    } else {
      burst.end = time
      burst.tasks++
      if (burst.name !== name) burst.name = "several"
    }
  }

  #endBurst(): void {
    if (this.#burst === undefined) return
    const { start, end, name, tasks } = this.#burst
    // A microsecond more than nothing: a slice of no length holds no arrow.
    this.#writer.slice("submit", `submit ${name}`.trimEnd(), { lane: OWN_LANE, time: start }, end + 0.001, { tasks })
    this.#burst = undefined
  }

  #take(pool: PoolInfo, task: number, time: number): Moment | undefined {
    const tasks = this.#submissions.get(pool)
    const submitted = tasks?.get(task)
    if (tasks?.delete(task) === true) this.#count(pool, time, -1)
    return submitted
  }

  /** Writes the first count of a burst of changes, some in between and the last one. */
  #count(pool: PoolInfo, time: number, change: number): void {
    const count = this.#counts.get(pool) ?? { queued: 0, changedAt: -Infinity, writtenAt: -Infinity }
    this.#counts.set(pool, count)
    if (time - count.changedAt >= COUNT_INTERVAL) this.#writeCount(pool, count)
    count.queued += change
    count.changedAt = time
    if (time - count.writtenAt >= COUNT_INTERVAL) this.#writeCount(pool, count)
  }

  #writeCount(pool: PoolInfo, count: PoolCount): void {
    if (count.changedAt <= count.writtenAt) return // nothing new
    this.#writer.count(`${pool.name} queue`, count.changedAt, { queued: count.queued })
    count.writtenAt = count.changedAt
  }

  trace(): ChromeTrace {
    const { to, started, dropped } = this.#recorded
    this.#endBurst()
    for (const lane of this.#living.values()) lane.endAll(to, "running")
    let next = OWN_LANE + 1
    for (const lane of this.#lanes) next += lane.write(this.#writer, next)
    for (const lane of this.#lanes) lane.writeSteals(this.#writer)
    for (const [pool, count] of this.#counts) this.#writeCount(pool, count)
    return this.#writer.trace(started, dropped)
  }
}
