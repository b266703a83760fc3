/** Who is told of what a command has thrown, and as an error of which thread. Rules: docs/spec/platform.md. */
import { Executors, platformThreads, type ThreadPoolExecutor } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually } from "../../support/harness.ts"
import { SharedCount, SharedGate } from "../../support/shared-words.ts"
import * as tasks from "./tasks.ts"

interface Told {
  readonly pool: ThreadPoolExecutor
  /** The name of the thread and the message. */
  readonly heard: [thread: string, message: string][]
}

function open(size = 1): Told {
  const heard: Told["heard"] = []
  const factory = platformThreads({
    name: "w",
    uncaughtException: ({ name }, error) => heard.push([name, (error as Error).message]),
  })
  return { pool: Executors.newFixedThreadPool(size, factory), heard }
}

test("[PL8] the error of a command is told with its thread, which is replaced", async () => {
  const { pool, heard } = open()
  pool.execute(tasks.fail, "by a command")
  assert.equal(await pool.submit(tasks.threadName), "w-2")
  await pool.close()
  assert.deepEqual(heard, [["w-1", "by a command"]])
})

test("[PL8][WO24] a command that is executed through a view does not cost its thread", async () => {
  const { pool, heard } = open()
  const view = pool.with({ name: "view" })
  view.execute(tasks.fail, "by a view")
  assert.equal(await pool.submit(tasks.threadName), "w-1")
  // What it returns is nobody's business, and need not be sent.
  view.execute(() => () => 1)
  await pool.close()
  assert.deepEqual(heard, [["w-1", "by a view"]])
})

test("[PL8][WO24] that its time is up is told with the thread that runs it", async () => {
  const { pool, heard } = open()
  const counter = new SharedCount()
  await pool.submit(tasks.add, 1, 1)
  pool.with({ timeout: 5 }).execute(tasks.spinUntilInterrupted, counter.index)
  await eventually(() => counter.value === 2)
  await pool.close()
  assert.deepEqual(heard, [["w-1", "The task did not end within 5 ms"]])
})

test("[PL8] a command that takes its thread with it is told with that thread, once", async () => {
  const { pool, heard } = open()
  pool.execute(tasks.exit, 3)
  pool.with({ name: "view" }).execute(tasks.exit, 4)
  assert.equal(await pool.submit(tasks.threadName), "w-3")
  await pool.close()
  assert.deepEqual(heard, [
    ["w-1", `Thread "w-1" ended with exit code 3 while it ran the task`],
    ["w-2", `Thread "w-2" ended with exit code 4 while it ran the task`],
  ])
})

test("[PL8] commands that another thread has submitted are told in the owner's thread", async () => {
  const { pool, heard } = open(2)
  using gate = new SharedGate()
  const other = pool.submit(tasks.pass, gate.index) // so that there is one thread for all of these
  await gate.reached()
  await pool.submit((it: ThreadPoolExecutor) => {
    it.execute(() => {
      throw new Error("plain")
    })
  }, pool)
  await eventually(() => heard.length === 1)
  await pool.submit((it: ThreadPoolExecutor) => {
    it.with({ name: "view" }).execute(() => {
      throw new Error("through a view")
    })
  }, pool)
  await eventually(() => heard.length === 2)
  await pool.submit((it: ThreadPoolExecutor) => it.execute(() => process.exit(5)), pool)
  await eventually(() => heard.length === 3)
  gate.open()
  await other
  await pool.close()
  assert.deepEqual(heard, [
    ["w-2", "plain"],
    ["w-3", "through a view"],
    ["w-3", `Thread "w-3" ended with exit code 5 while it ran the task`],
  ])
})
