import { IllegalStateError, Thread, virtualThreads } from "corepool"
import { withListener } from "#src/thread/progress.js"
import assert from "node:assert/strict"
import { test } from "node:test"

test("[TH40] without a listener, reporting has no effect", () => {
  Thread.currentThread().reportProgress(1)
  Thread.currentThread().reportProgress(() => undefined)
})

test("[TH40] the listener of a task hears what it reports, also after an await, and not what others report", async () => {
  const heard: unknown[] = []
  const listener = { progress: (value: unknown) => heard.push(value) }
  const running = withListener(listener, async () => {
    Thread.currentThread().reportProgress("first")
    await Promise.resolve()
    Thread.currentThread().reportProgress("second")
  })
  Thread.currentThread().reportProgress("other")
  await running
  assert.deepEqual(heard, ["first", "second"])
})

test("[TH41] only the current thread reports", async () => {
  const other = virtualThreads().newThread(() => undefined)
  assert.throws(() => other?.reportProgress(1), IllegalStateError)
  const main = Thread.currentThread()
  let thrown: unknown
  const thread = virtualThreads().newThread(() => {
    Thread.currentThread().reportProgress(1)
    try {
      main.reportProgress(1)
    } catch (error) {
      thrown = error
    }
  })
  thread?.start()
  await thread?.join()
  assert.ok(thrown instanceof IllegalStateError)
})
