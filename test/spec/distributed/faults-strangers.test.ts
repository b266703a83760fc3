/** Processes that write into the queue and keep no rules: docs/spec/distributed-faults.md. */
import fc from "fast-check"
import assert from "node:assert/strict"
import { test } from "node:test"
import { Lab } from "../../contract/queue-engine/kind.ts"
import { decodeFailure } from "#src/distributed/job/failure.js"
import type { JobRecord } from "#src/distributed/job/engine.js"
import { encodeArguments } from "#src/distributed/job/payload.js"
import * as tasks from "../../support/fault.tasks.ts"
import { engineAt, FaultLab, type FaultKind, onEachServer, until } from "../../support/fault-lab.ts"
import { type StrangeJob, Stranger } from "../../support/fault-stranger.ts"

/** Of a newer form. Where it can be read but not written again, it cannot be put off, and fails. (PostgreSQL does not take it.) */
const VERY_DEEP = `{"v":2,"args":${"[".repeat(50_000)}${"]".repeat(50_000)}}`

/** Newer engines write values of any depth: Deno's, and that of Node 26. */
function canBeWritten(text: string): boolean {
  try {
    JSON.stringify(JSON.parse(text))
    return true
  } catch {
    return false
  }
}

/** A node, a stranger, and what the engine has of the stranger's jobs. */
class Siege implements AsyncDisposable {
  readonly lab: FaultLab
  readonly stranger: Stranger
  readonly #reader: Lab

  private constructor(lab: FaultLab, stranger: Stranger) {
    this.lab = lab
    this.stranger = stranger
    this.#reader = new Lab(engineAt(lab.address), lab.queue)
  }

  static async begin(kind: FaultKind): Promise<Siege> {
    const lab = await FaultLab.open(kind)
    return new Siege(lab, await Stranger.at(lab.address, lab.queue))
  }

  /** Adds the jobs, and waits for the ends of all that the server has taken. */
  async outcomes(jobs: readonly StrangeJob[], isOver = hasEnded): Promise<Map<string, JobRecord>> {
    const ids: string[] = []
    for (const job of jobs) if (await this.stranger.add(job)) ids.push(job.id)
    const queue = await this.#reader.open()
    let found = new Map<string, JobRecord>()
    const open = (): string[] => [...found.values()].filter((record) => !isOver(record)).map(({ id }) => id)
    await until(
      async () => {
        const records = await queue.find(ids)
        found = new Map(records.flatMap((record) => (record === undefined ? [] : [[record.id, record] as const])))
        return open().length === 0
      },
      () => `the ends of ${open().join()}`,
    )
    return found
  }

  /** A node that has had all that still does its work, and can be closed. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader[Symbol.asyncDispose]()
    await this.stranger[Symbol.asyncDispose]()
    await this.lab[Symbol.asyncDispose]()
  }
}

function hasEnded({ state }: JobRecord): boolean {
  return state === "completed" || state === "failed"
}

const ARGS = encodeArguments("work", ["strange"])
const GOOD = { v: 1, args: ARGS, from: "stranger" }

/** Names that are not in the catalogue. */
const NAMES = [
  ...["constructor", "__proto__", "prototype", "toString", "valueOf", "hasOwnProperty", "default", "then", "FOLDER"],
  ...["", " work", "work ", "Work", "work\n", "work.call", "tasks.work", "process.exit", "eval", "require"],
  ...["/bin/sh", "../../../etc/passwd", "file:///etc/passwd", "https://example.com/x.mjs", "data:text/javascript,1"],
  ...["() => process.exit(1)", "function () {}", "{{1}}", "; DROP TABLE job", "\u202Ework", "x".repeat(100_000)],
]

const odd = fc.oneof(
  fc.constantFrom(null, true, -1, 0, 0.5, 1e300, -1e300, 2 ** 53, "", "x", [], {}, [[]]),
  fc.jsonValue({ maxDepth: 4 }),
)

/** Data that are nearly right. */
const nearData = fc
  .record(
    {
      v: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, odd),
      args: fc.oneof(
        { weight: 2, arbitrary: fc.constant(ARGS) },
        fc.base64String({ maxLength: 200 }),
        fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from([1, ...bytes]).toString("base64")),
        fc.integer({ min: 0, max: 60 }).map((n) => ARGS.slice(0, n)),
        odd,
      ),
      each: odd,
      from: odd,
      title: odd,
      timeout: odd,
      startBy: odd,
      maxDeaths: odd,
      command: odd,
      cancelled: odd,
      retry: fc.oneof(odd, fc.record({ delay: odd, factor: odd, maxDelay: odd, jitter: odd }, { requiredKeys: [] })),
      series: fc.oneof(
        odd,
        fc.record(
          {
            kind: fc.oneof(fc.constantFrom("rate", "delay", "cron"), odd),
            period: odd,
            cron: odd,
            timezone: odd,
            due: odd,
            runs: odd,
            deathsBefore: odd,
          },
          { requiredKeys: [] },
        ),
      ),
    },
    { requiredKeys: ["v", "args"] },
  )
  .map((data) => JSON.stringify(data))

const strangeData = fc.oneof(
  { weight: 4, arbitrary: nearData },
  fc.json(),
  fc.json().map((text) => JSON.stringify({ $json: text })),
  fc.string().map((text) => JSON.stringify({ $json: text })),
)

const strangeOptions = fc.record(
  {
    attempts: fc.oneof(fc.constantFrom(1, 2), odd),
    keep: fc.oneof(fc.constant(600_000), odd),
    parent: odd,
    backoff: odd,
    lifo: odd,
    removeOnFail: odd,
  },
  { requiredKeys: [] },
)

onEachServer((kind) => {
  const { name, skip } = kind

  test(`[DF18] a job of a name that is not in the catalogue fails as unknown, on ${name}`, { skip }, async () => {
    await using siege = await Siege.begin(kind)
    const node = await siege.lab.node("node")
    const found = await siege.outcomes(NAMES.map((task, n) => ({ id: `${n}`, name: task, data: JSON.stringify(GOOD) })))
    assert.ok(found.size >= NAMES.length - 1, `${found.size} of ${NAMES.length} names were taken`)
    for (const [id, { name: task, state, outcome = "" }] of found) {
      assert.deepEqual([state, decodeFailure(outcome).kind], ["failed", "unknown-task"], `${id}: ${task.slice(0, 50)}`)
    }
    assert.equal(await siege.lab.fleet().submit(tasks.work, "after"), "after")
    await node.close()
    assert.deepEqual([...siege.lab.runs], [["after", 1]])
  })

  test(
    `[DF20][DF21] data that are no job's, and ends that the server cannot take, fail the job, on ${name}`,
    { skip },
    async () => {
      await using siege = await Siege.begin(kind)
      const node = await siege.lab.node("node")
      const series = { kind: "rate", period: 10, due: 1, runs: 0, deathsBefore: 0 }
      const data: Record<string, string> = {
        "no JSON": "{",
        "no JSON within": JSON.stringify({ $json: "{" }),
        nothing: "null",
        "nothing within": JSON.stringify({ $json: "null" }),
        number: "5",
        text: '"text"',
        list: "[]",
        "no form": "{}",
        period: JSON.stringify({ ...GOOD, series: { ...series, period: "x" } }),
        "no period": JSON.stringify({ ...GOOD, series: { ...series, period: null } }),
        "large period": JSON.stringify({ ...GOOD, series: { ...series, period: 1e300 } }),
        "large due": JSON.stringify({ ...GOOD, series: { ...series, due: 1e300 } }),
        calendar: JSON.stringify({ ...GOOD, series: { ...series, kind: "cron", cron: "x" } }),
        "calendar of numbers": JSON.stringify({ ...GOOD, series: { ...series, kind: "cron", cron: 5, timezone: 5 } }),
        kind: JSON.stringify({ ...GOOD, series: { ...series, kind: "constructor" } }),
        timeout: JSON.stringify({ ...GOOD, timeout: 0 }),
        deep: `{"v":1,"args":${"[".repeat(5000)}${"]".repeat(5000)}}`,
        ...(canBeWritten(VERY_DEEP) ? {} : { "very deep": VERY_DEEP }),
      }
      const jobs = Object.entries(data).map(([id, text]) => ({ id, name: "work", data: text }))
      const retry = { ...GOOD, args: encodeArguments("fail", ["f"]), retry: { delay: 1, factor: 1, maxDelay: "x" } }
      jobs.push({ id: "retry", name: "fail", data: JSON.stringify(retry), opts: { attempts: 5 } } as StrangeJob)
      const found = await siege.outcomes(jobs)
      assert.deepEqual(
        [...found].filter(([, { state }]) => state !== "failed").map(([id]) => id),
        [],
      )
      assert.equal(await siege.lab.fleet().submit(tasks.work, "after"), "after")
      await node.close()
    },
  )

  test(
    `[DF19] whatever stands in the data and the options of jobs, they end, and the node goes on, on ${name}`,
    { skip },
    async () => {
      await using siege = await Siege.begin(kind)
      const node = await siege.lab.node("node")
      const fleet = siege.lab.fleet()
      let round = 0
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.constantFrom("work", "lengthOf", "fail"), strangeData, strangeOptions), {
            minLength: 40,
            maxLength: 40,
          }),
          async (strange) => {
            round++
            // What repeats, or is of a newer form, does not end: it is enough that it waits for its time.
            await siege.outcomes(
              strange.map(([task, data, opts], n) => ({ id: `${round}-${n}`, name: task, data, opts })),
              (record) => hasEnded(record) || record.state === "delayed" || record.data.series !== undefined,
            )
            assert.equal(await fleet.submit(tasks.work, `after ${round}`), `after ${round}`)
          },
        ),
        { numRuns: 5, endOnFailure: true },
      )
      assert.equal(node.isAlive, true)
      await node.close()
    },
  )

  test(`[DF22] messages, events and notes that are not corepool's are ignored, on ${name}`, { skip }, async () => {
    await using siege = await Siege.begin(kind)
    const { lab, stranger } = siege
    const fleet = lab.fleet()
    const node = await lab.node("node")
    const held = fleet.submit(tasks.hold, "held")
    await lab.started("held")
    const { id } = held
    for (const message of [
      "",
      "{",
      "null",
      "5",
      "[]",
      '{"kind":"cancel"}',
      '{"kind":"cancel","id":{}}',
      '{"kind":5,"id":[]}',
      "\u0001%zz",
    ]) {
      await stranger.send(message)
    }
    for (const event of ["completed", "failed", "progress", "delayed", "active", "removed", "constructor"]) {
      await stranger.tell({ event, jobId: "1" })
      await stranger.tell({ event, jobId: ".unknown", returnvalue: "{", failedReason: "", data: "{", delay: "x" })
      await stranger.tell({ event })
    }
    await stranger.tell({ event: "progress", jobId: `.${id}`, data: "{" })
    await stranger.tell({ event: "completed", jobId: `.${id}`, returnvalue: "{" })
    await stranger.note("node.x", "{")
    await stranger.note("node.y", "null")
    await stranger.note("node.z", '{"until":"x","node":5}')
    assert.deepEqual(
      (await fleet.nodes()).map((each) => each.name),
      ["node"],
    )
    const other = fleet.submit(tasks.hold, "other")
    await lab.started("other")
    assert.equal(other.cancel(true), true)
    lab.openGate("held")
    assert.equal(await held, "held")
    await until(async () => (await fleet.stats()).outstanding === 0, "the end of the cancelled task")
    await node.close()
    await lab.settled(fleet, { completed: 1, failed: 1 })
  })

  test(
    `[DF23] old outcomes are removed whatever other jobs say about how long they are kept, on ${name}`,
    { skip },
    async () => {
      await using siege = await Siege.begin(kind)
      const { lab } = siege
      const fleet = lab.fleet()
      const first = await lab.node("first")
      await siege.outcomes(
        ["x", true, [], {}, 1e300, "1e300", null].map((keep, n) => ({
          id: `${n}`,
          name: "none",
          data: "{}",
          opts: { keep },
        })),
      )
      const future = fleet.with({ keepResults: 1 }).submit(tasks.work, "brief")
      assert.equal(await future, "brief")
      await first.close()
      // A node removes old outcomes when it begins.
      const second = await lab.node("second")
      const reader = new Lab(engineAt(lab.address), lab.queue)
      const queue = await reader.open()
      const left = async (): Promise<number> => {
        const { completed, failed } = await queue.counts()
        return completed + failed
      }
      await until(async () => (await left()) === 1, "the removal of all outcomes but that which is kept for ever")
      assert.equal((await queue.find([future.id]))[0], undefined)
      await reader[Symbol.asyncDispose]()
      await second.close()
    },
  )
})
