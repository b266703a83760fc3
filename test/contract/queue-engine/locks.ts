/** Whose a job is: docs/spec/distributed-engine.md. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { BRIEF, DONE, type EngineKind, Lab, LOCK, LONGER_THAN_LOCK, order } from "./kind.ts"
import { EngineProcess } from "./process.ts"

/** Takes one job, says that it has begun, and when it has lost it; then it reports an end for it all the same. */
const TAKE_ONE = `
  const consumer = await queue.consume({
    node: "child", concurrency: 1, lockDuration: ${BRIEF},
    run: ({ lost }) => new Promise((resolve) => {
      say("begun")
      lost.onLost = () => {
        say("lost")
        resolve({ kind: "completed", outcome: "first node" })
        void consumer.drain().then(() => queue.close())
      }
    }),
  })
`

export function locks({ open, inAnotherProcess }: EngineKind): void {
  test("[QE17] a job that takes longer than its lock lasts stays its node's", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    let runs = 0
    let isLost = false
    for (const node of ["first", "second"]) {
      await lab.consume(
        async ({ lost }) => {
          runs++
          await new Promise((resolve) => setTimeout(resolve, LONGER_THAN_LOCK))
          isLost ||= lost.isLost
          return DONE
        },
        { lockDuration: LOCK, node },
      )
    }
    await queue.add([order("x")])
    await log.hears("completed", "x")
    assert.deepEqual([runs, isLost], [1, false])
  })

  if (inAnotherProcess === undefined) return

  test("[QE18] the job of a node that was killed is taken by another, which knows of the death", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    await queue.add([order("x", { attempts: 2 })])
    await using node = new EngineProcess({
      engine: await inAnotherProcess(),
      queue: lab.queueName,
      body: TAKE_ONE,
    })
    assert.equal(await node.says(), "begun")
    await node.kill()
    const seen: unknown[] = []
    await lab.consume(({ id, deaths, failures }) => {
      seen.push([id, deaths, failures])
      return DONE
    })
    await log.hears("completed", "x")
    assert.deepEqual(seen, [["x", 1, 0]])
  })

  test("[QE18][QE19] a node that stood still loses its job: it is told, and what it reports is refused", async () => {
    await using lab = new Lab(await open())
    const [queue, log] = await lab.listening()
    await queue.add([order("x")])
    await using node = new EngineProcess({
      engine: await inAnotherProcess(),
      queue: lab.queueName,
      body: TAKE_ONE,
    })
    assert.equal(await node.says(), "begun")
    node.stop()
    await lab.consume(({ deaths }) => ({ kind: "completed", outcome: `second node, ${deaths}` }))
    await log.hears("completed", "x")
    node.goOn()
    assert.equal(await node.says(), "lost")
    assert.equal(await node.ended(), 0)
    assert.deepEqual(log.of("completed"), [{ kind: "completed", id: "x", text: "second node, 1" }])
    assert.equal((await queue.find(["x"]))[0]?.outcome, "second node, 1")
  })

  test("[QE26] a process whose queue is closed ends by itself", async () => {
    await using lab = new Lab(await open())
    const queue = await lab.open()
    await queue.add([order("x")])
    for (const role of ["node", "executor"] as const) {
      await using child = new EngineProcess({
        engine: await inAnotherProcess(),
        queue: lab.queueName,
        role,
        body: `
          const nothing = () => {}
          await queue.listen({ active: nothing, completed: nothing, failed: nothing, removed: nothing, delayed: nothing,
            progress: nothing, control: nothing, gap: nothing, error: nothing })
          await queue.counts()
          if (${role === "node"}) {
            const done = Promise.withResolvers?.() ?? {}
            const ran = new Promise((resolve) => (done.resolve = resolve))
            const consumer = await queue.consume({ node: "child", concurrency: 2, lockDuration: 30000,
              run: async () => { done.resolve(); return { kind: "completed", outcome: "done" } } })
            await ran
            await consumer.drain()
          }
          await queue.close()
          say("closed")
        `,
      })
      assert.equal(await child.says(), "closed")
      assert.equal(await child.ended(), 0)
    }
    assert.equal((await queue.find(["x"]))[0]?.state, "completed")
  })
}
