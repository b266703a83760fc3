/** The spans that the real SDK of OpenTelemetry gets from `instrument()`: docs/spec/otel.md. */
import { context, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api"
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node"
import {
  AbortPolicy,
  CountDownLatch,
  Executors,
  ForkJoinPool,
  platformThreads,
  ThreadPoolExecutor,
  virtualThreads,
} from "corepool"
import { DistributedExecutor, ExecutorNode } from "corepool/distributed"
import { instrument } from "corepool/otel"
import assert from "node:assert/strict"
import { after, before, beforeEach, test } from "node:test"
import { MemoryEngine } from "../../support/memory-engine.ts"
import * as tasks from "./support/traced-tasks.js"

const exporter = new InMemorySpanExporter()
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
const tracer = provider.getTracer("test")
let reporting: Disposable

before(() => {
  provider.register()
  reporting = instrument({ metrics: false })
})
beforeEach(() => exporter.reset())
after(async () => {
  reporting[Symbol.dispose]()
  await provider.shutdown()
  trace.disable()
  context.disable()
  propagation.disable()
})

/** The spans that have ended, by their names; waits until there are so many. */
async function spans(count: number): Promise<Map<string, ReadableSpan>> {
  while (exporter.getFinishedSpans().length < count) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(exporter.getFinishedSpans().length, count)
  return new Map(exporter.getFinishedSpans().map((span) => [span.name, span]))
}

/** Waits for the spans with these names; there may be others. */
async function named(...names: readonly string[]): Promise<(ReadableSpan | undefined)[]> {
  for (;;) {
    const found = names.map((name) => exporter.getFinishedSpans().find((span) => span.name === name))
    if (!found.includes(undefined)) return found
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function assertChild(child: ReadableSpan | undefined, parent: ReadableSpan | undefined): void {
  assert.ok(child && parent)
  assert.equal(child.spanContext().traceId, parent.spanContext().traceId)
  assert.equal(child.parentSpanContext?.spanId, parent.spanContext().spanId, `${child.name} in ${parent.name}`)
}

function assertAfter(later: ReadableSpan | undefined, earlier: ReadableSpan | undefined): void {
  const ms = ([seconds, nanos]: readonly [number, number]): number => seconds * 1e3 + nanos / 1e6
  assert.ok(later && earlier)
  assert.ok(ms(later.startTime) >= ms(earlier.startTime))
  assert.ok(ms(later.endTime) >= ms(later.startTime))
}

test("[OT7] [OT8] on a virtual thread: submission, run, and what the task starts, as one trace", async () => {
  await using pool = new ThreadPoolExecutor({
    corePoolSize: 1,
    maximumPoolSize: 1,
    threadFactory: virtualThreads(),
    name: "images",
  })
  await tracer.startActiveSpan("request", async (request) => {
    await pool.submit(async function resize(size: number) {
      trace.getActiveSpan()?.setAttribute("size", size)
      tracer.startSpan("first").end()
      await new Promise((resolve) => setImmediate(resolve))
      tracer.startSpan("second").end()
      return size
    }, 5)
    assert.equal(trace.getActiveSpan(), request)
    request.end()
  })
  const found = await spans(5)
  const [submit, run] = [found.get("submit resize"), found.get("run resize")]
  assertChild(submit, found.get("request"))
  assertChild(run, submit)
  assertChild(found.get("first"), run)
  assertChild(found.get("second"), run)
  assertAfter(run, submit)
  for (const span of [submit, run]) {
    assert.equal(span?.attributes["corepool.executor.name"], "images")
    assert.equal(span.attributes["corepool.executor.type"], "virtual")
    assert.equal(span.attributes["corepool.task.name"], "resize")
    assert.equal(span.attributes["corepool.task.outcome"], "success")
    assert.equal(span.status.code, SpanStatusCode.UNSET)
  }
  assert.equal(typeof run?.attributes["thread.name"], "string")
  assert.equal(run?.attributes["size"], 5)
})

test("[OT8] a span that the task makes active has the next ones as children, and baggage stays", async () => {
  await using pool = Executors.newFixedThreadPool(1, virtualThreads())
  const baggage = propagation.createBaggage({ user: { value: "7" } })
  await context.with(propagation.setBaggage(context.active(), baggage), async () => {
    await pool.submit(async function outer() {
      assert.equal(propagation.getActiveBaggage()?.getEntry("user")?.value, "7")
      await tracer.startActiveSpan("middle", async (middle) => {
        tracer.startSpan("inner").end()
        assert.equal(propagation.getActiveBaggage()?.getEntry("user")?.value, "7")
        middle.end()
      })
    })
  })
  const found = await spans(4)
  assertChild(found.get("middle"), found.get("run outer"))
  assertChild(found.get("inner"), found.get("middle"))
})

test("[OT9] a failure, whatever it is, is the error of both spans; a cancelled task has none", async () => {
  await using pool = Executors.newFixedThreadPool(1, virtualThreads())
  const hostile = Object.defineProperty({}, "message", {
    get() {
      throw new Error("hostile")
    },
  })
  for (const error of [new RangeError("too big"), "text", undefined, hostile]) {
    exporter.reset()
    await assert.rejects(
      async () =>
        pool.submit(function fail() {
          // oxlint-disable-next-line typescript/only-throw-error -- tasks may throw anything
          throw error
        }),
      (thrown) => thrown === error,
    )
    for (const span of (await spans(2)).values()) {
      assert.equal(span.status.code, SpanStatusCode.ERROR)
      assert.equal(span.attributes["corepool.task.outcome"], "failed")
      assert.equal(span.events[0]?.name, "exception")
      if (error instanceof RangeError) {
        assert.equal(span.status.message, "too big")
        assert.equal(span.events[0]?.attributes?.["exception.type"], "RangeError")
      }
    }
  }
  exporter.reset()
  let release: (value: unknown) => void = () => undefined
  const held = new Promise((resolve) => (release = resolve))
  const running = pool.submit(async function hold() {
    await held
  })
  pool.submit(function never() {}).cancel()
  const submit = (await spans(1)).get("submit never")
  assert.equal(submit?.attributes["corepool.task.outcome"], "cancelled")
  assert.equal(submit.status.code, SpanStatusCode.UNSET)
  release(undefined)
  await running
})

test("[OT9] a submission that throws is the error of its span", async () => {
  const pool = new ThreadPoolExecutor({
    corePoolSize: 1,
    maximumPoolSize: 1,
    threadFactory: virtualThreads(),
    handler: new AbortPolicy(),
  })
  await pool.close()
  assert.throws(() => void pool.submit(function late() {}), { name: "RejectedExecutionError" })
  const submit = (await spans(1)).get("submit late")
  assert.equal(submit?.status.code, SpanStatusCode.ERROR)
  assert.equal(submit.attributes["corepool.task.outcome"], "rejected")
})

test("[OT10] [OT12] on a platform thread with an SDK of its own, that thread has the span of the run", async () => {
  const preload = [new URL("support/worker-sdk.js", import.meta.url)]
  await using pool = Executors.newFixedThreadPool(1, platformThreads({ preload }))
  for (const round of [1, 2]) {
    exporter.reset()
    await tracer.startActiveSpan("request", async (request) => {
      assert.equal(await pool.submit(tasks.traced, round), round)
      request.end()
    })
    const [request, submit] = await named("request", "submit traced")
    assertChild(submit, request)
    const [inside, run] = (await pool.submit(tasks.recorded)).filter(({ name }) => name !== "run recorded")
    assert.deepEqual([inside?.name, run?.name], ["inside", "run traced"])
    const { traceId, spanId } = submit?.spanContext() ?? {}
    assert.deepEqual([run?.traceId, run?.parentId, run?.links], [traceId, spanId, [spanId]])
    assert.deepEqual([inside?.traceId, inside?.parentId], [traceId, run?.spanId])
    assert.deepEqual([run?.outcome, run?.task], ["success", submit?.attributes["corepool.task.id"]])
  }
  await assert.rejects(pool.submit(tasks.failing).get(), RangeError)
  const [, failed] = (await pool.submit(tasks.recorded)).filter(({ name }) => name !== "run recorded")
  assert.deepEqual([failed?.name, failed?.outcome], ["run failing", "failed"])
  await pool.close()
  // The rings have been read: this thread makes no second span of these runs.
  await named("submit failing")
  assert.ok(!exporter.getFinishedSpans().some(({ name }) => name.startsWith("run ")))
})

test("[OT12] a run on a platform thread without an SDK is in the submission, and links to it", async () => {
  await using pool = Executors.newFixedThreadPool(1, platformThreads())
  await pool.submit(tasks.part, new CountDownLatch(1))
  const [submit, run] = await named("submit part", "run part")
  assertChild(run, submit)
  assertAfter(run, submit)
  assert.deepEqual(
    run?.links.map((link) => link.context.spanId),
    [submit?.spanContext().spanId],
  )
})

test("[OT13] the run of a forked task that was stolen is in that of the task that forked it", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  assert.equal(await pool.submit(tasks.forks, new CountDownLatch(1)), 1)
  const [submit, outer, inner] = await named("submit forks", "run forks", "run part")
  assertChild(outer, submit)
  assertChild(inner, outer)
  assert.deepEqual(
    inner?.links.map((link) => link.context.spanId),
    [outer?.spanContext().spanId],
  )
  assert.notEqual(inner?.attributes["thread.id"], outer?.attributes["thread.id"])
})

test("[OT14] a run that ends with its thread has a span that says so", async () => {
  await using pool = Executors.newFixedThreadPool(1, platformThreads())
  await assert.rejects(pool.submit(tasks.dying).get(), { name: "ThreadDeathError" })
  const [submit, run] = await named("submit dying", "run dying")
  assertChild(run, submit)
  for (const span of [submit, run]) {
    assert.equal(span?.attributes["corepool.task.outcome"], "failed")
    assert.equal(span.status.code, SpanStatusCode.ERROR)
  }
})

test("[OT15] a distributed task: its span, and on the node the spans of the local pool in it", async () => {
  const engine = new MemoryEngine()
  await using executor = Executors.newFixedThreadPool(1, virtualThreads())
  await using _node = await ExecutorNode.start({ name: "traced", engine, tasks, executor })
  await using fleet = new DistributedExecutor({ name: "traced", engine, tasks })
  await tracer.startActiveSpan("request", async (request) => {
    await fleet.submit(tasks.traced, 1)
    request.end()
  })
  const found = await spans(5)
  const all = exporter.getFinishedSpans()
  const sent = all.find(({ attributes }) => attributes["corepool.executor.type"] === "distributed")
  const submit = all.find((span) => span.name === "submit traced" && span !== sent)
  assertChild(sent, found.get("request"))
  assertChild(submit, sent)
  assertChild(found.get("run traced"), submit)
  assertChild(found.get("inside"), found.get("run traced"))
  assert.equal(sent?.kind, SpanKind.PRODUCER)
  assert.equal(sent.attributes["corepool.executor.name"], "traced")
  assert.equal(sent.attributes["corepool.task.outcome"], "success")
  assert.equal(submit?.parentSpanContext?.isRemote, true)
})

test("[OT11] nothing is told after it is disposed of, nor of pools that were not asked for", async () => {
  reporting[Symbol.dispose]()
  await using asked = Executors.newFixedThreadPool(1, virtualThreads())
  await using other = Executors.newFixedThreadPool(1, virtualThreads())
  await asked.submit(function silent() {})
  using only = instrument({ metrics: false, pools: [asked] })
  await other.submit(function silent() {})
  await asked.submit(function heard() {})
  assert.deepEqual([...(await spans(2)).keys()].sort(), ["run heard", "submit heard"])
  only[Symbol.dispose]()
  reporting = instrument({ metrics: false })
})
