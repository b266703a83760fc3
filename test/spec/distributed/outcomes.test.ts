/** Outcomes that do not stand in their events: docs/spec/distributed-engine.md. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { BullQueue } from "#src/distributed/bullmq/bull-queue.js"
import { ServerClock } from "#src/distributed/bullmq/server-clock.js"
import { Steady } from "#src/distributed/bullmq/steady.js"
import { type EventSink, LARGE, type Store, type StoredJob } from "#src/distributed/bullmq/store.js"
import { dataOf, Log } from "../../contract/queue-engine/kind.ts"

/** A server with one job that has ended, and whose time is over. */
class ExpiredOutcome implements Pick<Store, "find" | "listen" | "close"> {
  sink: EventSink | undefined

  listen(sink: EventSink): Promise<void> {
    this.sink = sink
    return Promise.resolve()
  }

  find([jobId = ""]: readonly string[], withExpired: boolean): Promise<(StoredJob | undefined)[]> {
    const text = { returned: LARGE.mark, reason: undefined, progress: undefined }
    const job = { jobId, name: "task", data: { ...dataOf(), outcome: "a large one" }, state: "completed", ...text }
    return Promise.resolve([withExpired ? { ...job, dueAt: undefined } : undefined])
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}

test("[QE34] a listener is told of a large outcome whose time was over when it heard of it", async () => {
  const server = new ExpiredOutcome()
  const store: unknown = server
  const queue = new BullQueue(store as Store, new ServerClock(() => Promise.resolve(0)), new Steady("here", [], 0))
  const log = new Log()
  await queue.listen(log)
  server.sink?.event("completed", { jobId: ".x", returnvalue: JSON.stringify(LARGE.mark) })
  await log.until(() => log.heard.length > 0)
  assert.deepEqual(log.heard, [{ kind: "completed", id: "x", text: "a large one" }])
  assert.deepEqual(await queue.find(["x"]), [undefined])
  await queue.close()
})
