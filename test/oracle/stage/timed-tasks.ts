/**
 * The tasks of suite "scheduled" on worker threads. Every task is a call of {@link performTimed} with plain data. Loaded by each
 * thread of a pool before its first task.
 */
import { store } from "#atomics"
import { bind, type Callable, task, Thread } from "corepool"
import { threadContext } from "#src/memory/thread/this-thread.js"
import { getEnvironmentData, isMainThread } from "node:worker_threads"
import { ScenarioError } from "../json.ts"
import { ACTIVITY } from "./activity.ts"
import { INHERITANCE, type Inheritance, type TimedLegacy } from "./inheritance.ts"
import { TimedMemory } from "./timed-memory.ts"
import { playTimed, type TimedPart, type TimedWings } from "./timed-part.ts"

export const performTimed = task(import.meta.url, function performTimed(part: TimedPart): unknown {
  if (wings === undefined) throw new ScenarioError("A thread that has inherited nothing")
  return playTimed(part, wings)
})

/** What a pool is given; its name is that of the task. */
export function timedCallOf(part: TimedPart): Callable<unknown> {
  return Object.defineProperty(bind(performTimed, part), "name", { value: part.name })
}

const inheritance = isMainThread ? undefined : (getEnvironmentData(INHERITANCE) as unknown as Inheritance<TimedLegacy>)
const wings = inheritance && wingsOf(inheritance.legacy)
if (inheritance !== undefined) store(inheritance.activity, ACTIVITY.TOKEN, threadContext().token)

function wingsOf({ memory: buffer, blocks }: TimedLegacy): TimedWings {
  const memory = new TimedMemory(buffer)
  return {
    started: (part) => memory.begin(part),
    ended: (part, run, how) => memory.write(part, run, how),
    sleep: (ms) => (blocks ? Thread.sleepSync(ms) : Thread.sleep(ms)),
    cancel: (part) => (blocks ? memory.askSync(part) : memory.ask(part)),
  }
}
