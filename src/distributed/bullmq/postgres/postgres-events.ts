import { runtime } from "#host/runtime/clock"
import type { PgQueryable, PgStatement } from "../bull-types.ts"
import type { PostgresBell } from "./postgres-bell.ts"
import { CONTROL, EVENTS_KEPT, type EventSink, JOB_EVENTS } from "../store.ts"

const KINDS = [...JOB_EVENTS, CONTROL]
const BATCH = 1000

/** Statements have names, so that each connection parses and plans them once. */
type Statement = Pick<PgStatement, "name" | "text">

const READ: Statement = {
  name: "corepool_events_read",
  text: `SELECT id, queue, event, data FROM event
  WHERE queue = ANY($1::text[]) AND id > $2 AND event = ANY($3::text[]) AND NOT (id = ANY($4::bigint[]))
  ORDER BY id LIMIT ${BATCH}`,
}
const AGAIN: Statement = {
  name: "corepool_events_again",
  text: `SELECT id FROM event
  WHERE queue = ANY($1::text[]) AND id > $2 AND id <= $3 AND event = ANY($4::text[])`,
}
const SINGLE: Statement = {
  name: "corepool_events_single",
  text: `SELECT id, queue, event, data FROM event WHERE queue = ANY($1::text[]) AND id = ANY($2::bigint[]) ORDER BY id`,
}
const TOP: Statement = {
  name: "corepool_events_top",
  text: `SELECT last_value AS top FROM event_seq`,
}

/** After an event was read, the next reads come after so many milliseconds; then one a second. */
const PAUSES = [20, 50, 100, 250]
const IDLE_PAUSE = 1000

/** Events of transactions that take no longer than this are found by the next read. */
const OVERLAP = 150

/** How often, and how many times, events of longer transactions are looked for. */
const REVIEW = 500
const REVIEWS = 4

/** How many numbers before the first one may belong to transactions that have not ended. */
const BEFORE = 2000

interface EventRow {
  readonly id: string
  readonly queue: string
  readonly event: string
  readonly data: Readonly<Record<string, unknown>> | null
}

export interface EventSource {
  readonly pool: PgQueryable
  readonly bell: PostgresBell
  /** The channel on which notifications of new events come. */
  readonly channel: string
  readonly queues: readonly string[]
  readonly sink: EventSink
}

/**
 * Reads BullMQ's table of events. It misses no event, or reports a gap.
 *
 * How it works. Events have ascending numbers, and the reader asks for those above the last one that it has read. But
 * an event gets its number when it is written, and becomes visible when its transaction is committed: of two
 * simultaneous transactions the one with the lower number may be the later one. A reader that has seen the higher
 * number would never ask for the lower. So each read begins a little before the last number and leaves out events that
 * were read already; and twice a second the numbers of the last seconds are checked once more.
 *
 * BullMQ also leaves out notifications when several transactions end at once, and a notification that it sends may come
 * before the last of them has ended. So the reader reads again shortly after it has read something, and once a second
 * otherwise.
 *
 * Events that were removed before they were read are a gap.
 */
export class PostgresEvents {
  readonly #source: EventSource
  readonly #end = new AbortController()
  /** The number of the last event that was read. */
  #cursor = 0
  /** The cursor at the last reviews, the oldest first. Numbers up to the first one are settled. */
  #marks: number[] = []
  /** The highest number of the database at these reviews: events of other queues use numbers, too. */
  readonly #tops: number[] = []
  /** The numbers above the first mark that were passed to the sink. */
  readonly #seen = new Set<number>()
  /** The cursor at the last reads, the oldest first. */
  readonly #readings: { readonly time: number; readonly cursor: number }[] = []
  #lastReview = 0
  #quiet = 0
  #isBroken = false
  #reading: Promise<void> | undefined

  constructor(source: EventSource) {
    this.#source = source
  }

  async start(): Promise<void> {
    const { bell, queues, sink } = this.#source
    await bell.start()
    bell.onLoss(() => void (this.#isBroken = true))
    this.#cursor = await this.#top()
    this.#marks = [this.#cursor - BEFORE]
    const before = await this.#query<{ id: string }>(AGAIN, queues, this.#cursor - BEFORE, this.#cursor, KINDS)
    for (const { id } of before) this.#seen.add(Number(id))
    this.#lastReview = runtime.now()
    this.#reading = this.#readOn().catch((error: unknown) => sink.error(error))
  }

  async stop(): Promise<void> {
    this.#end.abort()
    await this.#reading
  }

  async #readOn(): Promise<void> {
    const { bell, channel, queues, sink } = this.#source
    while (!this.#end.signal.aborted) {
      try {
        const count = await this.#read()
        await this.#review()
        if (this.#isBroken) {
          this.#isBroken = false
          sink.gap()
        }
        if (count === BATCH) continue
      } catch (error) {
        if (this.#end.signal.aborted) return
        if (!this.#isBroken) sink.error(error)
        this.#isBroken = true
      }
      const pause = this.#isBroken ? 250 : (PAUSES[this.#quiet] ?? IDLE_PAUSE)
      this.#quiet++
      await bell.wait(channel, queues, pause, this.#end.signal)
    }
  }

  async #read(): Promise<number> {
    const from = this.#overlapped()
    const told = [...this.#seen].filter((id) => id > from)
    const rows = await this.#query<EventRow>(READ, this.#source.queues, from, KINDS, told)
    for (const row of rows) this.#tell(row)
    this.#cursor = Math.max(this.#cursor, Number(rows.at(-1)?.id ?? 0))
    if (rows.length > 0) this.#quiet = 0
    return rows.length
  }

  /** The number from which to read. */
  #overlapped(): number {
    const now = runtime.now()
    while (this.#readings.length > 1 && now - (this.#readings[1]?.time ?? now) > OVERLAP) this.#readings.shift()
    if (now !== this.#readings.at(-1)?.time) this.#readings.push({ time: now, cursor: this.#cursor })
    return this.#readings[0]?.cursor ?? this.#cursor
  }

  /** Looks for events that were committed late, and for events that were removed before they were read. */
  async #review(): Promise<void> {
    const now = runtime.now()
    if (now - this.#lastReview < REVIEW) return
    this.#lastReview = now
    const top = await this.#top()
    if (top - Math.max(this.#cursor, this.#tops[0] ?? 0) > EVENTS_KEPT) this.#source.sink.gap()
    const settled = this.#marks[0] ?? 0
    if (this.#cursor > settled) await this.#tellLate(settled)
    this.#marks.push(this.#cursor)
    this.#tops.push(top)
    if (this.#marks.length > REVIEWS) this.#marks.shift()
    if (this.#tops.length > REVIEWS) this.#tops.shift()
    for (const id of this.#seen) if (id <= (this.#marks[0] ?? 0)) this.#seen.delete(id)
  }

  async #tellLate(settled: number): Promise<void> {
    const { queues } = this.#source
    const rows = await this.#query<{ id: string }>(AGAIN, queues, settled, this.#cursor, KINDS)
    const late = rows.filter(({ id }) => !this.#seen.has(Number(id))).map(({ id }) => id)
    if (late.length === 0) return
    for (const row of await this.#query<EventRow>(SINGLE, queues, late)) this.#tell(row)
  }

  #tell({ id, event, data }: EventRow): void {
    this.#seen.add(Number(id))
    const fields = Object.entries(data ?? {}).map(([name, value]) => [name, String(value)] as const)
    this.#source.sink.event(event, Object.fromEntries(fields))
  }

  async #top(): Promise<number> {
    const [row] = await this.#query<{ top: string }>(TOP)
    return Number(row?.top ?? 0)
  }

  async #query<R>(statement: Statement, ...values: unknown[]): Promise<R[]> {
    return (await this.#source.pool.query<R>({ ...statement, values })).rows
  }
}
