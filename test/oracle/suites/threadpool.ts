/** Suite "threadpool": a ThreadPoolExecutor driven with gated tasks. */
import type { Future, ThreadFactory } from "corepool"
import { flag, integer, type JsonObject, maybeInteger, maybeString, object, ScenarioError, string } from "../json.ts"
import { capture, OwnError, sorted, VOID } from "../results.ts"
import type { Company, Stage } from "../stage/stage.ts"
import type { Threads } from "../threads.ts"
import { type Driver, NULL } from "./driver.ts"
import { handlerFor, ObservedPool, queueFor } from "./observed-pool.ts"
import { type ScenarioTask, ScenarioTasks } from "./scenario-tasks.ts"

export class ThreadPoolDriver implements Driver {
  readonly #stage: Stage
  readonly #pool: ObservedPool
  readonly #isPriorityQueue: boolean
  readonly #tasks = new ScenarioTasks()
  #uncaught = 0

  constructor(setup: JsonObject, threads: Threads, attempt: number) {
    this.#stage = threads.stage(this.#company(), attempt)
    this.#isPriorityQueue = object(setup, "queue")["kind"] === "priority"
    this.#pool = new ObservedPool(this.#poolOptions({ threadFactory: "default", ...setup }), setup)
    if (flag(setup, "allowCoreThreadTimeOut")) this.#pool.allowCoreThreadTimeOut = true
  }

  #company(): Company {
    const pool = (): ObservedPool => this.#pool
    return {
      get pool() {
        return pool()
      },
      execute: ({ name }) => this.#execute(this.#tasks.named(name)),
    }
  }

  #poolOptions(from: JsonObject): ConstructorParameters<typeof ObservedPool>[0] {
    return {
      corePoolSize: integer(from, "corePoolSize"),
      maximumPoolSize: integer(from, "maximumPoolSize"),
      keepAliveTime: maybeInteger(from, "keepAliveMs") ?? 0,
      workQueue: queueFor(from["queue"] === null ? undefined : object(from, "queue")),
      threadFactory: this.#factoryFor(maybeString(from, "threadFactory")),
      handler: handlerFor(maybeString(from, "handler")),
    }
  }

  #factoryFor(kind: string | undefined): ThreadFactory {
    const threads = this.#stage.factory(() => this.#uncaught++)
    switch (kind) {
      case undefined:
        return NULL
      case "default":
        return threads
      case "returnsNull":
        return { isVirtual: threads.isVirtual, newThread: () => null }
      case "throws":
        return {
          isVirtual: threads.isVirtual,
          newThread: () => {
            throw new OwnError("factory")
          },
        }
      default:
        throw new ScenarioError(`No such thread factory: ${kind}`)
    }
  }

  // ------------------------------------------------------------------ ops

  async step(op: JsonObject): Promise<JsonObject> {
    const result = await capture(() => this.#perform(op))
    await this.#stage.quiet(() => this.#signature(), maybeInteger(op, "settleMs"))
    return this.#snapshot(result)
  }

  #execute(task: ScenarioTask): void {
    const { part, priority } = task
    task.runnable = this.#stage.runnable(part, priority)
    this.#pool.execute(this.#pool.named(task.runnable, part.name))
  }

  #submit(op: JsonObject): Future<unknown> {
    const as = maybeString(op, "as") ?? "callable"
    const task = this.#tasks.create(op)
    const callable = this.#stage.callable(task.part)
    switch (as) {
      case "callable":
        return (task.future = this.#pool.submit(callable))
      case "runnable":
        return (task.future = this.#pool.submitRunnable(callable, undefined))
      case "runnableResult":
        return (task.future = this.#pool.submitRunnable(callable, `r-${task.part.name}`))
      default:
        throw new ScenarioError(`No such way to submit: ${as}`)
    }
  }

  async #perform(op: JsonObject): Promise<unknown> {
    const pool = this.#pool
    switch (string(op, "do")) {
      case "execute":
        if (op["task"] === null) pool.execute(NULL)
        else this.#execute(this.#tasks.create(op))
        return VOID
      case "submit":
        if (op["task"] === null) pool.submit(NULL)
        else void this.#submit(op)
        return VOID
      case "release":
      case "fail":
        this.#stage.tell(this.#tasks.of(op).part, op["do"] === "fail" ? "fail" : "release")
        return VOID
      case "cancel":
        return this.#tasks.futureOf(op).cancel(flag(op, "mayInterrupt"))
      case "get":
        return await this.#tasks.futureOf(op).get(integer(op, "timeoutMs"))
      case "remove":
        return pool.remove(op["task"] === null ? NULL : this.#tasks.runnableOf(op))
      case "purge":
        pool.purge()
        return VOID
      case "setCorePoolSize":
        pool.corePoolSize = integer(op, "n")
        return VOID
      case "setMaximumPoolSize":
        pool.maximumPoolSize = integer(op, "n")
        return VOID
      case "setKeepAliveTime":
        pool.keepAliveTime = integer(op, "ms")
        return VOID
      case "prestartCoreThread":
        return pool.prestartCoreThread()
      case "prestartAllCoreThreads":
        return pool.prestartAllCoreThreads()
      case "setRejectedExecutionHandler":
        pool.handler = handlerFor(maybeString(op, "handler"))
        return VOID
      case "setThreadFactory":
        pool.threadFactory = this.#factoryFor(maybeString(op, "kind"))
        return VOID
      case "allowCoreThreadTimeOut":
        pool.allowCoreThreadTimeOut = flag(op, "value")
        return VOID
      case "idle":
        return VOID
      case "shutdown":
        pool.shutdown()
        return VOID
      case "shutdownNow":
        return pool.shutdownNow().map((runnable) => pool.nameOf(runnable))
      case "awaitTermination":
        return await pool.awaitTermination(integer(op, "timeoutMs"))
      case "construct":
        new ObservedPool(this.#poolOptions(op), {}).shutdown()
        return VOID
      case "toString":
        return pool.toString().replace(/^[^[]*/, "")
      default:
        throw new ScenarioError(`Suite threadpool has no op ${JSON.stringify(op)}`)
    }
  }

  // ------------------------------------------------------------------ snapshot

  #signature(): string {
    const { poolSize, activeCount, queue, completedTaskCount, isTerminated } = this.#pool
    return [poolSize, activeCount, queue.size, completedTaskCount, isTerminated, this.#uncaught].join()
  }

  #snapshot(result: JsonObject): JsonObject {
    const pool = this.#pool
    const queued = [...pool.queue].map((runnable) => pool.nameOf(runnable))
    return {
      result,
      poolSize: pool.poolSize,
      activeCount: pool.activeCount,
      queueSize: pool.queue.size,
      queuedTasks: this.#isPriorityQueue ? sorted(queued) : queued,
      largestPoolSize: pool.largestPoolSize,
      completedTaskCount: pool.completedTaskCount,
      taskCount: pool.taskCount,
      corePoolSize: pool.corePoolSize,
      maximumPoolSize: pool.maximumPoolSize,
      isShutdown: pool.isShutdown,
      isTerminating: pool.isTerminating,
      isTerminated: pool.isTerminated,
      ...this.#stage.page(),
      futures: this.#tasks.futures(this.#stage),
      hooks: { ...pool.hooks },
      threadsCreated: this.#stage.threadsMade,
      uncaught: this.#uncaught,
    }
  }

  async close(): Promise<void> {
    this.#pool.shutdownNow()
    await this.#stage.close()
  }
}
