import { trace } from "@opentelemetry/api"
import type { InMemorySpanExporter, ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { CountDownLatch, fork, task } from "corepool"

/** What the thread has recorded. Plain data. */
export interface Found {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | undefined
  readonly links: readonly string[]
  readonly outcome: unknown
  readonly task: unknown
}

function exporterHere(): InMemorySpanExporter {
  return (globalThis as unknown as { exporterOfThread: InMemorySpanExporter }).exporterOfThread
}

function plain(span: ReadableSpan): Found {
  const { name, parentSpanContext, links, attributes } = span
  const { traceId, spanId } = span.spanContext()
  return {
    ...{ name, traceId, spanId, parentId: parentSpanContext?.spanId },
    links: links.map(({ context }) => context.spanId),
    outcome: attributes["corepool.task.outcome"],
    task: attributes["corepool.task.id"],
  }
}

/** Starts a span, as instrumented code would. */
export const traced = task(import.meta.url, async function traced(round: number): Promise<number> {
  await new Promise((resolve) => setImmediate(resolve))
  trace.getTracer("worker").startSpan("inside").end()
  return round
})

export const failing = task(import.meta.url, function failing(): never {
  trace.getTracer("worker").startSpan("inside").end()
  throw new RangeError("no")
})

/** The spans that have ended in this thread since the last call. */
export const recorded = task(import.meta.url, function recorded(): Found[] {
  const found = exporterHere().getFinishedSpans().map(plain)
  exporterHere().reset()
  return found
})

export const part = task(import.meta.url, function part(begun: CountDownLatch): number {
  begun.countDown()
  return 1
})

/** Forks a part, which another thread has to steal. */
export const forks = task(import.meta.url, function forks(begun: CountDownLatch): number {
  const stolen = fork(part, begun)
  begun.awaitSync()
  return stolen.join()
})

export const dying = task(import.meta.url, function dying(): never {
  return process.exit(3)
})
