/** Machines whose clocks are wrong: docs/spec/distributed-engine.md. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { BRIEF, DONE, type EngineKind, Lab, LOCK, LONGER_THAN_LOCK, order } from "./kind.ts"
import { EngineProcess } from "./process.ts"

const HOUR = 3_600_000
/** What is right by this much has not been told by the wrong clock. */
const TOLERANCE = HOUR / 2

const nodeWith = (lockDuration: number): string => `
  await queue.consume({
    node: "child", concurrency: 1, lockDuration: ${lockDuration},
    run: async (job) => {
      say("begins " + job.id + " " + job.deaths)
      if (job.id === "retry" && job.failures === 0) return { kind: "retry", reason: "once more", delay: 200 }
      if (job.id === "again" && job.data.args === "arguments") {
        return { kind: "again", dueAt: queue.now() + 200, data: { ...job.data, args: "second run" } }
      }
      if (job.id === "long") await new Promise((resolve) => setTimeout(resolve, ${LONGER_THAN_LOCK}))
      if (job.id === "endless") await new Promise(() => {})
      return { kind: "completed", outcome: job.data.args }
    },
  })
`

export function clocks({ open, inAnotherProcess }: EngineKind): void {
  if (inAnotherProcess === undefined) return

  for (const clockError of [HOUR, -HOUR]) {
    const machine = `a machine whose clock is an hour ${clockError > 0 ? "fast" : "slow"}`

    test(`[QE27] the engine's clock and due times are right on ${machine}`, async () => {
      await using lab = new Lab(await open())
      const [queue, log] = await lab.listening()
      await using child = new EngineProcess({
        engine: await inAnotherProcess(),
        queue: lab.queueName,
        role: "executor",
        clockError,
        body: `
          const order = { name: "task", data: { v: 1, args: "arguments", from: "child" }, priority: 0, attempts: 1, keep: 60000 }
          await queue.add([{ ...order, id: "soon", delay: 300 }, { ...order, id: "later", delay: ${HOUR} }])
          say(String(queue.now()))
          await queue.close()
        `,
      })
      const before = queue.now()
      const theirs = Number(await child.says())
      const [soon, later] = await queue.find(["soon", "later"])
      isAbout(theirs, before)
      isAbout(soon?.dueAt ?? 0, before)
      isAbout(later?.dueAt ?? 0, before + HOUR)
      await lab.consume(() => DONE)
      await log.hears("completed", "soon")
      assert.equal((await queue.find(["later"]))[0]?.state, "delayed")
    })

    test(`[QE27] a node on ${machine} keeps its jobs, and other nodes keep theirs`, async () => {
      await using lab = new Lab(await open())
      const [queue, log] = await lab.listening()
      await queue.add([order("long")])
      await using child = new EngineProcess({
        engine: await inAnotherProcess(),
        queue: lab.queueName,
        clockError,
        body: nodeWith(LOCK),
      })
      assert.equal(await child.says(), "begins long 0")
      const runs: string[] = []
      await lab.consume(
        async ({ id, deaths }) => {
          runs.push(`${id} ${deaths}`)
          await new Promise((resolve) => setTimeout(resolve, LONGER_THAN_LOCK))
          return DONE
        },
        { lockDuration: LOCK },
      )
      await queue.add([order("here")])
      await log.hears("completed", "long")
      await log.hears("completed", "here")
      assert.deepEqual(runs, ["here 0"])
      assert.equal(log.of("active").length, 2)
    })

    test(`[QE27] attempts and runs are due at the right time when a node on ${machine} says when`, async () => {
      await using lab = new Lab(await open())
      const [queue, log] = await lab.listening()
      await using child = new EngineProcess({
        engine: await inAnotherProcess(),
        queue: lab.queueName,
        clockError,
        body: nodeWith(LOCK),
      })
      for (const id of ["retry", "again"]) {
        const before = queue.now()
        await queue.add([order(id, { attempts: 2 })])
        const delayed = await log.hears("delayed", id)
        isAbout("dueAt" in delayed ? delayed.dueAt : 0, before)
        await log.hears("completed", id)
        assert.equal(await child.says(), `begins ${id} 0`)
        assert.equal(await child.says(), `begins ${id} 0`)
      }
    })

    test(`[QE27] a node on ${machine} takes the job of a dead node, and leaves its own to others when it dies`, async () => {
      await using lab = new Lab(await open())
      const [queue, log] = await lab.listening()
      const engine = await inAnotherProcess()
      await queue.add([order("endless")])
      const first = new EngineProcess({ engine, queue: lab.queueName, body: nodeWith(BRIEF) })
      assert.equal(await first.says(), "begins endless 0")
      await first[Symbol.asyncDispose]()
      await using second = new EngineProcess({ engine, queue: lab.queueName, clockError, body: nodeWith(BRIEF) })
      assert.equal(await second.says(), "begins endless 1")
      await second.kill()
      await lab.consume(({ deaths }) => ({ kind: "completed", outcome: `${deaths}` }))
      const ended = await log.hears("completed", "endless")
      assert.equal("text" in ended && ended.text, "2")
    })
  }
}

function isAbout(time: number, expected: number): void {
  assert.ok(Math.abs(time - expected) < TOLERANCE, `${time} is far from ${expected}`)
}
