/**
 * Suite "invoke": invokeAll, invokeAny, ExecutorCompletionService and the Executors adapters, on a fixed pool. Actors `a1` … `a3` make
 * the calls that may block.
 */
import {
  type Completion,
  ExecutorCompletionService,
  Executors,
  type ExecutorService,
  type Future,
  InterruptedError,
  LinkedBlockingQueue,
  type Runnable,
  ThreadPoolExecutor,
} from "corepool"
import { Actors } from "../actors.ts"
import { translate } from "../deliberate-differences.ts"
import { flag, integer, type JsonObject, list, maybeInteger, maybeString, ScenarioError, string } from "../json.ts"
import { OwnError, sorted, stateOf, VOID } from "../results.ts"
import type { Threads } from "../threads.ts"
import { type Driver, NULL } from "./driver.ts"

class Task {
  readonly name: string
  readonly kind: string
  readonly gate = new LinkedBlockingQueue<string>()
  future: Future<unknown> | undefined
  started = false
  /** The pool dropped it: shutdownNow found it in the queue. */
  dropped = false

  constructor(spec: JsonObject) {
    this.name = string(spec, "task")
    this.kind = maybeString(spec, "body") ?? "gate"
  }
}

/** A pool that tells what is given to `execute`. */
class WatchedPool extends ThreadPoolExecutor {
  executing: (command: unknown) => void = () => {}

  override execute<A extends unknown[]>(command: Runnable | ((...args: A) => unknown), ...args: A): void {
    this.executing(command)
    super.execute(command, ...args)
  }
}

/** Why a wait for a completion is given up and taken up again: see {@link InvokeDriver.#shutdownNow}. */
const HELD = new Error("held")

export class InvokeDriver implements Driver {
  readonly #threads: Threads
  readonly #pool: WatchedPool
  readonly #service: ExecutorCompletionService<unknown>
  readonly #actors = new Actors()
  readonly #tasks = new Map<string, Task>()
  /** What the completion service gave to the pool, per task. */
  readonly #deliveries = new Map<unknown, Task>()
  /** Waits for a completion, longest first. */
  readonly #takers = new Set<AbortController>()
  #resumed: Promise<void> = Promise.resolve()
  readonly #starts: string[] = []
  readonly #ends: string[] = []
  #reportedStarts = 0
  #reportedEnds = 0

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
    this.#service = new ExecutorCompletionService(this.#pool)
  }

  // ------------------------------------------------------------------ tasks

  #newTask(spec: JsonObject): Task {
    const task = new Task(spec)
    this.#tasks.set(task.name, task)
    return task
  }

  #callable(task: Task): () => unknown {
    return () => {
      this.#starts.push(task.name)
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
      this.#ends.push(`${task.name}:interrupted`)
      throw new OwnError(`${task.name} interrupted`)
    }
    return this.#obey(task, word)
  }

  #obey(task: Task, word: string): string {
    this.#ends.push(`${task.name}:${word === "release" ? "returned" : "threw"}`)
    if (word !== "release") throw new OwnError(task.name)
    return task.name
  }

  // ------------------------------------------------------------------ ops

  async step(op: JsonObject): Promise<JsonObject> {
    const result = await this.#actors.step(
      op,
      () => this.#perform(op),
      () => this.#signature(),
    )
    return { ...result, ...this.#snapshot() }
  }

  async #perform(op: JsonObject): Promise<unknown> {
    const timeout = maybeInteger(op, "timeoutMs")
    switch (string(op, "do")) {
      case "invokeAll": {
        const tasks = this.#taskList(op)
        const futures = await this.#pool.invokeAll(this.#callables(tasks), timeout)
        return await Promise.all(futures.map((future, i) => outcome(tasks?.[i], future)))
      }
      case "invokeAny":
        return await this.#pool.invokeAny(this.#callables(this.#taskList(op)), timeout)
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
      case "ecsSubmit":
        this.#serviceSubmit(op)
        return VOID
      case "ecsTake":
        return await this.#next(Infinity)
      case "ecsPollTimed":
        return await this.#next(integer(op, "timeoutMs"))
      case "ecsPoll":
        return await this.#nextNow()
      case "ecsConstruct":
        void new ExecutorCompletionService(NULL)
        return VOID
      case "shutdown":
        this.#pool.shutdown()
        return VOID
      case "shutdownNow":
        return this.#shutdownNow()
      case "callable":
        return await callable(op)()
      case "factory":
        return describe(this.#factory(string(op, "method"), maybeInteger(op, "n") ?? 0))
      default:
        throw new ScenarioError(`Suite invoke has no op ${JSON.stringify(op)}`)
    }
  }

  #taskList(op: JsonObject): (Task | undefined)[] | undefined {
    if (op["tasks"] === null) return undefined
    return list(op, "tasks").map((spec) => (spec === null ? undefined : this.#newTask(spec as JsonObject)))
  }

  #callables(tasks: (Task | undefined)[] | undefined): (() => unknown)[] {
    return tasks === undefined ? NULL : tasks.map((task) => (task === undefined ? NULL : this.#callable(task)))
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

  // ------------------------------------------------------------------ the completion service

  #serviceSubmit(op: JsonObject): void {
    if (op["task"] === null) {
      this.#service.submit(NULL)
      return
    }
    const task = this.#newTask(op)
    this.#pool.executing = (command) => this.#deliveries.set(command, task)
    try {
      task.future = this.#service.submit(this.#callable(task))
    } finally {
      this.#pool.executing = () => {}
    }
  }

  async #next(timeout: number): Promise<JsonObject | null> {
    const deadline = performance.now() + timeout
    for (;;) {
      const taker = new AbortController()
      this.#takers.add(taker)
      try {
        const { signal } = taker
        const left = deadline - performance.now()
        const found = await (timeout === Infinity ? this.#service.take({ signal }) : this.#service.poll({ timeout: left, signal }))
        if (found === undefined) return null
        if (this.#isShown(found)) return await this.#completed(found)
      } catch (error) {
        if (error !== HELD) throw error
        await this.#resumed
      } finally {
        this.#takers.delete(taker)
      }
    }
  }

  async #nextNow(): Promise<JsonObject | null> {
    for (;;) {
      const found = this.#service.poll()
      if (found === undefined) return null
      if (this.#isShown(found)) return await this.#completed(found)
    }
  }

  #isShown(completion: Completion<unknown>): boolean {
    return translate("completion", { droppedByPool: this.#taskOf(completion).dropped, inJava: true }).inJava
  }

  #completed(completion: Completion<unknown>): Promise<JsonObject> {
    return outcome(this.#taskOf(completion), completion.future)
  }

  #taskOf({ future }: Completion<unknown>): Task {
    for (const task of this.#tasks.values()) if (task.future === future) return task
    throw new ScenarioError("A completion of nobody's task")
  }

  /*
   * Dropped tasks are delivered here but not in Java. A waiting actor that got such a completion and asked again would
   * have lost its place in line to those behind it. So the waits are given up before the call and taken up after
   * it, in the same order, when the completions that Java does not know are gone.
   */
  #shutdownNow(): number {
    const dropped = [...this.#pool.queue].flatMap((command) => this.#deliveries.get(command) ?? [])
    for (const task of dropped) task.dropped = true
    const held = dropped.length > 0 ? [...this.#takers] : []
    let resume = (): void => {}
    if (held.length > 0) this.#resumed = new Promise((resolve) => (resume = resolve))
    for (const taker of held) taker.abort(HELD)
    const returned = this.#pool.shutdownNow()
    while (held.length > 0) {
      const found = this.#service.poll()
      if (found === undefined) break
      if (this.#isShown(found)) throw new ScenarioError("A completion was there though somebody waited for one")
    }
    resume()
    return returned.length
  }

  #factory(method: string, n: number): ExecutorService {
    const threads = this.#threads.factory()
    switch (method) {
      case "newFixedThreadPool":
        return Executors.newFixedThreadPool(n, threads)
      case "newCachedThreadPool":
        return Executors.newCachedThreadPool(threads)
      case "newSingleThreadExecutor":
        return Executors.newSingleThreadExecutor(threads)
      case "newScheduledThreadPool":
        return Executors.newScheduledThreadPool(n, threads)
      case "unconfigurableExecutorService":
        return Executors.unconfigurableExecutorService(NULL)
      default:
        throw new ScenarioError(`No such factory: ${method}`)
    }
  }

  // ------------------------------------------------------------------ snapshot

  #signature(): string {
    const { poolSize, activeCount, queue, completedTaskCount, isTerminated } = this.#pool
    const counts = [poolSize, activeCount, queue.size, completedTaskCount, this.#starts.length, this.#ends.length]
    return [...counts, isTerminated].join()
  }

  #snapshot(): JsonObject {
    const { poolSize, activeCount, queue, completedTaskCount, isShutdown, isTerminated } = this.#pool
    const futures = [...this.#tasks.values()].flatMap(({ name, future, started }) =>
      future === undefined ? [] : [[name, stateOf(future, started)] as const],
    )
    const snapshot = {
      newStarts: sorted(this.#starts.slice(this.#reportedStarts)),
      newEnds: sorted(this.#ends.slice(this.#reportedEnds)),
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
    this.#reportedStarts = this.#starts.length
    this.#reportedEnds = this.#ends.length
    return snapshot
  }

  close(): void {
    for (const { gate } of this.#tasks.values()) gate.add("release")
    this.#pool.shutdownNow()
    this.#actors.close()
  }
}

/** A completed future in the form of the traces. */
async function outcome(task: Task | undefined, future: Future<unknown>): Promise<JsonObject> {
  if (task === undefined) throw new ScenarioError("A future without a task")
  if (future.isCancelled) return { task: task.name, state: "cancelled" }
  try {
    return { task: task.name, state: "done:ok", value: String(await future.get()) }
  } catch (error) {
    return { task: task.name, state: "done:failed", cause: (error as Error).message }
  }
}

function callable(op: JsonObject): () => unknown {
  const kind = maybeString(op, "runnable")
  const runnable = (): void => {
    if (kind === "throw") throw new OwnError("r")
  }
  const given = kind === undefined ? NULL : runnable
  return "result" in op ? Executors.callable(given, op["result"]) : Executors.callable(given)
}

function describe(executor: ExecutorService): unknown {
  executor.shutdown()
  if (!(executor instanceof ThreadPoolExecutor)) return "not a ThreadPoolExecutor"
  return {
    corePoolSize: executor.corePoolSize,
    maximumPoolSize: executor.maximumPoolSize,
    keepAliveMs: executor.keepAliveTime,
    queue: executor.queue.constructor.name,
    remainingCapacity: executor.queue.remainingCapacity,
    allowsCoreThreadTimeOut: executor.allowCoreThreadTimeOut,
  }
}
