/** The context of a distributed task, and the channel that tells of it: docs/spec/distributed.md. */
import {
  type DistributedJobContext,
  Executors,
  NotSerializableError,
  platformThreads,
  Semaphore,
  type TaskContext,
  type ThreadFactory,
  virtualThreads,
} from "corepool"
import { DistributedExecutor, type Engine, ExecutorNode, migrate, postgres } from "corepool/distributed"
import assert from "node:assert/strict"
import { tracingChannel } from "node:diagnostics_channel"
import { test } from "node:test"
import { checkJob } from "#src/distributed/node/job-checks.js"
import type { JobData } from "#src/distributed/job/job-data.js"
import { Recorder } from "../../support/channels.ts"
import { claimedJob } from "../../support/claimed-job.ts"
import { eventually } from "../../support/harness.ts"
import { MemoryEngine } from "../../support/memory-engine.ts"
import { testPostgres } from "../../support/postgres.ts"
import * as tasks from "./context.tasks.ts"

const ALL = ["start", "end", "asyncStart", "asyncEnd"]

const { url, fresh } = await testPostgres()
const schema = fresh()
await migrate(postgres({ url, schema }))
const ENGINES: readonly (readonly [string, () => Engine])[] = [
  ["in memory", () => new MemoryEngine()],
  ["PostgreSQL", () => postgres({ url, schema })],
]

class Lab implements AsyncDisposable {
  readonly fleet: DistributedExecutor
  readonly #end: () => Promise<void>

  private constructor(fleet: DistributedExecutor, end: () => Promise<void>) {
    this.fleet = fleet
    this.#end = end
  }

  static async open(engine: Engine, threads: ThreadFactory, name: string): Promise<Lab> {
    const executor = Executors.newFixedThreadPool(1, threads)
    const onError = (): void => undefined
    const node = await ExecutorNode.start({ name, engine, tasks, executor, onError })
    const fleet = new DistributedExecutor({ name, engine, tasks, onError })
    return new Lab(fleet, async () => {
      await fleet.close()
      await node.close()
      await executor.close()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end()
  }
}

for (const [engineName, engine] of ENGINES) {
  for (const threads of [virtualThreads(), platformThreads()]) {
    const kind = threads.isVirtual ? "virtual" : "platform"
    test(`[DX86] a store that is propagated goes with the job (${engineName}, ${kind} threads)`, async () => {
      await using lab = await Lab.open(engine(), threads, `stores-${kind}`)
      const store = { user: "Ada", roles: new Set(["admin"]) }
      const seen = await tasks.request.run(store, () => lab.fleet.submit(tasks.look))
      assert.deepEqual(seen, { store, isMain: threads.isVirtual })
      assert.deepEqual(await lab.fleet.submit(tasks.look), { store: undefined, isMain: threads.isVirtual })
      const later = await tasks.request.run("later", () => lab.fleet.schedule(tasks.look, 1))
      assert.equal(later.store, "later")
    })
  }

  test(`[DX87] corepool:distributed.job has a job until its outcome is known (${engineName})`, async () => {
    using heard = Recorder.tracing<DistributedJobContext>("distributed.job")
    using local = Recorder.tracing<TaskContext>("task")
    await using lab = await Lab.open(engine(), virtualThreads(), "traced")
    const future = lab.fleet.with({ name: "a look" }).submit(tasks.look)
    await future
    assert.deepEqual(heard.parts(), ALL)
    const [context] = heard.messages
    assert.ok(heard.messages.every((message) => message === context))
    assert.ok(context !== undefined)
    assert.deepEqual([context.executor, context.job, context.name], ["traced", future.id, "a look"])
    assert.equal(context.outcome, "success")
    assert.ok(context.submittedAt <= (context.settledAt as number))
    assert.ok(local.messages.some(({ pool }) => pool.name.startsWith("ThreadPoolExecutor"))) // that of the node
    await assert.rejects(lab.fleet.submit(tasks.fail).get(), RangeError)
    const failed = heard.messages.findLast(({ name }) => name === "fail")
    assert.ok(failed?.error instanceof RangeError)
    assert.deepEqual(
      heard.parts((message) => message === failed),
      ["start", "end", "error", "asyncStart", "asyncEnd"],
    )
    const cancelled = lab.fleet.schedule(tasks.look, 60_000)
    await cancelled.stored
    cancelled.cancel()
    await eventually(() => heard.messages.some(({ outcome }) => outcome === "cancelled"))
    // A command has no future.
    lab.fleet.execute(tasks.look)
    const isCommand = ({ job }: DistributedJobContext): boolean =>
      job === heard.messages.at(-1)?.job && job !== cancelled.id
    await eventually(() => heard.parts(isCommand).length === 4)
    assert.equal(heard.messages.at(-1)?.outcome, "success")
  })
}

test("[DX86] a store that cannot be sent to another machine is refused, by its name", async () => {
  using heard = Recorder.tracing<DistributedJobContext>("distributed.job")
  await using lab = await Lab.open(new MemoryEngine(), virtualThreads(), "refused")
  tasks.request.run(new Semaphore(1), () =>
    assert.throws(
      () => lab.fleet.submit(tasks.look),
      (error) => error instanceof NotSerializableError && /AsyncLocalStorage "test: request"/.test(error.message),
    ),
  )
  assert.deepEqual(heard.parts(), ["start", "error", "end"])
})

test("[DX86] stores of a stranger that cannot be read fail the job", async () => {
  const data: JobData = { v: 1, args: "", from: "stranger" }
  const wrong = checkJob(claimedJob({ data: { ...data, stores: 5 as never } }), false, 0, "node")
  assert.equal(wrong?.kind, "failed")
  const engine = new MemoryEngine()
  await using lab = await Lab.open(engine, virtualThreads(), "strange")
  assert.equal((await lab.fleet.submit(tasks.look)).isMain, true)
  const queue = await engine.open("strange", "executor")
  await queue.add([
    {
      id: "bad",
      isNew: true,
      name: "look",
      data: { ...data, stores: "AAAA" },
      delay: 0,
      priority: 0,
      attempts: 1,
      keep: 60_000,
    },
  ])
  await assert.rejects(lab.fleet.future("bad").get(), NotSerializableError)
})

test("[DX87] a store that is bound to the channel is in effect when the stores of the job are taken", async () => {
  const { start } = tracingChannel("corepool:distributed.job")
  const bound = tasks.request
  start.bindStore(bound, (message) => `of ${(message as DistributedJobContext).name}`)
  try {
    await using lab = await Lab.open(new MemoryEngine(), platformThreads(), "bound")
    assert.deepEqual(await lab.fleet.submit(tasks.look), { store: "of look", isMain: false })
  } finally {
    start.unbindStore(bound)
  }
})
