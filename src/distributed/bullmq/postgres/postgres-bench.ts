import { runtime } from "#host/runtime/clock"
import { BullBench } from "../bull-bench.ts"
import type { BullJob, BullJobOptions, PgBackend, PgConnection, PgStatement } from "../bull-types.ts"
import { toStorableJson } from "../names.ts"
import { JOBS, type PostgresBell } from "./postgres-bell.ts"
import { isPassing } from "../steady.ts"
import type { Claim, End, Hold, StoredData } from "../store.ts"

/**
 * How many ends go in one statement, and how many statements are under way: the server works at one while the node runs
 * the jobs that another one has brought.
 */
const ENDS = { atOnce: 25, underWay: 2 }

const COLUMNS = "id, name, data::text AS data, opts, attempts_made, stalled_count, lock_token"

/** Statements have names, so that each connection parses and plans them once. */
type Statement = Pick<PgStatement, "name" | "text">

/** $1 queue, $2 tokens, $3 lock time, $4 now, $5 node. */
const CLAIM_ONE: Statement = {
  name: "corepool_claim_one",
  text: `SELECT ${COLUMNS} FROM move_to_active($1, ($2::text[])[1], $3, $4, $5, NULL, NULL)`,
}

/** $1 queue. */
const NEXT_DUE: Statement = { name: "corepool_next_due", text: "SELECT NULL AS id, next_delay($1) AS due" }

/**
 * As CLAIM_ONE. Takes one job after the other until there is none, or no token is left. If there are fewer jobs than
 * tokens, the last row says when the next one is due.
 */
const CLAIM: Statement = {
  name: "corepool_claim",
  text: `WITH RECURSIVE taken AS (
      SELECT 1 AS number, job.* FROM move_to_active($1, ($2::text[])[1], $3, $4, $5, NULL, NULL) AS job
      UNION ALL
      SELECT taken.number + 1, job.* FROM taken,
        LATERAL move_to_active($1, ($2::text[])[taken.number + 1], $3, $4, $5, NULL, NULL) AS job
        WHERE taken.number < cardinality($2::text[]))
    SELECT ${COLUMNS}, NULL::bigint AS due FROM taken
    UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, next_delay($1)
      WHERE (SELECT count(*) FROM taken) < cardinality($2::text[])`,
}

/**
 * $1 queue, $2 id, $3 token, $4 outcome, $5 whether nothing is kept, $6 now, $7 lock time, $8 node. The next job is
 * taken by the same token.
 */
const COMPLETE_ONE: Statement = {
  name: "corepool_complete_one",
  text: `SELECT ${COLUMNS} FROM move_to_completed_fetch($1, $2, $3, to_jsonb($4::text), $6, $5, NULL, NULL, $7, $6, $8, NULL, NULL)`,
}
const FAIL_ONE: Statement = {
  name: "corepool_fail_one",
  text: `SELECT ${COLUMNS} FROM move_to_failed_fetch($1, $2, $3, $4, NULL, $6, $5, NULL, NULL, $7, $6, $8, NULL, NULL)`,
}

/**
 * $1 queue, $2 to $6 the ends, $7 now, $8 tokens for the next jobs, $9 lock time, $10 node. The jobs are taken after
 * the ends, because taking reads how many there were. Rows are locked in the order of ids, here and in RENEW: so two
 * statements about the same jobs do not wait for each other.
 */
const END: Statement = {
  name: "corepool_end",
  text: `WITH RECURSIVE ended AS MATERIALIZED (
      SELECT count(CASE WHEN given.is_failed
          THEN move_to_failed($1, given.id, given.token, given.outcome, NULL, $7, given.is_removed, NULL, NULL)
          ELSE move_to_completed($1, given.id, given.token, to_jsonb(given.outcome), $7, given.is_removed, NULL, NULL) END) AS number
        FROM (SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::boolean[], $6::boolean[])
          AS ends(id, token, outcome, is_failed, is_removed) ORDER BY id) AS given),
    taken AS (
      SELECT 1 AS number, job.* FROM ended,
        LATERAL move_to_active(CASE WHEN ended.number > 0 THEN $1 END, ($8::text[])[1], $9, $7, $10, NULL, NULL) AS job
        WHERE cardinality($8::text[]) > 0
      UNION ALL
      SELECT taken.number + 1, job.* FROM taken,
        LATERAL move_to_active($1, ($8::text[])[taken.number + 1], $9, $7, $10, NULL, NULL) AS job
        WHERE taken.number < cardinality($8::text[]))
    SELECT ${COLUMNS} FROM ended LEFT JOIN taken ON ended.number > 0`,
}

const REWRITE = `UPDATE job SET data = $3::jsonb
  WHERE queue = $1 AND id = $2 AND state = 'active' AND lock_token = $4 RETURNING id`

/** $1 queue, $2 ids, $3 tokens, $4 until when. Returns those that this node has lost. */
const RENEW: Statement = {
  name: "corepool_renew",
  text: `WITH given AS (SELECT * FROM unnest($2::text[], $3::text[]) AS holds(id, token)),
    ours AS MATERIALIZED (SELECT job.id FROM job JOIN given ON job.id = given.id AND job.lock_token = given.token
      WHERE job.queue = $1 AND job.state = 'active' ORDER BY job.id FOR UPDATE OF job),
    renewed AS (UPDATE job SET locked_until_ms = $4 WHERE queue = $1 AND id IN (SELECT id FROM ours) RETURNING id)
    SELECT id FROM given WHERE id NOT IN (SELECT id FROM renewed)`,
}

/** $1 queue, $2 now. A job that another statement works at just then is left out, and is not waited for. */
const RECOVER: Statement = {
  name: "corepool_recover",
  text: `WITH dead AS MATERIALIZED (SELECT id FROM job WHERE queue = $1 AND state = 'active' AND locked_until_ms < $2
      LIMIT 1000 FOR UPDATE SKIP LOCKED),
    freed AS (UPDATE job SET state = 'waiting', lock_token = NULL, locked_until_ms = NULL, stalled_marked = false,
        stalled_count = stalled_count + 1, seq = nextval('job_seq')
      WHERE queue = $1 AND id IN (SELECT id FROM dead) RETURNING id),
    told AS MATERIALIZED (SELECT publish_event($1, 'stalled', jsonb_build_object('jobId', id)) AS number FROM freed)
    SELECT pg_notify('${JOBS}', $1) FROM told HAVING count(number) > 0`,
}

/** $1 queue, $2 id, $3 token. A job with a priority goes before the others of its priority. */
const GIVE_BACK: Statement = {
  name: "corepool_give_back",
  text: `WITH freed AS (UPDATE job SET state = 'waiting', lock_token = NULL, locked_until_ms = NULL,
        seq = CASE WHEN priority > 0 THEN -nextval('job_seq') ELSE nextval('job_seq') END
      WHERE queue = $1 AND id = $2 AND state = 'active' AND lock_token = $3 RETURNING id),
    told AS MATERIALIZED (SELECT publish_event($1, 'waiting', jsonb_build_object('jobId', id, 'prev', 'active')) AS number FROM freed)
    SELECT pg_notify('${JOBS}', $1) FROM told HAVING count(number) > 0`,
}

const HELD = `SELECT id, lock_token AS token FROM job
  WHERE queue = $1 AND state = 'active' AND lock_token = ANY($2::text[])`

/** All fields are null in a row without a job. */
interface TakenRow {
  readonly id: string | null
  readonly name: string
  readonly data: string
  readonly opts: BullJobOptions | null
  readonly attempts_made: number
  readonly stalled_count: number
  readonly lock_token: string
  readonly due?: string | null
}

/** An end on its way, and its promise. */
interface Report {
  readonly end: End
  readonly resolve: (next: BullJob | undefined) => void
  readonly reject: (error: unknown) => void
}

export interface PostgresBenchContext {
  readonly connection: PgConnection
  readonly backendWith: (options: object) => PgBackend
  readonly bell: PostgresBell
  readonly queue: string
  readonly now: () => number
}

/**
 * How one node takes and ends jobs in PostgreSQL: by BullMQ's functions, several of which are called in one statement.
 * Renewing locks and freeing the jobs of dead nodes are statements of corepool, which cannot deadlock with others.
 * So is giving a job back: BullMQ's function reads which node has the job and then writes, without a lock in between.
 * The fixed costs of a statement (a round trip to the server, a commit, a notification) are paid once for many jobs:
 *
 * - A claim takes as many jobs as the node has room for, and says in the same answer when the next delayed one is due.
 * - Ends that come while others are under way go together in the next statement, which also takes the next job for each
 *   of them.
 *
 * A statement does all or nothing. If the server refuses a statement about several jobs, each of them is reported in a
 * statement of its own: so a job that this node has lost, or whose outcome cannot be stored, has no effect on others.
 * If the answer to a statement is lost, the consumer repeats it, job by job: ends that arrived the first time are
 * refused then, and jobs that were taken are found by their tokens and given back.
 */
export class PostgresBench extends BullBench {
  readonly #context: PostgresBenchContext
  readonly #node: string
  readonly #lockDuration: number
  readonly #reports: Report[] = []
  #underWay = 0
  #isPlanned = false

  constructor(context: PostgresBenchContext, node: string, lockDuration: number) {
    super(context.backendWith({ lockDuration, name: node }), lockDuration, context.now)
    this.#context = context
    this.#node = node
    this.#lockDuration = lockDuration
  }

  async claim(tokens: readonly string[]): Promise<Claim> {
    const { queue } = this.#context
    const statement = tokens.length === 1 ? CLAIM_ONE : CLAIM
    const rows = await this.#query(statement, queue, tokens, this.#lockDuration, this.#now(), this.#node)
    const jobs = [...jobsIn(rows)].map(([token, job]) => ({ job, token }))
    if (jobs.length === tokens.length) return { jobs, isMore: true, due: 0 }
    const last = rows.at(-1) ?? (await this.#query(NEXT_DUE, queue))[0]
    return { jobs, isMore: false, due: Number(last?.due ?? 0) }
  }

  end(end: End): Promise<BullJob | undefined> {
    return new Promise((resolve, reject) => {
      this.#reports.push({ end, resolve, reject })
      this.#plan()
    })
  }

  /** Ends of the same turn go together. */
  #plan(): void {
    if (this.#isPlanned || this.#reports.length === 0 || this.#underWay >= ENDS.underWay) return
    this.#isPlanned = true
    runtime.afterTurn(() => {
      this.#isPlanned = false
      this.#underWay++
      void this.#send(this.#reports.splice(0, ENDS.atOnce)).finally(() => {
        this.#underWay--
        this.#plan()
      })
      this.#plan()
    })
  }

  /** Never rejects. */
  async #send(reports: readonly Report[]): Promise<void> {
    try {
      const taken = await this.#end(reports.map(({ end }) => end))
      for (const { end, resolve } of reports) resolve(taken.get(end.hold.token))
    } catch (error) {
      if (reports.length === 1 || isPassing(error)) for (const { reject } of reports) reject(asRefusal(error))
      else for (const report of reports) await this.#send([report])
    }
  }

  /** Returns the jobs that were taken, by their tokens. */
  async #end(ends: readonly End[]): Promise<ReadonlyMap<string, BullJob>> {
    const { queue } = this.#context
    const [first] = ends
    if (first !== undefined && ends.length === 1 && first.takesNext) {
      const { hold, outcome, isFailed, isRemoved } = first
      const job = [hold.jobId, hold.token, outcome, isRemoved]
      const statement = isFailed ? FAIL_ONE : COMPLETE_ONE
      return jobsIn(await this.#query(statement, queue, ...job, this.#now(), this.#lockDuration, this.#node))
    }
    const given = [
      ends.map(({ hold }) => hold.jobId),
      ends.map(({ hold }) => hold.token),
      ends.map(({ outcome }) => outcome),
      ends.map(({ isFailed }) => isFailed),
      ends.map(({ isRemoved }) => isRemoved),
    ]
    const tokens = ends.flatMap(({ hold, takesNext }) => (takesNext ? [hold.token] : []))
    return jobsIn(await this.#query(END, queue, ...given, this.#now(), tokens, this.#lockDuration, this.#node))
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

  override async renew(holds: readonly Hold[]): Promise<string[]> {
    const ids = holds.map(({ jobId }) => jobId)
    const tokens = holds.map(({ token }) => token)
    const lost = await this.#query(RENEW, this.#context.queue, ids, tokens, this.#now() + this.#lockDuration)
    return lost.flatMap(({ id }) => (id === null ? [] : [id]))
  }

  /**
   * BullMQ marks all active jobs and frees those that were marked before and not renewed: two writes for each job of
   * the fleet, which wait for all statements that end or renew jobs, and keep others waiting. This frees the jobs whose
   * locks have run out, and touches no other.
   */
  async recover(): Promise<void> {
    await this.#query(RECOVER, this.#context.queue, this.#now())
  }

  /** A job that another node has by now is left alone. */
  override async giveBack({ jobId, token }: Hold): Promise<void> {
    await this.#query(GIVE_BACK, this.#context.queue, jobId, token)
  }

  wait(ms: number, signal: AbortSignal): Promise<void> {
    return this.#context.bell.wait(JOBS, [this.#context.queue], ms, signal)
  }

  #now(): number {
    return Math.round(this.#context.now())
  }

  async #query(statement: Statement, ...values: unknown[]): Promise<TakenRow[]> {
    return (await this.#context.connection.pool.query<TakenRow>({ ...statement, values })).rows
  }
}

/** The jobs by their tokens. */
function jobsIn(rows: readonly TakenRow[]): ReadonlyMap<string, BullJob> {
  return new Map(rows.flatMap((row) => (row.id === null ? [] : [[row.lock_token, jobOf(row, row.id)]])))
}

function jobOf(row: TakenRow, id: string): BullJob {
  const { name, data, opts, attempts_made: attemptsMade, stalled_count: stalledCounter } = row
  return { id, name, data, opts: opts ?? undefined, timestamp: 0, attemptsMade, stalledCounter }
}

/** Errors of BullMQ's functions have their number in the details: the job is missing, or another node has it. */
function asRefusal(error: unknown): unknown {
  const { code, detail, message } = error as { code?: unknown; detail?: unknown; message?: string }
  return code === "BM001" ? Object.assign(new Error(message), { code: Number(detail) }) : error
}
