/** What a debugger sees of threads. */
import assert from "node:assert/strict"
import test from "node:test"
import { Folder } from "./support.ts"

/** A debugger in the program itself, which stops threads in the second line of the tasks. */
const DEBUGGER = `
  import { open, Session } from "node:inspector"
  const session = new Session()
  session.connect()
  let id = 0
  const tell = (sessionId, method, params = {}) =>
    session.post("NodeWorker.sendMessageToWorker", { sessionId, message: JSON.stringify({ id: ++id, method, params }) })
  session.on("NodeWorker.attachedToWorker", ({ params: { sessionId, workerInfo } }) => {
    console.log("target", workerInfo.title.replace(/^.*\\] /, ""))
    tell(sessionId, "Debugger.enable")
    tell(sessionId, "Debugger.setBreakpointByUrl", { urlRegex: "tasks\\\\.mjs$", lineNumber: 1 })
    tell(sessionId, "Runtime.runIfWaitingForDebugger")
  })
  session.on("NodeWorker.receivedMessageFromWorker", ({ params: { sessionId, message } }) => {
    const { method, params } = JSON.parse(message)
    if (method !== "Debugger.paused") return
    if (params.hitBreakpoints?.length > 0) console.log("stopped in", params.callFrames[0].functionName)
    tell(sessionId, "Debugger.resume")
  })
  session.post("NodeWorker.enable", { waitForDebuggerOnStart: true })
`

test("[WK60] a thread is a target, and stops at breakpoints", async () => {
  using folder = new Folder()
  folder.write("tasks.mjs", "export function triple(n) {\n  return 3 * n\n}")
  await using running = folder.start(
    "program.mjs",
    `import { Executors, platformThreads, tasksOf } from "corepool"
     ${DEBUGGER}
     const pool = Executors.newFixedThreadPool(1, platformThreads({ name: () => "watched" }))
     console.log(await pool.submit(tasksOf(new URL("./tasks.mjs", import.meta.url)).triple, 5))
     await pool.close()
     session.disconnect()`,
  )
  assert.deepEqual(await running.lines(), ["target watched", "stopped in triple", "15"])
})

for (const isInspected of [true, false]) {
  test(`[WK61] a warning of a thread that is terminated, inspected: ${isInspected}`, async () => {
    using folder = new Folder()
    await using running = folder.start(
      "program.mjs",
      `import { open } from "node:inspector"
       import { Executors, platformThreads } from "corepool"
       process.on("warning", ({ code, message }) => console.log(code, message.includes("terminateAfter: Infinity")))
       if (${isInspected}) open(0)
       const pool = Executors.newFixedThreadPool(1, platformThreads({ terminateAfter: 1 }))
       const begun = new Int32Array(new SharedArrayBuffer(4))
       const future = pool.submit((begun) => {
         Atomics.store(begun, 0, 1)
         for (;;);
       }, begun)
       while (Atomics.load(begun, 0) === 0) await new Promise(setImmediate)
       future.cancel(true)
       console.log(await pool.submit(() => "next"))
       process.exit()`,
    )
    await running.ended()
    const warning = isInspected ? ["COREPOOL_TERMINATED true"] : []
    assert.deepEqual(running.stdout.trim().split("\n"), [...warning, "next"])
  })
}
