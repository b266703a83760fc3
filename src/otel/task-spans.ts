import type { Context, Span, Tracer } from "@opentelemetry/api"
import { bindStore, subscribe } from "#host/server/subscribing"
import type { PoolInfo } from "../events/event-source.ts"
import type { DistributedJobContext, TaskContext, TaskRunContext } from "../events/payloads.ts"
import { guarded } from "../memory/flow/guard.ts"
import type { Api } from "./api.ts"
import { DistantRuns } from "./distant-runs.ts"
import { type End, endSpan, factsOf, factsOfRun } from "./span-ends.ts"
import { spanKeyOf, TaskContextLayer } from "./task-context.ts"

const TASK = "tracing:corepool:task"
const RUN = "tracing:corepool:task.run"
const JOB = "tracing:corepool:distributed.job"

type Told = TaskContext | TaskRunContext | DistributedJobContext

/**
 * Makes spans from the messages of corepool's channels, until it is ended: a span from the submission of a task until
 * its future is settled, and inside it a span for each run.
 *
 * On virtual threads the span of the run is active in the task. For runs on platform threads see distant-runs.ts and,
 * in the threads themselves, carrier.ts.
 */
export class TaskSpans {
  readonly #api: Api
  readonly #tracer: Tracer
  readonly #spanKey: symbol
  readonly #isWanted: (pool: PoolInfo | undefined) => boolean
  readonly #submissions = new WeakMap<TaskContext, TaskContextLayer>()
  readonly #spans = new WeakMap<Told, Span>()
  readonly #distant: DistantRuns
  readonly #ends: readonly (() => void)[]

  /** `isWanted` is asked with undefined for a task of a distributed executor. */
  constructor(api: Api, tracer: Tracer, isWanted: (pool: PoolInfo | undefined) => boolean) {
    this.#api = api
    this.#tracer = tracer
    this.#spanKey = spanKeyOf(api)
    this.#isWanted = isWanted
    this.#distant = new DistantRuns(api, tracer, (run) => this.#originOf(run))
    this.#ends = [
      this.#bind(`${TASK}:start`, (task, parent) => this.#submit(task as TaskContext, parent)),
      listenTo(`${TASK}:end`, (task) => this.#submitted(task as TaskContext)),
      listenTo(`${TASK}:asyncEnd`, (task) => this.#settled(task as TaskContext)),
      listenTo(`${RUN}:start`, (run) => this.#begin(run as TaskRunContext)),
      listenTo(`${RUN}:asyncEnd`, (run) => this.#ended(run as TaskRunContext)),
      this.#bind(`${JOB}:start`, (job, parent) => this.#send(job as DistributedJobContext, parent)),
      listenTo(`${JOB}:end`, (job) => this.#refuse(job as DistributedJobContext)),
      listenTo(`${JOB}:asyncEnd`, (job) => this.#settled(job as DistributedJobContext)),
    ]
  }

  end(): void {
    for (const end of this.#ends) end()
  }

  #bind(channel: string, contextOf: (message: unknown, parent: Context) => Context): () => void {
    const { context } = this.#api
    const store = { run: <R>(active: Context, fn: () => R): R => context.with(active, fn) }
    return bindStore(channel, store, (message) => {
      let active = context.active()
      guarded(() => (active = contextOf(message, active)))
      return active
    })
  }

  // ------------------------------------------------------------------ submissions

  #submit(task: TaskContext, parent: Context): Context {
    const { pool, name, submittedAt: startTime } = task
    if (!this.#isWanted(pool)) return parent
    const attributes = factsOf(task)
    const span = this.#tracer.startSpan(`submit ${name}`.trimEnd(), { startTime, attributes }, parent)
    const context = new TaskContextLayer(parent, this.#spanKey, span)
    if (!pool.isVirtual) context.run = { name, attributes }
    this.#spans.set(task, span)
    this.#submissions.set(task, context)
    return context
  }

  #submitted(task: TaskContext): void {
    const context = this.#submissions.get(task)
    if (context !== undefined) context.run = undefined
    this.#refuse(task)
  }

  /** If the submission itself has thrown, there will be no other end. */
  #refuse(task: TaskContext | DistributedJobContext): void {
    if (!("error" in task) || task.outcome !== undefined) return
    this.#finish(task, { outcome: "rejected", error: task.error }, undefined)
  }

  #send(job: DistributedJobContext, parent: Context): Context {
    if (!this.#isWanted(undefined)) return parent
    const { executor, job: id, name, submittedAt: startTime } = job
    const attributes = {
      "corepool.executor.name": executor,
      "corepool.executor.type": "distributed",
      "corepool.job.id": id,
      "corepool.task.name": name,
    }
    const { PRODUCER: kind } = this.#api.SpanKind
    const span = this.#tracer.startSpan(`submit ${name}`.trimEnd(), { startTime, attributes, kind }, parent)
    this.#spans.set(job, span)
    return this.#api.trace.setSpan(parent, span)
  }

  #originOf({ submission }: TaskRunContext): { context: TaskContextLayer; span: Span } | undefined {
    const context = submission === undefined ? undefined : this.#submissions.get(submission)
    const span = submission === undefined ? undefined : this.#spans.get(submission)
    return context === undefined || span === undefined ? undefined : { context, span }
  }

  // ------------------------------------------------------------------ runs

  /** A run whose submission was not seen has no span: it would be a trace of its own. */
  #begin(run: TaskRunContext): void {
    const origin = run.pool.isVirtual ? this.#originOf(run) : undefined
    if (origin === undefined) return
    const { context, span: parent } = origin
    const within = this.#api.trace.setSpan(context, parent)
    const options = { startTime: run.startedAt, attributes: factsOfRun(run) }
    const span = this.#tracer.startSpan(`run ${run.name}`.trimEnd(), options, within)
    this.#spans.set(run, span)
    context.span = span
  }

  #ended(run: TaskRunContext): void {
    if (run.pool.isVirtual) this.#finish(run, run, run.endedAt)
    else this.#distant.ended(run)
  }

  #settled(of: TaskContext | DistributedJobContext): void {
    this.#finish(of, of, of.settledAt)
  }

  #finish(of: Told, end: End, endTime: number | undefined): void {
    const span = this.#spans.get(of)
    if (span !== undefined) endSpan(this.#api, span, end, endTime)
  }
}

/** An error of a span processor reaches no task. */
function listenTo(name: string, listener: (message: unknown) => void): () => void {
  return subscribe(name, (message) => guarded(() => listener(message)))
}
