/**
 * Suite "invoke": invokeAll, invokeAny, ExecutorCompletionService and the Executors adapters, on a fixed pool. Actors
 * `a1` … `a3` make the calls that may block.
 */
import { type Callable, type Completion, ExecutorCompletionService, type Future, LinkedBlockingQueue } from "corepool"
import { Actors } from "../actors.ts"
import { flag, integer, type JsonObject, list, maybeInteger, ScenarioError, string } from "../json.ts"
import { isShort } from "../quiescence.ts"
import { VOID } from "../results.ts"
import type { Stage } from "../stage/stage.ts"
import type { Threads } from "../threads.ts"
import { callAdapter, describeFactory } from "./adapters.ts"
import { Completions } from "./completions.ts"
import { type Driver, NULL } from "./driver.ts"
import { type ScenarioTask, ScenarioTasks } from "./scenario-tasks.ts"
import { WatchedPool } from "./watched-pool.ts"

export class InvokeDriver implements Driver {
  readonly #stage: Stage
  readonly #pool: WatchedPool
  readonly #completions: Completions
  readonly #actors = new Actors()
  readonly #tasks = new ScenarioTasks()

  constructor(setup: JsonObject, threads: Threads, attempt: number) {
    const pool = (): WatchedPool => this.#pool
    this.#stage = threads.stage(
      {
        get pool() {
          return pool()
        },
        execute: ({ name }) => {
          throw new ScenarioError(`Task ${name} cannot be spawned in suite invoke`)
        },
      },
      attempt,
    )
    const n = integer(setup, "threads")
    this.#pool = new WatchedPool({
      corePoolSize: n,
      maximumPoolSize: n,
      keepAliveTime: 0,
      workQueue: new LinkedBlockingQueue(),
      threadFactory: this.#stage.factory(),
    })
    this.#completions = new Completions(this.#pool)
  }

  // ------------------------------------------------------------------ tasks

  #newTasks(op: JsonObject): (ScenarioTask | undefined)[] | undefined {
    if (op["tasks"] === null) return undefined
    return list(op, "tasks").map((spec) => (spec === null ? undefined : this.#tasks.create(spec as JsonObject)))
  }

  #callables(tasks: (ScenarioTask | undefined)[] | undefined): Callable<unknown>[] {
    return tasks === undefined ? NULL : tasks.map((task) => this.#callable(task))
  }

  #callable(task: ScenarioTask | undefined): Callable<unknown> {
    return task === undefined ? NULL : this.#stage.callable(task.part)
  }

  // ------------------------------------------------------------------ ops

  async step(op: JsonObject): Promise<JsonObject> {
    const result = await this.#actors.step(op, () => this.#perform(op), {
      signature: () => this.#signature(),
      quiet: (signature) => this.#stage.quiet(signature),
      shortTime: (ms) => this.#stage.shortTime(ms),
    })
    if (isShort(maybeInteger(op, "timeoutMs") ?? 0)) this.#stage.checkStarts(integer(op, "timeoutMs"))
    return { ...result, ...this.#snapshot() }
  }

  async #perform(op: JsonObject): Promise<unknown> {
    const timeout = this.#timeoutOf(op)
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
        this.#stage.tell(this.#tasks.of(op).part, op["do"] === "fail" ? "fail" : "release")
        return VOID
      case "interrupt":
        this.#actors.interrupt(string(op, "actor"))
        return VOID
      case "submit": {
        const task = this.#tasks.create(op)
        task.future = this.#pool.submit(this.#callable(task))
        return VOID
      }
      case "cancel":
        return this.#tasks.futureOf(op).cancel(flag(op, "mayInterrupt"))
      case "ecsSubmit": {
        const task = op["task"] === null ? undefined : this.#tasks.create(op)
        const { future } = this.#completions.submit(this.#callable(task))
        if (task !== undefined && future !== undefined) task.future = future
        return VOID
      }
      case "ecsTake":
        return await this.#completed(await this.#completions.next(Infinity))
      case "ecsPollTimed":
        return await this.#completed(await this.#completions.next(timeout ?? Infinity))
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
        return describeFactory(op, this.#stage.factory())
      default:
        throw new ScenarioError(`Suite invoke has no op ${JSON.stringify(op)}`)
    }
  }

  #timeoutOf(op: JsonObject): number | undefined {
    const timeout = maybeInteger(op, "timeoutMs")
    return timeout !== undefined && isShort(timeout) ? this.#stage.shortTime(timeout) : timeout
  }

  async #completed(completion: Completion<unknown> | undefined): Promise<JsonObject | null> {
    if (completion === undefined) return null
    const { future } = completion
    return await outcome(this.#tasks.with(future), future)
  }

  // ------------------------------------------------------------------ snapshot

  #signature(): string {
    const { poolSize, activeCount, queue, completedTaskCount, isTerminated } = this.#pool
    return [poolSize, activeCount, queue.size, completedTaskCount, isTerminated].join()
  }

  #snapshot(): JsonObject {
    const { poolSize, activeCount, queue, completedTaskCount, isShutdown, isTerminated } = this.#pool
    return {
      ...this.#stage.page(),
      poolSize,
      completedTaskCount,
      activeCount,
      queueSize: queue.size,
      isShutdown,
      isTerminated,
      futures: this.#tasks.futures(this.#stage),
      blocked: this.#actors.blocked(),
      completed: this.#actors.newlyCompleted(),
    }
  }

  async close(): Promise<void> {
    this.#pool.shutdownNow()
    this.#actors.close()
    await this.#stage.close()
  }
}

/** A completed future in the form of the traces. */
async function outcome(task: ScenarioTask | undefined, future: Future<unknown>): Promise<JsonObject> {
  if (task === undefined) throw new ScenarioError("A future of nobody's task")
  if (future.isCancelled) return { task: task.part.name, state: "cancelled" }
  try {
    return { task: task.part.name, state: "done:ok", value: String(await future.get()) }
  } catch (error) {
    return { task: task.part.name, state: "done:failed", cause: (error as Error).message }
  }
}
