import type { Attributes, Context } from "@opentelemetry/api"
import { isPromiseLike, requireOptions } from "../checks.ts"
import { CancellationError, InterruptedError } from "../errors.ts"
import { propagate, type PropagatedStorage } from "../executor/propagation.ts"
import { observing } from "../observing.ts"
import { perThread } from "../per-thread.ts"
import { Thread } from "../thread/thread.ts"
import { isInstance } from "../user-values.ts"
import { type Api, requireApi } from "./api.ts"
import { endSpan } from "./span-ends.ts"
import { TaskContextLayer } from "./task-context.ts"

/** The context on its way to another thread: `traceparent` and what else the propagator writes, and {@link RUN}. */
type Carrier = Record<string, string>

/** The key of a carrier under which it has the attributes of the run, for the span that the receiving thread makes. */
const RUN = "corepool-run"

/** What {@link continueTraces} needs. */
export interface ContinueOptions {
  /** The package `@opentelemetry/api`, for a program in which it cannot be found: one that is bundled into one file. */
  readonly api?: object
}

/** The context of OpenTelemetry as a storage whose store is copied. */
class ContextStorage implements PropagatedStorage<Carrier> {
  readonly #api: Api

  constructor(api: Api) {
    this.#api = api
  }

  getStore(): Carrier | undefined {
    const carrier: Carrier = {}
    const active = this.#api.context.active()
    this.#api.propagation.inject(active, carrier)
    if (Object.keys(carrier).length === 0) return undefined
    if (active instanceof TaskContextLayer && active.run !== undefined) carrier[RUN] = JSON.stringify(active.run)
    return carrier
  }

  run<R>(carrier: Carrier | undefined, fn: () => R): R {
    const { context, propagation, ROOT_CONTEXT } = this.#api
    if (carrier === undefined) return context.with(ROOT_CONTEXT, fn)
    const outer = propagation.extract(ROOT_CONTEXT, carrier)
    const { [RUN]: run } = carrier
    // Only the thread that runs the task makes the span of the run.
    return run === undefined || observing.worker === undefined ? context.with(outer, fn) : this.#trace(outer, run, fn)
  }

  /** Calls the function in a span of its own, if this thread records spans. */
  #trace<R>(outer: Context, text: string, fn: () => R): R {
    const { context, trace } = this.#api
    const { name, attributes } = JSON.parse(text) as { name: string; attributes: Attributes }
    const { id, name: threadName } = Thread.currentThread()
    const submission = trace.getSpanContext(outer)
    const options = {
      attributes: { ...attributes, "thread.id": id, "thread.name": threadName },
      links: submission === undefined ? [] : [{ context: submission }],
    }
    const span = trace.getTracer("corepool").startSpan(`run ${name}`.trimEnd(), options, outer)
    if (!span.isRecording()) return context.with(outer, fn)
    observing.worker?.tracesRun()
    const succeeded = (): void => endSpan(this.#api, span, { outcome: "success" }, undefined)
    const failed = (error: unknown): void => endSpan(this.#api, span, endOf(error), undefined)
    let result: R
    try {
      result = context.with(trace.setSpan(outer, span), fn)
    } catch (error) {
      failed(error)
      throw error
    }
    if (!isPromiseLike(result)) {
      succeeded()
      return result
    }
    // A thenable of the program is asked once.
    const pending = Promise.resolve(result)
    pending.then(succeeded, failed)
    return pending as R
  }

  /** OpenTelemetry has no such function. A thread has to know the storage before the task begins. */
  enterWith(): void {}
}

/** A task that ends because it was interrupted is cancelled. */
function endOf(error: unknown): { outcome: string; error?: unknown } {
  const isStopped = isInstance(error, InterruptedError) || isInstance(error, CancellationError)
  return isStopped ? { outcome: "cancelled" } : { outcome: "failed", error }
}

const known = perThread("context of OpenTelemetry", () => ({ storage: undefined as ContextStorage | undefined }))

/** From now on the active context goes with the tasks that this thread submits, and comes with those that it runs. */
export function carryContext(api: Api): void {
  if (known.storage !== undefined) return
  known.storage = new ContextStorage(api)
  propagate(known.storage, { name: "corepool:otel" })
}

/**
 * Continues traces in a worker thread that has an SDK of its own: each task has a span of its run there, in the trace
 * of its submitter, and spans that the task starts are in that span.
 *
 * Call it in a module that registers the SDK and that threads load before they run tasks: by `preload` of
 * `platformThreads`, or because the module of the task imports it. The submitting thread has to have called it, too, or
 * `instrument`. The context travels as the registered propagator writes it, as `traceparent`, say.
 *
 * @throws UnsupportedOperationError if `@opentelemetry/api` is not installed.
 *
 * @example
 * ```ts
 * import { continueTraces } from "corepool/otel"
 *
 * continueTraces()
 * ```
 */
export function continueTraces(options: ContinueOptions = {}): void {
  const { api } = requireOptions("options", options, { api: true })
  carryContext(requireApi(api, "continueTraces"))
}
