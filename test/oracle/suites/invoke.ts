/**
 * Suite "invoke": invokeAll, invokeAny, ExecutorCompletionService and the Executors adapters, on a fixed pool. Actors
 * `a1` … `a3` make the calls that may block.
 */
import {
  type Completion,
  ExecutorCompletionService,
  type Future,
  InterruptedError,
  LinkedBlockingQueue,
} from "corepool"
import { Actors } from "../actors.ts"
import { flag, integer, type JsonObject, list, maybeInteger, maybeString, ScenarioError, string } from "../json.ts"
import { OwnError, stateOf, VOID } from "../results.ts"
import type { Threads } from "../threads.ts"
import { callAdapter, describeFactory } from "./adapters.ts"
import { Completions } from "./completions.ts"
import { type Driver, NULL } from "./driver.ts"
import { Journal } from "./journal.ts"
import { WatchedPool } from "./watched-pool.ts"

class Task {
  readonly name: string
  /** `return` and `throw` end at once, `gate` waits for a word. */
  readonly kind: string
  readonly gate = new LinkedBlockingQueue<string>()
  future: Future<unknown> | undefined
  started = false

  constructor(spec: JsonObject) {
    this.name = string(spec, "task")
    this.kind = maybeString(spec, "body") ?? "gate"
  }
}

export class InvokeDriver implements Driver {
  readonly #threads: Threads
  readonly #pool: WatchedPool
  readonly #completions: Completions
  readonly #actors = new Actors()
  readonly #journal = new Journal()
  readonly #tasks = new Map<string, Task>()

  constructor(setup: JsonObject, threads: Threads) {
    this.#threads = threads
    const n = integer(setup, "threads")
    this.#pool = new WatchedPool({
      corePoolSize: n,
      maximumPoolSize: n,
      keepAliveTime: 0,
      workQueue: new LinkedBlockingQueue(),
      threadFactory: threads.factory(),
    })
    this.#completions = new Completions(this.#pool)
  }

  // ------------------------------------------------------------------ tasks

  #newTask(spec: JsonObject): Task {
    const task = new Task(spec)
    this.#tasks.set(task.name, task)
    return task
  }

  #newTasks(op: JsonObject): (Task | undefined)[] | undefined {
    if (op["tasks"] === null) return undefined
    return list(op, "tasks").map((spec) => (spec === null ? undefined : this.#newTask(spec as JsonObject)))
  }

  #callables(tasks: (Task | undefined)[] | undefined): (() => unknown)[] {
    return tasks === undefined ? NULL : tasks.map((task) => (task === undefined ? NULL : this.#callable(task)))
  }

  #callable(task: Task): () => unknown {
    return () => {
      this.#journal.started(task.name)
      task.started = true
      if (task.kind === "gate") return this.#gated(task)
      return this.#obey(task, task.kind === "return" ? "release" : "fail")
    }
  }

  async #gated(task: Task): Promise<string> {
    let word: string
    try {
      word = await task.gate.take()
    } catch (error) {
      if (!(error instanceof InterruptedError)) throw error
      this.#journal.ended(task.name, "interrupted")
      throw new OwnError(`${task.name} interrupted`)
    }
    return this.#obey(task, word)
  }

  #obey(task: Task, word: string): string {
    this.#journal.ended(task.name, word === "release" ? "returned" : "threw")
    if (word !== "release") throw new OwnError(task.name)
    return task.name
  }

  // ------------------------------------------------------------------ ops

  async step(op: JsonObject): Promise<JsonObject> {
    const result = await this.#actors.step(op, () => this.#perform(op), { signature: () => this.#signature() })
    return { ...result, ...this.#snapshot() }
  }

  async #perform(op: JsonObject): Promise<unknown> {
    const timeout = maybeInteger(op, "timeoutMs")
    switch (string(op, "do")) {
      case "invokeAll": {
        const tasks = this.#newTasks(op)
        const futures = await this.#pool.invokeAll(this.#callables(tasks), timeout)
        return await Promise.all(futures.map((future, i) => outcome(tasks?.[i], future)))
      }
      case "invokeAny":
        return await this.#pool.invokeAny(this.#callables(this.#newTasks(op)), timeout)
      case "release":
      case "fail":
        this.#task(op).gate.add(string(op, "do"))
        return VOID
      case "interrupt":
        this.#actors.interrupt(string(op, "actor"))
        return VOID
      case "submit": {
        const task = this.#newTask(op)
        task.future = this.#pool.submit(this.#callable(task))
        return VOID
      }
      case "cancel":
        return this.#future(op).cancel(flag(op, "mayInterrupt"))
      case "ecsSubmit": {
        const task = op["task"] === null ? undefined : this.#newTask(op)
        const { future } = this.#completions.submit(task === undefined ? NULL : this.#callable(task))
        if (task !== undefined) task.future = future
        return VOID
      }
      case "ecsTake":
        return await this.#completed(await this.#completions.next(Infinity))
      case "ecsPollTimed":
        return await this.#completed(await this.#completions.next(integer(op, "timeoutMs")))
      case "ecsPoll":
        return await this.#completed(this.#completions.poll())
      case "ecsConstruct":
        void new ExecutorCompletionService(NULL)
        return VOID
      case "shutdown":
        this.#pool.shutdown()
        return VOID
      case "shutdownNow":
        return this.#completions.shutdownNow()
      case "callable":
        return await callAdapter(op)
      case "factory":
        return describeFactory(op, this.#threads.factory())
      default:
        throw new ScenarioError(`Suite invoke has no op ${JSON.stringify(op)}`)
    }
  }

  #task(op: JsonObject): Task {
    const task = this.#tasks.get(string(op, "task"))
    if (task === undefined) throw new ScenarioError(`No task in ${JSON.stringify(op)}`)
    return task
  }

  #future(op: JsonObject): Future<unknown> {
    const { future } = this.#task(op)
    if (future === undefined) throw new ScenarioError(`No future in ${JSON.stringify(op)}`)
    return future
  }

  async #completed(completion: Completion<unknown> | undefined): Promise<JsonObject | null> {
    if (completion === undefined) return null
    const { future } = completion
    return await outcome(
      [...this.#tasks.values()].find((task) => task.future === future),
      future,
    )
  }

  // ------------------------------------------------------------------ snapshot

  #signature(): string {
    const { poolSize, activeCount, queue, completedTaskCount, isTerminated } = this.#pool
    return [poolSize, activeCount, queue.size, completedTaskCount, isTerminated, this.#journal.length].join()
  }

  #snapshot(): JsonObject {
    const { poolSize, activeCount, queue, completedTaskCount, isShutdown, isTerminated } = this.#pool
    const futures = [...this.#tasks.values()].flatMap(({ name, future, started }) =>
      future === undefined ? [] : [[name, stateOf(future, started)] as const],
    )
    return {
      ...this.#journal.page(),
      poolSize,
      completedTaskCount,
      activeCount,
      queueSize: queue.size,
      isShutdown,
      isTerminated,
      futures: Object.fromEntries(futures),
      blocked: this.#actors.blocked(),
      completed: this.#actors.newlyCompleted(),
    }
  }

  close(): void {
    for (const { gate } of this.#tasks.values()) gate.add("release")
    this.#pool.shutdownNow()
    this.#actors.close()
  }
}

/** A completed future in the form of the traces. */
async function outcome(task: Task | undefined, future: Future<unknown>): Promise<JsonObject> {
  if (task === undefined) throw new ScenarioError("A future of nobody's task")
  if (future.isCancelled) return { task: task.name, state: "cancelled" }
  try {
    return { task: task.name, state: "done:ok", value: String(await future.get()) }
  } catch (error) {
    return { task: task.name, state: "done:failed", cause: (error as Error).message }
  }
}
