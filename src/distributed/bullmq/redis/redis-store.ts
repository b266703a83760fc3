import { MAX_VALUE } from "../../../checks.ts"
import type { JobCounts } from "../../job/engine.ts"
import type { JobData } from "../../job/job-data.ts"
import { BullBench, NEVER_GIVEN_UP } from "../bull-bench.ts"
import type { Bull, BullBackend, BullJob, RedisBackend, RedisClient } from "../bull-types.ts"
import { fromStorableJson, parsed, textIn, toStorable, toStorableJson } from "../names.ts"
import { QueueNotes } from "../queue-notes.ts"
import { RedisEvents } from "./redis-events.ts"
import { CLEAN, FIND, FORGET, HELD, REMOVE, REWRITE, UPDATE } from "./redis-scripts.ts"
import { withServerTime } from "../server-clock.ts"
import { pauseFor } from "../steady.ts"
import {
  type Bench,
  type Claim,
  CONTROL,
  controlQueue,
  type End,
  EVENTS_KEPT,
  type EventSink,
  type Hold,
  type Store,
  type StoredData,
  type StoredJob,
} from "../store.ts"

/** The scripts into which BullMQ puts the time of the calling machine. */
const TIMED = new Set(["moveToActive", "moveToFinished", "moveStalledJobsToWait"])

/** How many ended jobs a cleaning looks at in one step, and in how many steps. */
const CLEANED = { page: 500, pages: 20 }

export interface RedisContext {
  readonly bull: Bull
  readonly queue: string
  readonly prefix: string
  /** An executor is notified of jobs and messages, a node only of messages. */
  readonly isExecutor: boolean
  /** The connection for commands. */
  readonly client: RedisClient
  readonly now: () => number
  /** Opens another connection, for commands that wait. */
  readonly connect: () => Promise<RedisClient>
}

type FoundRow = readonly [
  state: string,
  score: string,
  name: string,
  data: string,
  returned: string | null,
  reason: string | null,
  progress: string | null,
]

/**
 * A queue in Redis, or in Valkey. BullMQ's own scripts do most of the work. Scripts of corepool (redis-scripts.ts) look
 * up many jobs, remove them, replace data and remove old outcomes, for the reasons given in postgres-store.ts.
 *
 * Connections: one for commands; a node has another one that waits for work, and a listener one that waits for events.
 * Commands fail at once when there is no connection, and the caller tries them again.
 *
 * The time in BullMQ's commands is that of the calling machine; here it is the server's. Locks run out by the server's
 * clock anyway.
 */
export class RedisStore extends QueueNotes implements Store {
  readonly #context: RedisContext
  readonly #backend: BullBackend
  readonly #control: BullBackend
  readonly #benches: RedisBench[] = []
  #events: RedisEvents | undefined
  /** Where the next cleaning begins. */
  readonly #cleaned: Record<string, number> = { completed: 0, failed: 0 }

  constructor(context: RedisContext) {
    const control = backendOf(context, controlQueue(context.queue), {})
    super(control)
    this.#context = context
    this.#backend = backendOf(context, context.queue, {})
    this.#control = control
  }

  async time(): Promise<number> {
    const [seconds, microseconds] = (await this.#context.client.call("TIME")) as [string, string]
    return Number(seconds) * 1000 + Number(microseconds) / 1000
  }

  /**
   * First removes expired outcomes of the same ids, if there can be any. Both commands are on their way at the same
   * time, in this order. A command that comes between them at the server does no harm: an expired outcome exists for no
   * process, so it may be removed at any moment.
   */
  async add(jobs: readonly BullJob[], named: readonly string[]): Promise<void> {
    await Promise.all([named.length > 0 && this.#script(FORGET, ...named), this.#add(jobs)])
  }

  /** Adds all jobs or none, which BullMQ's `addJobs` does not on Redis. */
  async #add(jobs: readonly BullJob[]): Promise<void> {
    const { prefix, queue } = this.#context
    const [first] = jobs
    if (jobs.length === 1 && first !== undefined) {
      await this.#backend.addJob(first, first.id)
      return
    }
    const place = { parentKeyOpts: {}, prefix, queueName: queue }
    const answers = await this.#backend.addFlow(jobs.map((job) => ({ jobData: job, jobId: job.id, ...place })))
    for (const [error] of answers) if (error !== null) throw error
  }

  async find(jobIds: readonly string[], withExpired: boolean): Promise<(StoredJob | undefined)[]> {
    const rows = (await this.#script(FIND, withExpired ? 1 : 0, ...jobIds)) as (FoundRow | null)[]
    return jobIds.map((jobId, index) => {
      const row = rows[index] ?? null
      return row === null ? undefined : storedOf(jobId, row)
    })
  }

  async remove(jobIds: readonly string[]): Promise<string[]> {
    return (await this.#script(REMOVE, EVENTS_KEPT, ...jobIds)) as string[]
  }

  async update(jobId: string, data: JobData): Promise<boolean> {
    return (await this.#script(UPDATE, jobId, toStorableJson(data))) === 1
  }

  progress(jobId: string, value: unknown): Promise<void> {
    return this.#backend.updateProgress(jobId, JSON.parse(toStorableJson(value)))
  }

  async counts(): Promise<JobCounts> {
    const states = ["waiting", "paused", "prioritized", "delayed", "active", "completed", "failed"]
    const [waiting = 0, paused = 0, prioritized = 0, delayed = 0, active = 0, completed = 0, failed = 0] =
      await this.#backend.getCounts(states)
    return { waiting: waiting + paused + prioritized, delayed, active, completed, failed }
  }

  /** Goes through a part of the outcomes each time, because each outcome has its own time. */
  async clean(): Promise<void> {
    for (const state of ["completed", "failed"]) {
      for (let page = 0; page < CLEANED.pages; page++) {
        const from = this.#cleaned[state] ?? 0
        const answer = await this.#script(CLEAN, state, from, CLEANED.page)
        const [seen, removed] = answer as [number, number]
        this.#cleaned[state] = seen < CLEANED.page ? 0 : from + seen - removed
        if (seen < CLEANED.page) break
      }
    }
  }

  async publish(message: string): Promise<void> {
    await this.#control.publishEvent({ event: CONTROL, message: toStorable(message) }, EVENTS_KEPT)
  }

  async listen(sink: EventSink): Promise<void> {
    const { isExecutor, connect, client } = this.#context
    if (isExecutor) await this.#backend.setQueueMeta({ "opts.maxLenEvents": EVENTS_KEPT })
    const backends = isExecutor ? [this.#backend, this.#control] : [this.#control]
    const streams = backends.map((backend) => backend.toKey("events"))
    this.#events ??= new RedisEvents({ client, connect, streams, sink })
    await this.#events.start()
  }

  async bench(node: string, lockDuration: number): Promise<Bench> {
    const bench = new RedisBench(this.#context, await this.#context.connect(), node, lockDuration)
    this.#benches.push(bench)
    return bench
  }

  async close(): Promise<void> {
    for (const bench of this.#benches) bench.close()
    await this.#events?.stop()
    this.#context.client.disconnect()
  }

  #script(script: string, ...values: (string | number)[]): Promise<unknown> {
    return evaluate(this.#context, this.#backend, script, values)
  }
}

/** The queue as one node uses it. */
class RedisBench extends BullBench {
  readonly #context: RedisContext
  readonly #waiter: RedisClient
  readonly #node: string

  constructor(context: RedisContext, waiter: RedisClient, node: string, lockDuration: number) {
    // All nodes together look for stalled jobs so often, in ms.
    const options = { ...NEVER_GIVEN_UP, lockDuration, name: node, stalledInterval: 400 }
    super(backendOf(context, context.queue, options), lockDuration, context.now)
    this.#context = context
    this.#waiter = waiter
    this.#node = node
  }

  /** One job at a time: each needs a script of its own, and how many would find a job is not known before. */
  async claim([token = ""]: readonly string[]): Promise<Claim> {
    const [job, id = "", , due = 0] = await this.backend.moveToActive(token, this.#node)
    return job == null
      ? { jobs: [], isMore: false, due }
      : { jobs: [{ job: { ...job, id }, token }], isMore: true, due: 0 }
  }

  async end({ hold, isFailed, outcome, isRemoved, takesNext }: End): Promise<BullJob | undefined> {
    // BullMQ compares the attempts of a failed job with this limit, only for an event: a limit that no job reaches.
    const ended = { id: hold.jobId, opts: { attempts: MAX_VALUE } }
    const { result } = isFailed
      ? await this.backend.moveToFailed(ended, outcome, isRemoved, hold.token, takesNext)
      : await this.backend.moveToCompleted(ended, outcome, isRemoved, hold.token, takesNext)
    const [job, id = ""] = result ?? []
    return job == null || !takesNext ? undefined : { ...job, id }
  }

  async held(tokens: readonly string[]): Promise<Hold[]> {
    const flat = (await evaluate(this.#context, this.backend, HELD, tokens)) as string[]
    return flat.flatMap((jobId, index) => (index % 2 === 0 ? [{ jobId, token: flat[index + 1] ?? "" }] : []))
  }

  async rewrite({ jobId, token }: Hold, data: StoredData): Promise<boolean> {
    return (await evaluate(this.#context, this.backend, REWRITE, [jobId, toStorableJson(data), token])) === 1
  }

  async recover(): Promise<void> {
    await this.backend.moveStalledJobsToWait()
  }

  /**
   * Takes the marker that BullMQ sets when there is work. When the wait ends early, the connection is closed: a marker
   * that it took afterwards would be missed by other nodes.
   */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    const end = (): void => this.#waiter.disconnect()
    signal.addEventListener("abort", end)
    try {
      await this.#waiter.call("BZPOPMIN", this.backend.toKey("marker"), Math.max(0.002, ms / 1000))
    } catch {
      await pauseFor(Math.min(ms, 250), signal) // there is no connection; the next claim reports that
    } finally {
      signal.removeEventListener("abort", end)
    }
  }

  close(): void {
    this.#waiter.disconnect()
  }
}

/** BullMQ's queue, with the server's time in its commands. */
function backendOf({ bull, client, prefix, now }: RedisContext, queue: string, options: object): RedisBackend {
  const backend = bull.createRedisBackend(queue, { ...options, connection: client, prefix, skipVersionCheck: true })
  backend.on("error", () => undefined) // the client reports errors; an error event without a listener ends the process
  const run = backend.execCommand.bind(backend)
  backend.execCommand = (target, script, values): unknown =>
    run(target, script, TIMED.has(script) ? withServerTime(values, now()) : values)
  return backend
}

function evaluate(
  { client }: RedisContext,
  backend: BullBackend,
  script: string,
  values: readonly (string | number)[],
): Promise<unknown> {
  return client.call("EVAL", script, 1, backend.toKey(""), ...values)
}

function storedOf(jobId: string, [state, score, name, data, returned, reason, progress]: FoundRow): StoredJob {
  return {
    jobId,
    name,
    data: fromStorableJson(data) as StoredData,
    state,
    // BullMQ keeps the time in the upper bits, and the order of jobs due at the same time in the lower.
    dueAt: state === "delayed" ? Math.floor(Number(score) / 4096) : undefined,
    returned: returned === null ? undefined : textIn(parsed(returned)),
    reason: reason ?? undefined,
    progress: progress === null || progress === "0" ? undefined : fromStorableJson(progress),
  }
}
