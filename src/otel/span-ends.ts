import type { Attributes, Span } from "@opentelemetry/api"
import type { TaskContext, TaskRunContext } from "../events/payloads.ts"
import { messageOf, propertyOf } from "../user-values.ts"
import type { Api } from "./api.ts"

/** How a task, or a run of it, has ended. */
export interface End {
  readonly outcome?: string
  readonly error?: unknown
}

/** Ends the span. If the error of a failure is not known here, another span reports it. */
export function endSpan(api: Api, span: Span, end: End, endTime: number | undefined): void {
  const { outcome = "unknown" } = end
  span.setAttribute("corepool.task.outcome", outcome)
  if (outcome === "failed" || outcome === "rejected") {
    const { ERROR: code } = api.SpanStatusCode
    if ("error" in end) {
      span.recordException(exceptionOf(end.error), endTime)
      span.setStatus({ code, message: messageOf(end.error) })
    } else span.setStatus({ code })
  }
  span.end(endTime)
}

/** What is thrown may be anything; a getter of it may throw. */
function exceptionOf(error: unknown): { name: string; message: string; stack?: string } {
  const name = propertyOf(error, "name")
  const stack = propertyOf(error, "stack")
  return {
    name: typeof name === "string" ? name : typeof error,
    message: messageOf(error),
    ...(typeof stack === "string" ? { stack } : {}),
  }
}

/** What is known of the task, as attributes. */
export function factsOf({ pool, task, name }: TaskContext | TaskRunContext): Attributes {
  return {
    "corepool.executor.name": pool.name,
    "corepool.executor.type": pool.isVirtual ? "virtual" : "platform",
    "corepool.task.id": task,
    "corepool.task.name": name,
  }
}

export function factsOfRun(run: TaskRunContext): Attributes {
  return { ...factsOf(run), "thread.id": run.thread.id, "thread.name": run.thread.name }
}
