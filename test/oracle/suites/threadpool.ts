/** Suite "threadpool": a ThreadPoolExecutor driven with gated tasks. */
import type { Future, Runnable, Thread, ThreadFactory } from "corepool"
import { flag, integer, type JsonObject, maybeInteger, maybeString, object, ScenarioError, string } from "../json.ts"
import { pause, quiescence } from "../quiescence.ts"
import { capture, OwnError, sorted, stateOf, VOID } from "../results.ts"
import type { Threads } from "../threads.ts"
import { type Driver, NULL } from "./driver.ts"
import { type GatedTask, GatedTasks, OrderedRunnable } from "./gated-tasks.ts"
import { Journal } from "./journal.ts"
import { handlerFor, ObservedPool, queueFor } from "./observed-pool.ts"

export class ThreadPoolDriver implements Driver {
  readonly #threads: Threads
  readonly #pool: ObservedPool
  readonly #isPriorityQueue: boolean
  readonly #journal = new Journal()
  readonly #poolThreads = new Set<Thread>()
  readonly #tasks = new GatedTasks(
    this.#journal,
    (thread) => this.#poolThreads.has(thread),
    (task) => this.#execute(task),
  )
  #uncaught = 0

  constructor(setup: JsonObject, threads: Threads) {
    this.#threads = threads
    this.#isPriorityQueue = object(setup, "queue")["kind"] === "priority"
    this.#pool = new ObservedPool(this.#poolOptions({ threadFactory: "default", ...setup }), setup)
    if (flag(setup, "allowCoreThreadTimeOut")) this.#pool.allowCoreThreadTimeOut = true
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
    const threads = this.#threads.factory(() => this.#uncaught++)
    switch (kind) {
      case undefined:
        return NULL
      case "default":
        return {
          isVirtual: threads.isVirtual,
          newThread: (target) => {
            const thread = threads.newThread(target)
            if (thread != null) this.#poolThreads.add(thread)
            return thread
          },
        }
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
    const settleMs = maybeInteger(op, "settleMs") ?? 0
    if (settleMs > 0) await pause(settleMs)
    await quiescence(() => this.#signature())
    return this.#snapshot(result)
  }

  #execute(task: GatedTask): void {
    task.runnable = new OrderedRunnable(task, (it) => this.#tasks.run(it))
    this.#pool.execute(this.#pool.named(task.runnable, task.name))
  }

  #submit(task: GatedTask, as: string): Future<unknown> {
    const body = Object.defineProperty(() => this.#tasks.run(task), "name", { value: task.name })
    switch (as) {
      case "callable":
        return this.#pool.submit(body)
      case "runnable":
        return this.#pool.submitRunnable(body, undefined)
      case "runnableResult":
        return this.#pool.submitRunnable(body, `r-${task.name}`)
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
        if (op["task"] === null) {
          pool.submit(NULL)
        } else {
          const task = this.#tasks.create(op)
          task.future = this.#submit(task, maybeString(op, "as") ?? "callable")
        }
        return VOID
      case "release":
      case "fail":
        this.#tasks.of(op).gate.add(string(op, "do"))
        return VOID
      case "cancel":
        return this.#future(op).cancel(flag(op, "mayInterrupt"))
      case "get":
        return await this.#future(op).get(integer(op, "timeoutMs"))
      case "remove":
        return pool.remove(op["task"] === null ? NULL : this.#runnable(op))
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

  #future(op: JsonObject): Future<unknown> {
    const { future } = this.#tasks.of(op)
    if (future === undefined) throw new ScenarioError(`No future in ${JSON.stringify(op)}`)
    return future
  }

  #runnable(op: JsonObject): Runnable {
    const { runnable } = this.#tasks.of(op)
    if (runnable === undefined) throw new ScenarioError(`Not given to execute: ${JSON.stringify(op)}`)
    return runnable
  }

  // ------------------------------------------------------------------ snapshot

  #signature(): string {
    const { poolSize, activeCount, queue, completedTaskCount, isTerminated } = this.#pool
    const { size } = this.#poolThreads
    return [
      poolSize,
      activeCount,
      queue.size,
      completedTaskCount,
      isTerminated,
      size,
      this.#uncaught,
      this.#journal.length,
    ].join()
  }

  #snapshot(result: JsonObject): JsonObject {
    const pool = this.#pool
    const queued = [...pool.queue].map((runnable) => pool.nameOf(runnable))
    const futures = [...this.#tasks].flatMap(({ name, future, started }) =>
      future === undefined ? [] : [[name, stateOf(future, started)] as const],
    )
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
      ...this.#journal.page(),
      futures: Object.fromEntries(futures),
      hooks: { ...pool.hooks },
      threadsCreated: this.#poolThreads.size,
      uncaught: this.#uncaught,
    }
  }

  close(): void {
    for (const { gate } of this.#tasks) gate.add("release")
    this.#pool.shutdownNow()
  }
}
