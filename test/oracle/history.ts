/**
 * What the recorded trace tells between the lines: which futures the JDK has abandoned, and who waits for
 * them in vain. Read from the recording alone, so that what is demanded of corepool never depends on what
 * corepool does.
 */
import { type JsonObject, list, maybeString, objects, ScenarioError, string, strings } from "./json.ts"
import type { Step } from "./trace.ts"

/** How a future that the JDK leaves pending for ever has to end. */
export type Fate = "cancelled" | "done:failed"

/** A call of invokeAll or invokeAny under way. */
export interface Call {
  readonly what: string
  /** Its tasks, by name. */
  readonly tasks: readonly string[]
}

/** What is known at one step. */
export interface Facts {
  readonly op: JsonObject
  /** Abandoned by an earlier step: what the op of this step meets. */
  readonly abandonedBefore: ReadonlyMap<string, Fate>
  /** Abandoned by now: what the snapshot of this step shows. */
  readonly abandoned: ReadonlyMap<string, Fate>
  /** Callers who, from this step on, wait in the JDK for an abandoned future. */
  readonly newlyStuck: ReadonlyMap<string, Call>
  /** All such callers, until the JDK ends their call; by this step's end some may be free again. */
  readonly stuck: ReadonlySet<string>
  /** How each task ended, or undefined if the recording leaves out starts and ends. */
  readonly ends: ReadonlyMap<string, string> | undefined
}

export class History {
  /** Tasks whose beforeExecute hook throws. */
  readonly #doomed: ReadonlySet<string>
  readonly #abandoned = new Map<string, Fate>()
  readonly #calls = new Map<string, Call>()
  readonly #stuck = new Set<string>()
  readonly #ends = new Map<string, string>()
  #endsKnown = true
  #stopped = false
  #hookCalls = 0

  constructor(setup: JsonObject) {
    this.#doomed = new Set(strings(setup, "beforeExecuteThrows"))
  }

  /** Takes in the next step. */
  advance({ op, expect }: Step): Facts {
    const abandonedBefore = new Map(this.#abandoned)
    const stuckBefore = new Set(this.#stuck)
    this.#noteCall(op)
    this.#noteEnds(expect)
    if (op["do"] === "shutdownNow") this.#stopped = true
    this.#findAbandoned(op, expect)
    const newlyStuck = this.#findStuck(expect)
    return {
      op,
      abandonedBefore,
      abandoned: new Map(this.#abandoned),
      newlyStuck,
      stuck: new Set([...stuckBefore, ...newlyStuck.keys()]),
      ends: this.#endsKnown ? new Map(this.#ends) : undefined,
    }
  }

  #noteCall(op: JsonObject): void {
    const by = maybeString(op, "by")
    if (by === undefined) return
    const tasks = list(op, "tasks").flatMap((task) => (task === null ? [] : [string(task as JsonObject, "task")]))
    this.#calls.set(by, { what: string(op, "do"), tasks })
  }

  #noteEnds(expect: JsonObject): void {
    if (!("newEnds" in expect)) this.#endsKnown = false
    for (const end of strings(expect, "newEnds")) {
      const colon = end.lastIndexOf(":")
      this.#ends.set(end.slice(0, colon), end.slice(colon + 1))
    }
  }

  /**
   * At quiescence a task that has not started is in the queue; one that is in neither state was dropped. (A trace
   * without
   * `queuedTasks` drops tasks only by emptying the whole queue. Scheduled tasks can also be removed, which is no abandoning,
   * and so only what shutdownNow returned counts.)
   */
  #findAbandoned(op: JsonObject, expect: JsonObject): void {
    const hooks = (expect["hooks"] ?? {}) as JsonObject
    const hookCalls = typeof hooks["before"] === "number" ? hooks["before"] : 0
    const hookCalled = hookCalls > this.#hookCalls
    this.#hookCalls = hookCalls
    const queued = "queuedTasks" in expect ? new Set(strings(expect, "queuedTasks")) : undefined
    const { returned } = (expect["result"] ?? {}) as JsonObject
    for (const [task, state] of Object.entries((expect["futures"] ?? {}) as JsonObject)) {
      if (state === "scheduled" && Array.isArray(returned) && returned.includes(task)) {
        this.#abandoned.set(task, "cancelled")
      }
      if (state !== "new" || this.#abandoned.has(task)) continue
      if (queued === undefined ? expect["queueSize"] !== 0 : queued.has(task)) continue
      const byHook = this.#doomed.has(task) && hookCalled && op["do"] !== "shutdownNow"
      this.#abandoned.set(task, byHook ? "done:failed" : "cancelled")
    }
  }

  /** After shutdownNow nothing runs and nothing is queued: whoever still waits for tasks waits for abandoned ones. */
  #findStuck(expect: JsonObject): Map<string, Call> {
    for (const { by } of objects(expect, "completed")) this.#stuck.delete(String(by))
    const found = new Map<string, Call>()
    if (!this.#stopped) return found
    for (const entry of strings(expect, "blocked")) {
      const [by = "", what] = entry.split(":")
      if ((what !== "invokeAll" && what !== "invokeAny") || this.#stuck.has(by)) continue
      const call = this.#calls.get(by)
      if (call?.what !== what) throw new ScenarioError(`${entry} is blocked but was never called`)
      found.set(by, call)
      this.#stuck.add(by)
    }
    return found
  }
}
