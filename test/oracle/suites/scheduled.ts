/**
 * Suite "scheduled": a ScheduledThreadPoolExecutor on the clock of the scenario. Only `advance` moves that clock; all
 * other ops happen at once. Run n of a task sleeps for the n-th of its durations, then perhaps cancels itself or
 * throws.
 */
import {
  Executors,
  type Future,
  InterruptedError,
  type Runnable,
  type ScheduledFuture,
  ScheduledThreadPoolExecutor,
  Thread,
} from "corepool"
import { flag, integer, type JsonObject, list, maybeInteger, maybeString, ScenarioError, string } from "../json.ts"
import { quiescence } from "../quiescence.ts"
import { capture, OwnError, sorted, stateOf, VOID } from "../results.ts"
import type { Threads } from "../threads.ts"
import { type Driver, NULL } from "./driver.ts"
import { ScenarioClock } from "./scenario-clock.ts"

type Outcome = "returned" | "threw" | "interrupted"

/** What happened since the last snapshot, in order. */
class Log {
  starts: string[] = []
  ends: string[] = []
  entries = 0
}

class Task {
  readonly name: string
  readonly #durations: readonly number[]
  readonly #throwOn: number
  readonly #cancelSelfOn: number
  readonly #clock: ScenarioClock
  readonly #log: Log
  /** What scheduling it returned; `execute` returns nothing. */
  future: ScheduledFuture<unknown> | undefined
  runs = 0
  inBody = false

  constructor(op: JsonObject, clock: ScenarioClock, log: Log) {
    this.name = string(op, "task")
    this.#durations = list(op, "durations").map(Number)
    this.#throwOn = maybeInteger(op, "throwOn") ?? 0
    this.#cancelSelfOn = maybeInteger(op, "cancelSelfOn") ?? 0
    this.#clock = clock
    this.#log = log
  }

  /** Known by the task's name, so that what shutdownNow hands back can be told. */
  get body(): () => unknown {
    return Object.defineProperty(() => this.#run(), "name", { value: this.name })
  }

  #run(): unknown {
    const run = ++this.runs
    this.#log.starts.push(`${this.name}#${run}`)
    this.#log.entries++
    this.inBody = true
    const duration = this.#durations[run - 1] ?? 0
    return duration > 0 ? this.#sleep(run, duration) : this.#finish(run)
  }

  async #sleep(run: number, duration: number): Promise<unknown> {
    try {
      await Thread.sleep(this.#clock.real(duration))
    } catch (error) {
      if (!(error instanceof InterruptedError)) throw error
      this.#end(run, "interrupted")
      throw new OwnError(`${this.name} interrupted`)
    }
    return this.#finish(run)
  }

  #finish(run: number): unknown {
    if (this.#cancelSelfOn === run) this.future?.cancel(false)
    this.#end(run, this.#throwOn === run ? "threw" : "returned")
    if (this.#throwOn === run) throw new OwnError(this.name)
    return this.name
  }

  #end(run: number, how: Outcome): void {
    this.#log.ends.push(`${this.name}#${run}:${how}`)
    this.#log.entries++
    this.inBody = false
  }
}

export class ScheduledDriver implements Driver {
  readonly #threads: Threads
  readonly #pool: ScheduledThreadPoolExecutor
  readonly #clock: ScenarioClock
  readonly #tasks = new Map<string, Task>()
  readonly #log = new Log()

  constructor(setup: JsonObject, threads: Threads, attempt: number) {
    this.#threads = threads
    this.#clock = new ScenarioClock(integer(setup, "tickMs"), attempt)
    this.#pool = this.#newPool(integer(setup, "corePoolSize"))
    if ("removeOnCancel" in setup) this.#pool.removeOnCancel = flag(setup, "removeOnCancel")
    if ("continuePeriodic" in setup) {
      this.#pool.continueExistingPeriodicTasksAfterShutdown = flag(setup, "continuePeriodic")
    }
    if ("executeDelayed" in setup) this.#pool.executeExistingDelayedTasksAfterShutdown = flag(setup, "executeDelayed")
  }

  #newPool(corePoolSize: number): ScheduledThreadPoolExecutor {
    return new ScheduledThreadPoolExecutor({ corePoolSize, threadFactory: this.#threads.factory() })
  }

  // ------------------------------------------------------------------ ops

  async step(op: JsonObject): Promise<JsonObject> {
    this.#clock.start()
    const result = await capture(() => this.#perform(op))
    await quiescence(() => this.#signature())
    this.#clock.check()
    return this.#snapshot(result)
  }

  async #perform(op: JsonObject): Promise<unknown> {
    const pool = this.#pool
    switch (string(op, "do")) {
      case "advance":
        await this.#clock.advance(integer(op, "ms"))
        return VOID
      case "schedule":
        this.#accept(op, (body) => pool.schedule(asCallable(body, maybeString(op, "as")), this.#real(op, "delayMs")))
        return VOID
      case "scheduleAtFixedRate":
        this.#accept(op, (body) =>
          pool.scheduleAtFixedRate(body, this.#real(op, "initialDelayMs"), this.#real(op, "periodMs")),
        )
        return VOID
      case "scheduleWithFixedDelay":
        this.#accept(op, (body) =>
          pool.scheduleWithFixedDelay(body, this.#real(op, "initialDelayMs"), this.#real(op, "delayMs")),
        )
        return VOID
      case "execute":
        this.#accept(op, (body) => {
          pool.execute(body)
          return undefined
        })
        return VOID
      case "submit":
        this.#accept(op, (body) => pool.submit(body))
        return VOID
      case "cancel":
        return this.#future(op).cancel(flag(op, "mayInterrupt"))
      case "get":
        return await this.#future(op).get(0)
      case "getDelaySign":
        return Math.sign(this.#future(op).delay)
      case "isPeriodic":
        return this.#future(op).isPeriodic
      case "compareTo":
        return compare(this.#future(op), this.#future({ task: string(op, "other") }))
      case "remove":
        return pool.remove(this.#future(op))
      case "removeRunnable":
        return pool.remove(this.#task(op).body)
      case "purge":
        pool.purge()
        return VOID
      case "setRemoveOnCancelPolicy":
        pool.removeOnCancel = flag(op, "value")
        return VOID
      case "setContinueExistingPeriodicTasksAfterShutdownPolicy":
        pool.continueExistingPeriodicTasksAfterShutdown = flag(op, "value")
        return VOID
      case "setExecuteExistingDelayedTasksAfterShutdownPolicy":
        pool.executeExistingDelayedTasksAfterShutdown = flag(op, "value")
        return VOID
      case "getPolicies":
        return {
          removeOnCancel: pool.removeOnCancel,
          continuePeriodic: pool.continueExistingPeriodicTasksAfterShutdown,
          executeDelayed: pool.executeExistingDelayedTasksAfterShutdown,
        }
      case "setCorePoolSize":
        pool.corePoolSize = integer(op, "n")
        return VOID
      case "shutdown":
        pool.shutdown()
        return VOID
      case "shutdownNow":
        return sorted(pool.shutdownNow().map((runnable) => this.#nameOf(runnable)))
      case "awaitTermination":
        return await pool.awaitTermination(0)
      case "construct":
        this.#newPool(integer(op, "corePoolSize")).shutdown()
        return VOID
      default:
        throw new ScenarioError(`Suite scheduled has no op ${JSON.stringify(op)}`)
    }
  }

  /** A task that is not accepted is no task. */
  #accept(op: JsonObject, schedule: (body: () => unknown) => Future<unknown> | undefined): void {
    if (op["task"] === null) {
      schedule(NULL)
      return
    }
    const task = new Task(op, this.#clock, this.#log)
    if (this.#tasks.has(task.name)) throw new ScenarioError(`Two tasks are called ${task.name}`)
    task.future = schedule(task.body) as ScheduledFuture<unknown> | undefined
    this.#tasks.set(task.name, task)
  }

  #real(op: JsonObject, member: string): number {
    return this.#clock.real(integer(op, member))
  }

  #task(op: JsonObject): Task {
    const task = this.#tasks.get(string(op, "task"))
    if (task === undefined) throw new ScenarioError(`No task in ${JSON.stringify(op)}`)
    return task
  }

  #future(op: JsonObject): ScheduledFuture<unknown> {
    const { future } = this.#task(op)
    if (future === undefined) throw new ScenarioError(`No future in ${JSON.stringify(op)}`)
    return future
  }

  /** A task handed back by shutdownNow, and one given to `execute`, is known only by what it says of itself. */
  #nameOf(runnable: Runnable): string {
    for (const { name, future } of this.#tasks.values()) if (Object.is(future, runnable)) return name
    const name = /task = (\w+)\]$/.exec(String(runnable))?.[1]
    if (name === undefined) throw new ScenarioError(`Nobody knows the task ${String(runnable)}`)
    return name
  }

  // ------------------------------------------------------------------ snapshot

  #signature(): string {
    const { poolSize, activeCount, queue, completedTaskCount, isTerminated } = this.#pool
    return [poolSize, activeCount, queue.size, completedTaskCount, this.#log.entries, isTerminated].join()
  }

  #snapshot(result: JsonObject): JsonObject {
    const pool = this.#pool
    const tasks = [...this.#tasks.values()]
    const snapshot = {
      result,
      at: this.#clock.time,
      newRuns: this.#log.starts,
      newEnds: this.#log.ends,
      runs: Object.fromEntries(tasks.map(({ name, runs }) => [name, runs])),
      futures: Object.fromEntries(
        tasks.flatMap(({ name, future, inBody }) => (future === undefined ? [] : [[name, shown(future, inBody)]])),
      ) as JsonObject,
      queueSize: pool.queue.size,
      queuedTasks: sorted([...pool.queue].map((runnable) => this.#nameOf(runnable))),
      poolSize: pool.poolSize,
      activeCount: pool.activeCount,
      largestPoolSize: pool.largestPoolSize,
      completedTaskCount: pool.completedTaskCount,
      taskCount: pool.taskCount,
      isShutdown: pool.isShutdown,
      isTerminating: pool.isTerminating,
      isTerminated: pool.isTerminated,
    }
    this.#log.starts = []
    this.#log.ends = []
    return snapshot
  }

  close(): void {
    this.#clock.stop()
    this.#pool.shutdownNow()
  }
}

/** Java's `schedule(Runnable, …)` gives null, `schedule(Callable, …)` what the task returns. */
function asCallable(body: () => unknown, as: string | undefined): () => unknown {
  return as === "runnable" ? Executors.callable(body) : body
}

/** Not part of what is promised of a future, but there, as in Java. */
function compare(future: object, other: object): number {
  return Math.sign((future as { compareTo(other: object): number }).compareTo(other))
}

function shown(future: Future<unknown>, inBody: boolean): string {
  const state = stateOf(future, inBody)
  return state === "new" ? "scheduled" : state
}
