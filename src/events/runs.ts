import { TIMING } from "../future/internals.ts"
import type { FutureTask } from "../future/future-task.ts"
import {
  observing,
  type PoolInfo,
  type RingFiring,
  type RingSink,
  type TaskOutcome,
  type ThreadInfo,
  type WaitedFor,
} from "../observing.ts"
import { sharedNow } from "../time/shared-clock.ts"
import { type Channels, isTraced, publish, publishEnd, wallTimeOf } from "./channels.ts"
import type { EventLog } from "./event-log.ts"
import { errorOf, futureIn, nameOfWork, type ObservedTask, outcomeOf, type Run } from "./observed-task.ts"
import type { ScheduleFireContext, TaskRunContext } from "./payloads.ts"
import type { SubmittedTasks } from "./submitted-tasks.ts"

/** The runs that their threads have traced themselves. */
const tracedElsewhere = new WeakSet<TaskRunContext>()

export function isTracedElsewhere(run: TaskRunContext): boolean {
  return tracedElsewhere.has(run)
}

/** A wait that is under way. */
interface OpenWait {
  readonly pool: PoolInfo
  readonly task: number
  readonly what: WaitedFor
}

/** What was read of a task that is about to begin. */
interface Foretold {
  readonly handle: number
  firing?: RingFiring
  theft?: { readonly time: number; readonly victim: ThreadInfo; readonly parent: number }
}

/** What threads do with tasks: they run them, and wait inside of them. Reported by this thread, or read from rings. */
export class Runs implements RingSink {
  readonly #log: EventLog
  readonly #channels: Channels
  readonly #tasks: SubmittedTasks
  /** The runs of a thread, the innermost last. */
  readonly #runs = new Map<ThreadInfo, Run[]>()
  readonly #waits = new Map<ThreadInfo, OpenWait[]>()
  /** Of threads with rings. */
  readonly #foretold = new Map<ThreadInfo, Foretold>()

  constructor(log: EventLog, channels: Channels, tasks: SubmittedTasks) {
    this.#log = log
    this.#channels = channels
    this.#tasks = tasks
  }

  /** From now on no code listens. */
  forget(): void {
    this.#runs.clear()
    this.#waits.clear()
    this.#foretold.clear()
  }

  /** Runs that are under way will have no other end. */
  exited(thread: ThreadInfo, time: number): void {
    for (const run of this.#runs.get(thread)?.toReversed() ?? []) this.#publishEnd(run, time, { outcome: "failed" })
    this.#runs.delete(thread)
    this.#waits.delete(thread)
    this.#foretold.delete(thread)
  }

  /** The future of a task that runs; undefined if this thread does not have it. */
  futureOf(task: number): FutureTask<unknown> | undefined {
    return [...this.#runs.values()].flat().find((run) => run.task.id === task)?.task.future
  }

  // ------------------------------------------------------------------ virtual threads

  began(pool: PoolInfo, thread: ThreadInfo, task: object): void {
    if (futureIn(task)?.isDone === true) return // it was cancelled before, and does not run [EV39]
    const observed = this.#tasks.take(task) ?? this.#tasks.newTask(pool, nameOfWork(task))
    const time = sharedNow()
    const timing = (task as Partial<FutureTask<unknown>>)[TIMING] ?? futureIn(task)?.[TIMING]
    if (timing === undefined) this.#begin(observed, thread, time)
    else {
      const { period, clock } = timing
      const lateness = clock === undefined ? 0 : clock.time() - timing.time
      const missed = period > 0 ? Math.max(0, Math.floor(lateness / period)) : 0
      this.#begin(observed, thread, time, { isPeriodic: period !== 0, due: time - lateness, missed })
    }
  }

  ended(thread: ThreadInfo, task: object, error: unknown): void {
    const run = this.#runs.get(thread)?.pop()
    // It began before this listened, or was cancelled before it began, or this is the second call of afterExecute.
    if (run === undefined) return
    const future = futureIn(task)
    if (future === undefined) {
      const outcome = error === undefined ? "success" : "failed"
      this.#end(run, thread, sharedNow(), outcome, error)
      this.#tasks.settle(run.task, outcome, error)
    } else {
      const outcome = outcomeOf(future)
      this.#end(run, thread, sharedNow(), outcome, outcome === "failed" ? errorOf(future) : undefined)
    }
  }

  blocked(owner: object | undefined, what: WaitedFor): boolean {
    const thread = owner === undefined ? undefined : observing.threads.get(owner)
    const run = thread === undefined ? undefined : this.#runs.get(thread)?.at(-1)
    if (thread === undefined || run === undefined) return false
    const { pool, id: task } = run.task
    const waits = this.#waits.get(thread)
    if (waits === undefined) this.#waits.set(thread, [{ pool, task, what }])
    else waits.push({ pool, task, what })
    this.#log.push("blocked", sharedNow(), pool, thread, task, what)
    return true
  }

  unblocked(owner: object | undefined, what: WaitedFor): void {
    const thread = owner === undefined ? undefined : observing.threads.get(owner)
    const waits = thread === undefined ? undefined : this.#waits.get(thread)
    const at = waits?.findLastIndex((wait) => wait.what === what) ?? -1
    const [wait] = at < 0 || waits === undefined ? [] : waits.splice(at, 1)
    if (wait !== undefined) this.#log.push("unblocked", sharedNow(), wait.pool, thread, wait.task, what)
  }

  // ------------------------------------------------------------------ platform threads

  ringDue(thread: ThreadInfo, handle: number, firing: RingFiring): void {
    this.#foretell(thread, handle).firing = firing
  }

  ringStole(thread: ThreadInfo, handle: number, time: number, victim: ThreadInfo, parent: number): void {
    this.#foretell(thread, handle).theft = { time, victim, parent }
  }

  #foretell(thread: ThreadInfo, handle: number): Foretold {
    let foretold = this.#foretold.get(thread)
    if (foretold?.handle === handle) return foretold
    foretold = { handle }
    this.#foretold.set(thread, foretold)
    return foretold
  }

  ringBegan(pool: PoolInfo, thread: ThreadInfo, handle: number, time: number, name: () => string): void {
    const observed = this.#tasks.find(pool, handle) ?? this.#tasks.newTask(pool, name())
    observed.handle = handle
    const foretold = this.#foretold.get(thread)
    if (foretold?.handle !== handle) {
      this.#begin(observed, thread, time)
      return
    }
    this.#foretold.delete(thread)
    const { firing, theft } = foretold
    if (theft !== undefined)
      this.#log.push("stole", theft.time, pool, thread, observed.id, observed.name, undefined, theft.victim)
    this.#begin(observed, thread, time, firing, theft && this.#runOf(pool, theft.parent))
  }

  ringEnded(thread: ThreadInfo, handle: number, time: number, outcome: TaskOutcome, isTracedThere: boolean): void {
    const runs = this.#runs.get(thread)
    const at = runs?.findLastIndex(({ task }) => task.handle === handle) ?? -1
    const [run] = at < 0 || runs === undefined ? [] : runs.splice(at, 1)
    if (run === undefined) return
    if (isTracedThere && run.context !== undefined) tracedElsewhere.add(run.context)
    this.#end(run, thread, time, outcome, undefined)
  }

  ringRan(
    pool: PoolInfo,
    thread: ThreadInfo,
    start: number,
    end: number,
    outcome: TaskOutcome,
    name: () => string,
  ): void {
    const task = this.#tasks.newTask(pool, name())
    task.handle = -1 // it has none that others know
    const run = this.#open(task, thread, start, undefined, this.#runs.get(thread)?.at(-1))
    this.#end(run, thread, end, outcome, undefined)
  }

  ringIdle(pool: PoolInfo, thread: ThreadInfo, time: number): void {
    this.#log.push("idle", time, pool, thread)
  }

  ringBlocked(pool: PoolInfo, thread: ThreadInfo, handle: number, time: number, what: WaitedFor): void {
    this.#log.push("blocked", time, pool, thread, this.#taskOf(thread, handle), what)
  }

  ringUnblocked(pool: PoolInfo, thread: ThreadInfo, handle: number, time: number, what: WaitedFor): void {
    this.#log.push("unblocked", time, pool, thread, this.#taskOf(thread, handle), what)
  }

  #taskOf(thread: ThreadInfo, handle: number): number {
    return this.#runs.get(thread)?.find(({ task }) => task.handle === handle)?.task.id ?? 0
  }

  /** The run of the task with this handle, in any thread of the pool. */
  #runOf(pool: PoolInfo, handle: number): Run | undefined {
    for (const runs of this.#runs.values()) {
      const run = runs.find(({ task }) => task.handle === handle && task.pool === pool)
      if (run !== undefined) return run
    }
    return undefined
  }

  // ------------------------------------------------------------------ both

  #begin(task: ObservedTask, thread: ThreadInfo, time: number, firing?: RingFiring, parent?: Run): void {
    const run = this.#open(task, thread, time, firing, parent)
    const runs = this.#runs.get(thread)
    if (runs === undefined) this.#runs.set(thread, [run])
    else runs.push(run)
  }

  #open(task: ObservedTask, thread: ThreadInfo, time: number, firing?: RingFiring, parent?: Run): Run {
    const { pool, id, name } = task
    this.#log.push("began", time, pool, thread, id, name)
    const { run, fire } = this.#channels
    const isFired = firing !== undefined && isTraced(fire)
    if (!isTraced(run) && !isFired) return { task, context: undefined, fire: undefined }
    const base: TaskRunContext = {
      ...{ pool, thread, task: id, name, startedAt: wallTimeOf(time) },
      ...{ submission: task.context, parent: parent?.context },
    }
    const context = isTraced(run) ? base : undefined
    if (context !== undefined) {
      publish(run.start, context)
      publish(run.end, context)
    }
    if (!isFired) return { task, context, fire: undefined }
    const { isPeriodic, due, missed } = firing
    const firingContext: ScheduleFireContext = { ...base, isPeriodic, dueAt: wallTimeOf(due), missed }
    publish(fire.start, firingContext)
    publish(fire.end, firingContext)
    return { task, context, fire: firingContext }
  }

  #end(run: Run, thread: ThreadInfo, time: number, outcome: TaskOutcome, error: unknown): void {
    const { pool, id, name, handle } = run.task
    this.#log.push("ended", time, pool, thread, id, name, outcome)
    // The error of a run on a platform thread is known when its future is settled.
    this.#publishEnd(run, time, outcome === "failed" && handle === 0 ? { outcome, error } : { outcome })
  }

  #publishEnd(run: Run, time: number, end: { readonly outcome: TaskOutcome; readonly error?: unknown }): void {
    const hasFailed = end.outcome === "failed"
    if (run.context !== undefined) {
      Object.assign(run.context, { endedAt: wallTimeOf(time), ...end })
      publishEnd(this.#channels.run, run.context, hasFailed)
    }
    if (run.fire !== undefined) {
      Object.assign(run.fire, { endedAt: wallTimeOf(time), ...end })
      publishEnd(this.#channels.fire, run.fire, hasFailed)
    }
  }
}
