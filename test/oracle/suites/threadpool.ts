/**
 * Suite "threadpool": a ThreadPoolExecutor driven with gated tasks. A task that runs on a pool's thread waits at its gate until it
 * is told to `release` or `fail`, or is interrupted; one that runs on the driver, or inside another task, returns at once.
 */
import { type Future, InterruptedError, LinkedBlockingQueue, type Runnable, Thread, type ThreadFactory } from "corepool"
import { flag, integer, type JsonObject, maybeInteger, maybeString, object, ScenarioError, string, strings } from "../json.ts"
import { pause, quiescence } from "../quiescence.ts"
import { capture, OwnError, sorted, stateOf, VOID } from "../results.ts"
import type { Threads } from "../threads.ts"
import { type Driver, NULL } from "./driver.ts"
import { handlerFor, ObservedPool, queueFor } from "./observed-pool.ts"

class Task {
  readonly name: string
  readonly priority: number
  /** Where it stands among all tasks. */
  readonly number: number
  readonly uninterruptible: boolean
  readonly spawns: readonly string[]
  readonly gate = new LinkedBlockingQueue<string>()
  /** What was given to `execute`. */
  runnable: Runnable | undefined
  /** What `submit` returned. */
  future: Future<unknown> | undefined
  started = false

  constructor(op: JsonObject, number: number) {
    this.name = string(op, "task")
    this.number = number
    this.priority = maybeInteger(op, "priority") ?? 0
    this.uninterruptible = flag(op, "uninterruptible")
    this.spawns = strings(op, "spawns")
  }
}

/** What is given to `execute`: has a natural order, by priority and then by number. */
class OrderedRunnable {
  readonly #task: Task
  readonly #body: (task: Task) => unknown

  constructor(task: Task, body: (task: Task) => unknown) {
    this.#task = task
    this.#body = body
  }

  run(): unknown {
    return this.#body(this.#task)
  }

  compareTo(other: OrderedRunnable): number {
    return this.#task.priority - other.#task.priority || this.#task.number - other.#task.number
  }
}

export class ThreadPoolDriver implements Driver {
  readonly #threads: Threads
  readonly #pool: ObservedPool
  readonly #isPriorityQueue: boolean
  readonly #tasks = new Map<string, Task>()
  readonly #poolThreads = new Set<Thread>()
  /** Threads inside a task. */
  readonly #occupied = new Set<Thread>()
  readonly #starts: string[] = []
  readonly #ends: string[] = []
  #reportedStarts = 0
  #reportedEnds = 0
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

  // ------------------------------------------------------------------ tasks

  #newTask(op: JsonObject): Task {
    const task = new Task(op, this.#tasks.size)
    if (this.#tasks.has(task.name)) throw new ScenarioError(`Two tasks are called ${task.name}`)
    this.#tasks.set(task.name, task)
    return task
  }

  #body(task: Task): unknown {
    const thread = Thread.currentThread()
    const calledDirectly = !this.#poolThreads.has(thread) || this.#occupied.has(thread)
    this.#starts.push(task.name)
    task.started = true
    if (!calledDirectly) return this.#gated(task, thread)
    this.#end(task, "caller")
    return task.name
  }

  async #gated(task: Task, thread: Thread): Promise<string> {
    this.#occupied.add(thread)
    try {
      for (const name of task.spawns) this.#spawn(name, task)
      const word = await this.#pass(task)
      if (word !== "release") {
        this.#end(task, "threw")
        throw new OwnError(task.name)
      }
      this.#end(task, "returned")
      return task.name
    } finally {
      this.#occupied.delete(thread)
    }
  }

  #spawn(name: string, parent: Task): void {
    const task = this.#newTask({ task: name })
    try {
      this.#execute(task)
    } catch (error) {
      this.#end(parent, "threw")
      throw error
    }
  }

  async #pass(task: Task): Promise<string> {
    for (;;) {
      try {
        return await task.gate.take()
      } catch (error) {
        if (!(error instanceof InterruptedError)) throw error
        if (task.uninterruptible) continue
        this.#end(task, "interrupted")
        throw new OwnError(`${task.name} interrupted`)
      }
    }
  }

  #end(task: Task, how: string): void {
    this.#ends.push(`${task.name}:${how}`)
  }

  // ------------------------------------------------------------------ ops

  async step(op: JsonObject): Promise<JsonObject> {
    const result = await capture(() => this.#perform(op))
    const settleMs = maybeInteger(op, "settleMs") ?? 0
    if (settleMs > 0) await pause(settleMs)
    await quiescence(() => this.#signature())
    return this.#snapshot(result)
  }

  #execute(task: Task): void {
    task.runnable = new OrderedRunnable(task, (it) => this.#body(it))
    this.#pool.execute(this.#pool.named(task.runnable, task.name))
  }

  #submit(task: Task, as: string): Future<unknown> {
    const body = Object.defineProperty(() => this.#body(task), "name", { value: task.name })
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
        else this.#execute(this.#newTask(op))
        return VOID
      case "submit":
        if (op["task"] === null) {
          pool.submit(NULL)
        } else {
          const task = this.#newTask(op)
          task.future = this.#submit(task, maybeString(op, "as") ?? "callable")
        }
        return VOID
      case "release":
      case "fail":
        this.#task(op).gate.add(string(op, "do"))
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

  #runnable(op: JsonObject): Runnable {
    const { runnable } = this.#task(op)
    if (runnable === undefined) throw new ScenarioError(`Not given to execute: ${JSON.stringify(op)}`)
    return runnable
  }

  // ------------------------------------------------------------------ snapshot

  #signature(): string {
    const { poolSize, activeCount, queue, completedTaskCount, isTerminated } = this.#pool
    const counts = [poolSize, activeCount, queue.size, completedTaskCount, this.#starts.length, this.#ends.length]
    return [...counts, this.#uncaught, this.#poolThreads.size, isTerminated].join()
  }

  #snapshot(result: JsonObject): JsonObject {
    const pool = this.#pool
    const queued = [...pool.queue].map((runnable) => pool.nameOf(runnable))
    const withFuture = [...this.#tasks.values()].filter(({ future }) => future !== undefined)
    const snapshot = {
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
      newStarts: sorted(this.#starts.slice(this.#reportedStarts)),
      newEnds: sorted(this.#ends.slice(this.#reportedEnds)),
      futures: Object.fromEntries(withFuture.map(({ name, future, started }) => [name, stateOf(future!, started)])),
      hooks: { ...pool.hooks },
      threadsCreated: this.#poolThreads.size,
      uncaught: this.#uncaught,
    }
    this.#reportedStarts = this.#starts.length
    this.#reportedEnds = this.#ends.length
    return snapshot
  }

  close(): void {
    for (const { gate } of this.#tasks.values()) gate.add("release")
    this.#pool.shutdownNow()
  }
}
