/** The tasks of a scenario of suite "threadpool" or "invoke", by name. */
import type { Future, Runnable } from "corepool"
import { flag, type JsonObject, maybeInteger, maybeString, ScenarioError, string, strings } from "../json.ts"
import { stateOf } from "../results.ts"
import type { Part } from "../stage/part.ts"
import type { Stage } from "../stage/stage.ts"

export interface ScenarioTask {
  readonly part: Part
  readonly priority: number
  /** What was given to `execute`. */
  runnable?: Runnable
  /** What `submit` returned. */
  future?: Future<unknown>
}

export class ScenarioTasks {
  readonly #tasks = new Map<string, ScenarioTask>()

  /** What the op describes, and the tasks that it spawns; `result` is what it returns, if that is not its name. */
  create(op: JsonObject, result?: { readonly value: unknown }): ScenarioTask {
    const spawns = strings(op, "spawns").map((name) => this.create({ task: name }).part)
    const name = string(op, "task")
    if (this.#tasks.has(name)) throw new ScenarioError(`Two tasks are called ${name}`)
    const part = {
      name,
      number: this.#tasks.size,
      body: maybeString(op, "body") ?? "gate",
      uninterruptible: flag(op, "uninterruptible"),
      spawns,
      ...(result && { result }),
    }
    const task = { part, priority: maybeInteger(op, "priority") ?? 0 }
    this.#tasks.set(name, task)
    return task
  }

  /** The task that an op is about. */
  of(op: JsonObject): ScenarioTask {
    return this.named(string(op, "task"))
  }

  named(name: string): ScenarioTask {
    const task = this.#tasks.get(name)
    if (task === undefined) throw new ScenarioError(`No task is called ${name}`)
    return task
  }

  futureOf(op: JsonObject): Future<unknown> {
    const { future } = this.of(op)
    if (future === undefined) throw new ScenarioError(`No future in ${JSON.stringify(op)}`)
    return future
  }

  runnableOf(op: JsonObject): Runnable {
    const { runnable } = this.of(op)
    if (runnable === undefined) throw new ScenarioError(`Not given to execute: ${JSON.stringify(op)}`)
    return runnable
  }

  /** The task with this future. */
  with(future: Future<unknown>): ScenarioTask | undefined {
    return [...this.#tasks.values()].find((task) => task.future === future)
  }

  /** What all futures show of themselves. */
  futures(stage: Stage): JsonObject {
    const states = [...this.#tasks.values()].flatMap(({ part, future }) =>
      future === undefined ? [] : [[part.name, stateOf(future, stage.hasStarted(part))] as const],
    )
    return Object.fromEntries(states)
  }
}
