/**
 * Suite "scheduled": a ScheduledThreadPoolExecutor on the clock of the scenario. Only `advance` moves that clock; all
 * other ops happen at once. Run n of a task sleeps for the n-th of its durations, then perhaps cancels itself or
 * throws.
 */
import { Executors, type Future, type Runnable, type ScheduledFuture, ScheduledThreadPoolExecutor } from "corepool"
import { flag, integer, type JsonObject, list, maybeInteger, maybeString, ScenarioError, string } from "../json.ts"
import { capture, sorted, stateOf, VOID } from "../results.ts"
import type { TimedPart } from "../stage/timed-part.ts"
import type { Entry, TimedStage } from "../stage/timed-stage.ts"
import type { Threads } from "../threads.ts"
import { type Driver, NULL } from "./driver.ts"
import { ScenarioClock } from "./scenario-clock.ts"

/** A task of the scenario, as far as the driver knows of it. */
class Task {
  readonly part: TimedPart
  readonly callable: () => unknown
  /** What scheduling it returned; `execute` returns nothing. */
  future: ScheduledFuture<unknown> | undefined
  runs = 0
  inBody = false
  /** When its next run is due, by the wall clock in real milliseconds. */
  #due: number
  /** As `period` is in corepool: negative if it counts from the end of a run. */
  readonly #period: number

  constructor(part: TimedPart, callable: () => unknown, due: number, period: number) {
    this.part = part
    this.callable = callable
    this.#due = due
    this.#period = period
  }

  get name(): string {
    return this.part.name
  }

  /** Something has happened to it; when it was due, if it was a start. */
  happened({ run, event, at }: Entry): number | undefined {
    this.inBody = event === "started"
    if (!this.inBody) {
      if (this.#period < 0) this.#due = at - this.#period
      return undefined
    }
    this.runs = run
    const due = this.#due
    if (this.#period > 0) this.#due += this.#period
    return due
  }
}

export class ScheduledDriver implements Driver {
  readonly #stage: TimedStage
  readonly #pool: ScheduledThreadPoolExecutor
  readonly #clock: ScenarioClock
  readonly #tasks = new Map<string, Task>()
  readonly #byNumber: Task[] = []
  #newRuns: string[] = []
  #newEnds: string[] = []

  constructor(setup: JsonObject, threads: Threads, attempt: number) {
    this.#clock = new ScenarioClock(integer(setup, "tickMs"), attempt, threads.pace)
    const pool = (): ScheduledThreadPoolExecutor => this.#pool
    this.#stage = threads.timedStage(
      {
        get pool() {
          return pool()
        },
        cancel: (number) => void this.#byNumber[number]?.future?.cancel(false),
      },
      this.#clock.tick,
    )
    this.#pool = this.#newPool(integer(setup, "corePoolSize"))
    if ("removeOnCancel" in setup) this.#pool.removeOnCancel = flag(setup, "removeOnCancel")
    if ("continuePeriodic" in setup) {
      this.#pool.continueExistingPeriodicTasksAfterShutdown = flag(setup, "continuePeriodic")
    }
    if ("executeDelayed" in setup) this.#pool.executeExistingDelayedTasksAfterShutdown = flag(setup, "executeDelayed")
  }

  #newPool(corePoolSize: number): ScheduledThreadPoolExecutor {
    return new ScheduledThreadPoolExecutor({ corePoolSize, threadFactory: this.#stage.factory() })
  }

  // ------------------------------------------------------------------ ops

  async step(op: JsonObject): Promise<JsonObject> {
    this.#clock.start()
    this.#clock.act()
    const result = await capture(() => this.#perform(op))
    await this.#stage.quiet(() => this.#signature())
    for (const entry of this.#stage.news()) this.#read(entry)
    this.#clock.check()
    return this.#snapshot(result)
  }

  #read(entry: Entry): void {
    const task = this.#byNumber[entry.number] as Task
    this.#clock.happened(entry.at, task.happened(entry))
    const run = `${task.name}#${entry.run}`
    if (entry.event === "started") this.#newRuns.push(run)
    else this.#newEnds.push(`${run}:${entry.event}`)
  }

  async #perform(op: JsonObject): Promise<unknown> {
    const pool = this.#pool
    switch (string(op, "do")) {
      case "advance":
        await this.#clock.advance(integer(op, "ms"))
        return VOID
      case "schedule":
        this.#accept(op, "delayMs", 0, (body) =>
          pool.schedule(asCallable(body, maybeString(op, "as")), this.#real(op, "delayMs")),
        )
        return VOID
      case "scheduleAtFixedRate":
        this.#accept(op, "initialDelayMs", this.#real(op, "periodMs"), (body) =>
          pool.scheduleAtFixedRate(body, this.#real(op, "initialDelayMs"), this.#real(op, "periodMs")),
        )
        return VOID
      case "scheduleWithFixedDelay":
        this.#accept(op, "initialDelayMs", -this.#real(op, "delayMs"), (body) =>
          pool.scheduleWithFixedDelay(body, this.#real(op, "initialDelayMs"), this.#real(op, "delayMs")),
        )
        return VOID
      case "execute":
        this.#accept(op, undefined, 0, (body) => {
          pool.execute(body)
          return undefined
        })
        return VOID
      case "submit":
        this.#accept(op, undefined, 0, (body) => pool.submit(body))
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
        return pool.remove(this.#task(op).callable)
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

  /** `delay` is the member of the op that tells when the first run is due. A task that is not accepted is no task. */
  #accept(
    op: JsonObject,
    delay: string | undefined,
    period: number,
    schedule: (body: () => unknown) => Future<unknown> | undefined,
  ): void {
    if (op["task"] === null) {
      schedule(NULL)
      return
    }
    const part = this.#partOf(op)
    if (this.#tasks.has(part.name)) throw new ScenarioError(`Two tasks are called ${part.name}`)
    const due = Date.now() + Math.max(0, delay === undefined ? 0 : this.#real(op, delay))
    const task = new Task(part, this.#stage.callable(part), due, period)
    task.future = schedule(task.callable) as ScheduledFuture<unknown> | undefined
    this.#tasks.set(part.name, task)
    this.#byNumber.push(task)
  }

  #partOf(op: JsonObject): TimedPart {
    return {
      name: string(op, "task"),
      number: this.#byNumber.length,
      durations: list(op, "durations").map((ms) => this.#clock.real(Number(ms))),
      throwOn: maybeInteger(op, "throwOn") ?? 0,
      cancelSelfOn: maybeInteger(op, "cancelSelfOn") ?? 0,
    }
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
    return [poolSize, activeCount, queue.size, completedTaskCount, isTerminated].join()
  }

  #snapshot(result: JsonObject): JsonObject {
    const pool = this.#pool
    const tasks = [...this.#tasks.values()]
    const snapshot = {
      result,
      at: this.#clock.time,
      newRuns: this.#newRuns,
      newEnds: this.#newEnds,
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
    this.#newRuns = []
    this.#newEnds = []
    return snapshot
  }

  async close(): Promise<void> {
    this.#clock.stop()
    this.#pool.shutdownNow()
    await this.#stage.close()
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
