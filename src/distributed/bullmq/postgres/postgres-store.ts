import type { JobCounts } from "../../job/engine.ts"
import type { JobData } from "../../job/job-data.ts"
import { parsed, textIn, toStorable, toStorableJson, unwrapped } from "../names.ts"
import type { Bull, BullBackend, BullJob, PgBackend, PgConnection, PgStatement } from "../bull-types.ts"
import { EVENTS, JOBS, MESSAGES, PostgresBell } from "./postgres-bell.ts"
import { PostgresBench } from "./postgres-bench.ts"
import { PostgresEvents } from "./postgres-events.ts"
import { QueueNotes } from "../queue-notes.ts"
import {
  type Bench,
  CONTROL,
  controlQueue,
  EVENTS_KEPT,
  type EventSink,
  type Store,
  type StoredData,
  type StoredJob,
} from "../store.ts"

/** Whether the time of an outcome is over, by the server's clock. */
const IS_EXPIRED = `(state IN ('completed', 'failed') AND finished_at_ms < (extract(epoch FROM clock_timestamp()) * 1000)::bigint
  - CASE jsonb_typeof(opts->'keep') WHEN 'number' THEN (opts->>'keep')::numeric ELSE 0 END)`

/** Statements have names, so that each connection parses and plans them once. */
type Statement = Pick<PgStatement, "name" | "text">

/**
 * BullMQ's function for many jobs makes and drops two tables each time. Up to so many jobs, adding each by itself is
 * faster.
 */
const FEW = 40

/** $1 queue, $2 jobs. */
const ADD = adding("corepool_add", "SELECT 1 FROM ", "$1")

/**
 * $1 queue, $2 jobs, $3 ids that may have outcomes whose time is over. Such outcomes are deleted first. Each step reads
 * the result of the step before, which fixes their order. Rows are locked in the order of ids, so that two processes do
 * not wait for each other.
 */
const ADD_NAMED = adding(
  "corepool_add_named",
  `WITH expired AS MATERIALIZED (SELECT id FROM job WHERE queue = $1 AND ${IS_EXPIRED} AND id = ANY($3::text[]) ORDER BY id FOR UPDATE),
    gone AS (DELETE FROM job WHERE queue = $1 AND id IN (SELECT id FROM expired) RETURNING id)
    SELECT 1 FROM (SELECT count(*) AS number FROM gone) AS cleared, LATERAL `,
  "CASE WHEN cleared.number >= 0 THEN $1 END",
)

function adding(name: string, before: string, queue: string): Readonly<Record<"few" | "many", Statement>> {
  const few = `jsonb_array_elements($2::jsonb) AS entry,
    LATERAL add_job(${queue}, entry->>'id', entry->>'name', (entry->>'data')::jsonb, entry->'opts', (entry->>'priority')::integer,
      (entry->>'delay')::bigint, (entry->>'timestamp')::bigint, (entry->>'attempts')::integer, NULL, NULL, NULL, NULL, NULL, false)`
  return {
    few: { name: `${name}_few`, text: before + few },
    many: { name: `${name}_many`, text: `${before}add_jobs_bulk(${queue}, $2::jsonb)` },
  }
}

const FIND = `SELECT id, name, state::text AS state, data, process_at_ms AS due, return_value::text AS returned,
  failed_reason AS reason, progress FROM job WHERE queue = $1 AND id = ANY($2::text[]) AND ($3::boolean OR NOT ${IS_EXPIRED})`

/**
 * Rows are locked in the order of ids, so that two processes do not wait for each other. A job that a node takes just
 * then is not one that waits any more.
 */
const REMOVE = `WITH gone AS (
    DELETE FROM job WHERE queue = $1 AND id IN (SELECT id FROM job
      WHERE queue = $1 AND id = ANY($2::text[]) AND state IN ('waiting', 'delayed') ORDER BY id FOR UPDATE) RETURNING id)
  SELECT id, publish_event($1, 'removed', jsonb_build_object('jobId', id)) FROM gone`

/**
 * BullMQ's channel tells of the events of each job of all queues. A node listens to a channel of corepool, which tells
 * only of messages.
 */
const PUBLISH = `SELECT pg_notify('${MESSAGES}', CASE WHEN told.id > 0 THEN $1 END) FROM publish_event($1, $2, $3::jsonb) AS told(id)`

const UPDATE = `UPDATE job SET data = $3::jsonb
  WHERE queue = $1 AND id = $2 AND state NOT IN ('completed', 'failed') RETURNING id`

/** Only one process of the fleet cleans at a time, and not all outcomes in one statement. */
const CLEAN = `WITH turn AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(hashtext('corepool:clean:' || $1)) AS is_ours)
  DELETE FROM job WHERE (SELECT is_ours FROM turn) AND queue = $1 AND state IN ('completed', 'failed') AND id IN (
    SELECT id FROM job WHERE queue = $1 AND state IN ('completed', 'failed')
      AND ${IS_EXPIRED} LIMIT 10000 FOR UPDATE SKIP LOCKED)`

interface JobRow {
  readonly id: string
  readonly name: string
  readonly state: string
  readonly data: unknown
  readonly due: string | null
  readonly returned: string | null
  readonly reason: string | null
  readonly progress: unknown
}

export interface PostgresContext {
  readonly bull: Bull
  readonly connection: PgConnection
  readonly queue: string
  /** An executor is notified of jobs and messages, a node only of messages. */
  readonly isExecutor: boolean
  readonly now: () => number
}

/**
 * A queue in PostgreSQL. BullMQ's own functions add, claim, renew and end jobs. They are called as BullMQ calls them,
 * or several in one statement (see also postgres-bench.ts). Five things are done here by statements of corepool, on
 * BullMQ's tables:
 *
 * - Looking up many jobs at once, which BullMQ cannot.
 * - Removing: BullMQ's `remove` first looks and then deletes, so that a job which a node takes in between vanishes
 *   while it runs; it also removes jobs that have ended, and tells no listener.
 * - Replacing data, which BullMQ also does for a node that has lost the job.
 * - Removing old outcomes: BullMQ's limit of age belongs to the queue and not to the job. The end of one job would
 *   remove the outcomes of others.
 * - Deleting, in the statement that adds a job, an expired outcome of the same id that has not been removed yet.
 *
 * The time in the commands is the server's, not that of the calling machine.
 */
export class PostgresStore extends QueueNotes implements Store {
  readonly #context: PostgresContext
  readonly #backend: BullBackend
  readonly #bell: PostgresBell
  #events: PostgresEvents | undefined

  constructor(context: PostgresContext) {
    const { connection, queue } = context
    super(backendOf(context, controlQueue(queue), {}))
    this.#context = context
    this.#backend = backendOf(context, queue, {})
    const channels = context.isExecutor ? [EVENTS] : [JOBS, MESSAGES]
    this.#bell = new PostgresBell(connection, channels, [queue, controlQueue(queue)])
  }

  async time(): Promise<number> {
    const [row] = await this.#query<{ now: number }>(
      "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now",
    )
    return row?.now ?? 0
  }

  async add(jobs: readonly BullJob[], named: readonly string[]): Promise<void> {
    const { connection, queue } = this.#context
    const { few, many } = named.length === 0 ? ADD : ADD_NAMED
    const entries = JSON.stringify(jobs.map((job) => ({ ...job, attempts: job.opts?.attempts })))
    const values = named.length === 0 ? [queue, entries] : [queue, entries, named]
    await connection.pool.query({ ...(jobs.length <= FEW ? few : many), values })
  }

  async find(jobIds: readonly string[], withExpired: boolean): Promise<(StoredJob | undefined)[]> {
    const rows = await this.#query<JobRow>(FIND, this.#context.queue, jobIds, withExpired)
    const found = new Map(rows.map((row) => [row.id, storedOf(row)]))
    return jobIds.map((jobId) => found.get(jobId))
  }

  async remove(jobIds: readonly string[]): Promise<string[]> {
    const removed = await this.#query<{ id: string }>(REMOVE, this.#context.queue, jobIds)
    return removed.map(({ id }) => id)
  }

  async update(jobId: string, data: JobData): Promise<boolean> {
    return (await this.#query(UPDATE, this.#context.queue, jobId, toStorableJson(data))).length > 0
  }

  progress(jobId: string, value: unknown): Promise<void> {
    return this.#backend.updateProgress(jobId, JSON.parse(toStorableJson(value)))
  }

  async counts(): Promise<JobCounts> {
    const states = ["waiting", "prioritized", "delayed", "active", "completed", "failed"]
    const [waiting = 0, prioritized = 0, delayed = 0, active = 0, completed = 0, failed = 0] =
      await this.#backend.getCounts(states)
    return { waiting: waiting + prioritized, delayed, active, completed, failed }
  }

  async clean(): Promise<void> {
    await this.#query(CLEAN, this.#context.queue)
  }

  async publish(message: string): Promise<void> {
    const queue = controlQueue(this.#context.queue)
    await this.#query(PUBLISH, queue, CONTROL, JSON.stringify({ message: toStorable(message) }))
  }

  async listen(sink: EventSink): Promise<void> {
    const { queue, isExecutor, connection } = this.#context
    if (isExecutor) await this.#backend.setQueueMeta({ "opts.maxLenEvents": EVENTS_KEPT })
    const queues = isExecutor ? [queue, controlQueue(queue)] : [controlQueue(queue)]
    const channel = isExecutor ? EVENTS : MESSAGES
    this.#events ??= new PostgresEvents({ pool: connection.pool, bell: this.#bell, channel, queues, sink })
    await this.#events.start()
  }

  bench(node: string, lockDuration: number): Promise<Bench> {
    const { connection, queue, now } = this.#context
    const backendWith = (options: object): PgBackend => backendOf(this.#context, queue, options)
    const context = { connection, backendWith, bell: this.#bell, queue, now }
    return Promise.resolve(new PostgresBench(context, node, lockDuration))
  }

  async close(): Promise<void> {
    const stopping = this.#bell.stop()
    await this.#events?.stop()
    await stopping
    const closing = this.#context.connection.close()
    this.#bell.hush()
    await closing
  }

  async #query<R>(text: string, ...values: unknown[]): Promise<R[]> {
    return (await this.#context.connection.pool.query<R>(text, values)).rows
  }
}

/** None of the commands that are used here contains the time of the calling machine. */
function backendOf({ bull, connection }: PostgresContext, queue: string, options: object): PgBackend {
  return new bull.PostgresQueueBackend(connection, queue, options, false)
}

function storedOf(row: JobRow): StoredJob {
  return {
    jobId: row.id,
    name: row.name,
    data: unwrapped(row.data) as StoredData,
    state: row.state,
    dueAt: row.due === null ? undefined : Number(row.due),
    returned: row.returned === null ? undefined : textIn(parsed(row.returned)),
    reason: row.reason ?? undefined,
    progress: row.progress === null ? undefined : unwrapped(row.progress),
  }
}
