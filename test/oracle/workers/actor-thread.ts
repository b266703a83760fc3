/** What an actor that is a worker thread runs: it obeys orders, one after the other, and blocks or awaits in doing so. */
import { activity } from "./activity.ts" // before corepool
import { IllegalStateError, Thread } from "corepool"
import { threadContext } from "#src/memory/thread/this-thread.js"
import { parentPort } from "node:worker_threads"
import { flag, type JsonObject, ScenarioError, string } from "../json.ts"
import { capture } from "../results.ts"
import type { Manner, Subject } from "../suites/sync/subject.ts"
import { openSubject } from "../suites/sync/subjects.ts"
import type { Order, Report } from "./messages.ts"

let subject: Subject | undefined
let manner: Manner = "awaiting"

function report(message: Report): void {
  parentPort?.postMessage(message)
}

async function obey(order: Order): Promise<void> {
  switch (order.say) {
    case "open":
      subject = openSubject(order.subject)
      manner = order.manner
      return
    case "perform":
      report({ say: "completed", outcome: await outcomeOf(order.op) })
      return
    case "ping":
      // In another turn: some runtimes deliver two messages in one, and what the first is about may not be done yet.
      setImmediate(() => report({ say: "pong" }))
      return
    case "letGo":
      current().letGo()
      report({ say: "pong" })
  }
}

async function outcomeOf(op: JsonObject): Promise<JsonObject> {
  Thread.interrupted()
  if (flag(op, "preInterrupted")) Thread.currentThread().interrupt()
  const result = await capture(() => perform(op))
  const interruptFlag = Thread.interrupted() ? { interruptFlag: true } : {}
  return { do: string(op, "do"), ...result, ...interruptFlag }
}

function perform(op: JsonObject): unknown {
  if (manner === "awaiting") return current().perform(op, "awaiting")
  try {
    return current().perform(op, "blocking")
  } catch (error) {
    if (!isRefusal(error)) throw error
    report({ say: "refused" })
    return current().perform(op, "awaiting")
  }
}

/** Where Java's thread would wait for itself for ever. */
function isRefusal(error: unknown): boolean {
  return error instanceof IllegalStateError && error.message.startsWith("This thread would block for ever")
}

function current(): Subject {
  if (subject === undefined) throw new ScenarioError("An op without a scenario")
  return subject
}

parentPort?.on("message", (order: Order) => {
  obey(order).catch((error: unknown) => {
    report({ say: "mistake", message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  })
})

report({ say: "ready", token: threadContext().token, activity })
