import type { Context, Span, SpanContext, Tracer } from "@opentelemetry/api"
import { isTracedElsewhere } from "../events/runs.ts"
import type { TaskRunContext } from "../events/payloads.ts"
import type { Api } from "./api.ts"
import { endSpan, factsOfRun } from "./span-ends.ts"

/** How many forked runs are kept until the run that they are part of has ended. */
const MOST_PARTS = 10_000

/** The span of a submission, and the context in which it is. */
export interface Origin {
  readonly context: Context
  readonly span: Span
}

/**
 * Makes spans of runs on platform threads. It gets a run after its end, with the times that its thread has written.
 *
 * A span is made when the run has ended: only then is it known whether the thread has made the span itself. The runs of
 * forked tasks are in that of the task that has forked them, so they wait until that run has ended.
 */
export class DistantRuns {
  readonly #api: Api
  readonly #tracer: Tracer
  readonly #originOf: (run: TaskRunContext) => Origin | undefined
  /** Runs that have ended, by the run that has forked them. */
  readonly #parts = new WeakMap<TaskRunContext, TaskRunContext[]>()
  readonly #spans = new WeakMap<TaskRunContext, SpanContext>()
  #kept = 0

  constructor(api: Api, tracer: Tracer, originOf: (run: TaskRunContext) => Origin | undefined) {
    this.#api = api
    this.#tracer = tracer
    this.#originOf = originOf
  }

  ended(run: TaskRunContext): void {
    const { parent } = run
    const origin = this.#originOf(rootOf(run))
    if (origin === undefined) return // a run whose submission was not seen would be a trace of its own
    if (parent !== undefined && parent.endedAt === undefined && this.#kept < MOST_PARTS) {
      const parts = this.#parts.get(parent)
      if (parts === undefined) this.#parts.set(parent, [run])
      else parts.push(run)
      this.#kept++
    } else this.#make(run, origin, parent && this.#spans.get(parent))
  }

  /** `outer` is the span of the run that has forked it, if there is one. */
  #make(run: TaskRunContext, origin: Origin, outer: SpanContext | undefined): void {
    const own = isTracedElsewhere(run) ? undefined : this.#span(run, origin, outer)
    if (own !== undefined) this.#spans.set(run, own)
    const parts = this.#parts.get(run) ?? []
    this.#parts.delete(run)
    this.#kept -= parts.length
    for (const part of parts) this.#make(part, origin, own ?? outer)
  }

  #span(run: TaskRunContext, { context, span: submission }: Origin, outer: SpanContext | undefined): SpanContext {
    const { trace } = this.#api
    const { name, startedAt: startTime } = run
    const from = outer ?? submission.spanContext()
    const within = trace.setSpan(context, outer === undefined ? submission : trace.wrapSpanContext(outer))
    const options = { startTime, attributes: factsOfRun(run), links: [{ context: from }] }
    const span = this.#tracer.startSpan(`run ${name}`.trimEnd(), options, within)
    endSpan(this.#api, span, run, run.endedAt)
    return span.spanContext()
  }
}

/** The run that was submitted and not forked. */
function rootOf(run: TaskRunContext): TaskRunContext {
  let root = run
  while (root.parent !== undefined) root = root.parent
  return root
}
