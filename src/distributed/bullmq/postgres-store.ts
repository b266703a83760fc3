/**
 * A queue in PostgreSQL. What BullMQ's own functions do well is left to them: adding, claiming, renewing and ending jobs. Five things are
 * done here by statements of our own, on BullMQ's tables:
 *
 * - Looking up many jobs at once, which BullMQ cannot.
 * - Removing: BullMQ's `remove` looks first and deletes then, so that a job which a node takes in between vanishes while it runs; it also removes jobs
 *   that have ended, and tells no listener.
 * - Replacing data, which BullMQ does also for a node that has lost the job.
 * - Removing old outcomes: BullMQ's limit of age is of the queue and not of the job. The end of one job would remove the outcomes of others.
 * - Making room, in the statement that adds a job, for an id whose outcome is too old and has not been removed yet.
 *
 * The time in BullMQ's commands is that of the calling machine; here it is the server's.
 */
import type { JobCounts } from "../engine.ts"
import type { JobData } from "../job-data.ts"
import { parsed, textIn, toStorable, toStorableJson, unwrapped } from "./names.ts"
import { BullBench, NEVER_GIVEN_UP } from "./bull-bench.ts"
import type { Bull, BullBackend, BullJob, PgBackend, PgConnection, Rows } from "./bull-types.ts"
import { PostgresBell } from "./postgres-bell.ts"
import { PostgresEvents } from "./postgres-events.ts"
import { withServerTime } from "./server-clock.ts"
import {
  type Bench,
  CONTROL,
  controlQueue,
  EVENTS_KEPT,
  type EventSink,
  type Hold,
  type Store,
  type StoredData,
  type StoredJob,
} from "./store.ts"
import { nap } from "./steady.ts"

/** The commands into which BullMQ puts the time of the calling machine. */
const TIMED = new Set([
  "move_to_active",
  "move_to_completed",
  "move_to_completed_fetch",
  "move_to_failed",
  "move_to_failed_fetch",
  "move_stalled_jobs_to_wait",
  "move_active_to_wait",
  "extend_locks",
  "next_signal",
])

/** Whether the time of an outcome is over, by the server's clock. */
const IS_EXPIRED = `(state IN ('completed', 'failed') AND finished_at_ms < (extract(epoch FROM clock_timestamp()) * 1000)::bigint
  - CASE jsonb_typeof(opts->'keep') WHEN 'number' THEN (opts->>'keep')::numeric ELSE 0 END)`

/** Each step reads what the one before has given: that is their order. Rows are locked in the order of ids, so that two processes do not wait for each other. */
const ADD = `WITH given AS MATERIALIZED (SELECT $2::jsonb AS entries),
  expired AS MATERIALIZED (SELECT id FROM job WHERE queue = $1 AND ${IS_EXPIRED}
    AND id = ANY(ARRAY(SELECT entry->>'id' FROM given, jsonb_array_elements(entries) AS entry)) ORDER BY id FOR UPDATE),
  gone AS (DELETE FROM job WHERE queue = $1 AND id IN (SELECT id FROM expired) RETURNING id)
  SELECT added.id FROM given, (SELECT count(*) AS number FROM gone) AS cleared,
    LATERAL add_jobs_bulk(CASE WHEN cleared.number >= 0 THEN $1 END, given.entries) AS added(id)`

const FIND = `SELECT id, name, state::text AS state, data, process_at_ms AS due, return_value::text AS returned,
  failed_reason AS reason, progress FROM job WHERE queue = $1 AND id = ANY($2::text[]) AND ($3::boolean OR NOT ${IS_EXPIRED})`

const REMOVE = `WITH gone AS (
    DELETE FROM job WHERE queue = $1 AND id = $2 AND state IN ('waiting', 'delayed') RETURNING id)
  SELECT publish_event($1, 'removed', jsonb_build_object('jobId', id)) FROM gone`

const UPDATE = `UPDATE job SET data = $3::jsonb
  WHERE queue = $1 AND id = $2 AND state NOT IN ('completed', 'failed') RETURNING id`

const REWRITE = `UPDATE job SET data = $3::jsonb
  WHERE queue = $1 AND id = $2 AND state = 'active' AND lock_token = $4 RETURNING id`

const STALLED = `SELECT 1 FROM job WHERE queue = $1 AND state = 'active' AND locked_until_ms < $2 LIMIT 1`

/** One process of the fleet at a time, and not all outcomes in one statement. */
const CLEAN = `WITH turn AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(hashtext('corepool:clean:' || $1)) AS is_ours)
  DELETE FROM job WHERE (SELECT is_ours FROM turn) AND queue = $1 AND state IN ('completed', 'failed') AND id IN (
    SELECT id FROM job WHERE queue = $1 AND state IN ('completed', 'failed')
      AND ${IS_EXPIRED} LIMIT 10000 FOR UPDATE SKIP LOCKED)`

const HELD = `SELECT id, lock_token AS token FROM job
  WHERE queue = $1 AND state = 'active' AND lock_token = ANY($2::text[])`

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
  /** An executor hears of jobs, a node only of messages. */
  readonly isExecutor: boolean
  readonly now: () => number
}

export class PostgresStore implements Store {
  readonly #context: PostgresContext
  readonly #backend: BullBackend
  readonly #control: BullBackend
  readonly #bell: PostgresBell
  #events: PostgresEvents | undefined

  constructor(context: PostgresContext) {
    const { connection, queue } = context
    this.#context = context
    this.#backend = backendOf(context, queue, {})
    this.#control = backendOf(context, controlQueue(queue), {})
    this.#bell = new PostgresBell(connection, [queue, controlQueue(queue)])
  }

  async time(): Promise<number> {
    const [row] = await this.#query<{ now: number }>(
      "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now",
    )
    return row?.now ?? 0
  }

  async add(jobs: readonly BullJob[]): Promise<void> {
    await this.#backend.addJobs(jobs.map((job) => ({ job, jobId: job.id })))
  }

  async find(jobIds: readonly string[], withExpired: boolean): Promise<(StoredJob | undefined)[]> {
    const rows = await this.#query<JobRow>(FIND, this.#context.queue, jobIds, withExpired)
    const found = new Map(rows.map((row) => [row.id, storedOf(row)]))
    return jobIds.map((jobId) => found.get(jobId))
  }

  async remove(jobId: string): Promise<boolean> {
    return (await this.#query(REMOVE, this.#context.queue, jobId)).length > 0
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
    await this.#control.publishEvent({ event: CONTROL, message: toStorable(message) }, EVENTS_KEPT)
  }

  async listen(sink: EventSink): Promise<void> {
    const { queue, isExecutor, connection } = this.#context
    if (isExecutor) await this.#backend.setQueueMeta({ "opts.maxLenEvents": EVENTS_KEPT })
    const queues = isExecutor ? [queue, controlQueue(queue)] : [controlQueue(queue)]
    this.#events ??= new PostgresEvents({ pool: connection.pool, bell: this.#bell, queues, sink })
    await this.#events.start()
  }

  bench(node: string, lockDuration: number): Promise<Bench> {
    return Promise.resolve(new PostgresBench(this.#context, this.#bell, node, lockDuration))
  }

  async setNote(field: string, text: string): Promise<void> {
    await this.#control.setQueueMeta({ [field]: toStorable(text) })
  }

  notes(): Promise<Record<string, string>> {
    return this.#control.getQueueMeta()
  }

  async removeNotes(fields: string[]): Promise<void> {
    await this.#control.removeQueueMetaFields(fields)
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

/** The same queue as one node uses it. */
class PostgresBench extends BullBench {
  readonly #context: PostgresContext
  readonly #bell: PostgresBell

  constructor(context: PostgresContext, bell: PostgresBell, node: string, lockDuration: number) {
    // Jobs that stall are looked for when there are some.
    const options = { ...NEVER_GIVEN_UP, lockDuration, name: node, stalledInterval: 1 }
    super(backendOf(context, context.queue, options), node, lockDuration, context.now)
    this.#context = context
    this.#bell = bell
  }

  async held(tokens: readonly string[]): Promise<Hold[]> {
    const { connection, queue } = this.#context
    const { rows } = await connection.pool.query<{ id: string; token: string }>(HELD, [queue, tokens])
    return rows.map(({ id, token }) => ({ jobId: id, token }))
  }

  async rewrite({ jobId, token }: Hold, data: StoredData): Promise<boolean> {
    const values = [this.#context.queue, jobId, toStorableJson(data), token]
    return (await this.#context.connection.pool.query(REWRITE, values)).rows.length > 0
  }

  /**
   * BullMQ marks all active jobs and frees those that were marked before and are not renewed: two writes for each job of the fleet. It is
   * asked for that only if there is a job whose lock has run out.
   */
  async recover(): Promise<void> {
    const { connection, queue, now } = this.#context
    const { rows } = await connection.pool.query(STALLED, [queue, Math.round(now())])
    if (rows.length === 0) return
    await this.backend.moveStalledJobsToWait()
    await nap(5, new AbortController().signal) // two calls within a millisecond are one to BullMQ
    await this.backend.moveStalledJobsToWait()
  }

  wait(ms: number, signal: AbortSignal): Promise<void> {
    return this.#bell.wait("bullmq_jobs", [this.#context.queue], ms, signal)
  }
}

/** BullMQ's queue, with the server's time in its commands. Adding is done by a statement that calls the same function of BullMQ. */
function backendOf({ bull, connection, now }: PostgresContext, queue: string, options: object): PgBackend {
  const backend = new bull.PostgresQueueBackend(connection, queue, options, false)
  const run = backend.run.bind(backend)
  backend.run = (command, values = []): Promise<Rows<unknown>> =>
    command === "add_jobs_bulk"
      ? connection.pool.query(ADD, values)
      : run(command, TIMED.has(command) ? withServerTime(values, now()) : values)
  return backend
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
