import { OBSERVATION } from "../future/internals.ts"
import type { FutureTask } from "../future/future-task.ts"
import type { PoolInfo, TaskOutcome } from "../observing.ts"
import { ChunkedList } from "../queue/local/chunked-list.ts"
import { sharedNow } from "../time/shared-clock.ts"
import { type Channels, isTraced, publishEnd, tell, traceCall, wallTimeOf } from "./channels.ts"
import type { EventLog } from "./event-log.ts"
import { errorOf, futureIn, nameOfWork, ObservedTask, outcomeOf, type TaskListener } from "./observed-task.ts"
import type { TaskContext } from "./payloads.ts"
import { RingTasks } from "./ring-tasks.ts"
import type { Unobserved } from "./unobserved.ts"

/** The tasks that this thread has given to pools while code listened, from the submission until they are settled. */
export class SubmittedTasks implements TaskListener {
  readonly #log: EventLog
  readonly #channels: Channels
  readonly #unobserved: Unobserved
  #last = 0
  /** Those of pools of platform threads. The event of the end of a command may come after that of its pool. */
  #inRings = new WeakMap<PoolInfo, RingTasks>()
  /** Commands that wait: the same function may be given to pools many times. */
  readonly #commands = new Map<object, ChunkedList<ObservedTask>>()

  constructor(log: EventLog, channels: Channels, unobserved: Unobserved) {
    this.#log = log
    this.#channels = channels
    this.#unobserved = unobserved
  }

  /** A task whose submission had no listener, or was that of another thread. */
  newTask(pool: PoolInfo, name: string): ObservedTask {
    return new ObservedTask(this, pool, ++this.#last, name)
  }

  /** From now on no code listens. */
  forget(): void {
    this.#inRings = new WeakMap()
    this.#commands.clear()
  }

  // ------------------------------------------------------------------ submitting

  submit(pool: PoolInfo, task: object, give: () => void): void {
    const future = futureIn(task)
    const known = future?.[OBSERVATION]
    if (known instanceof ObservedTask && !known.isSettled) {
      give() // once more, by a rejection handler, or wrapped in another task
      return
    }
    const time = sharedNow()
    const observed = this.newTask(pool, nameOfWork(task))
    if (future === undefined) this.#noteCommand(task, observed)
    else observed.observe(future)
    this.#log.push("submitted", time, pool, undefined, observed.id, observed.name)
    if (isTraced(this.#channels.task)) this.#trace(observed, time, give)
    else give()
  }

  #noteCommand(task: object, observed: ObservedTask): void {
    const waiting = this.#commands.get(task) ?? new ChunkedList<ObservedTask>()
    if (waiting.size === 0) this.#commands.set(task, waiting)
    waiting.push(observed)
  }

  #trace(observed: ObservedTask, time: number, give: () => void): void {
    const { pool, id, name } = observed
    const context: TaskContext = { pool, task: id, name, submittedAt: wallTimeOf(time) }
    observed.context = context
    try {
      traceCall(this.#channels.task, context, give)
    } catch (error) {
      observed.isSettled = true
      throw error
    }
  }

  rejected(pool: PoolInfo, task: object): void {
    const time = sharedNow()
    const observed = this.take(task)
    const id = observed?.id ?? 0
    const name = observed?.name ?? nameOfWork(task)
    this.#log.push("rejected", time, pool, undefined, id, name)
    tell(this.#channels.rejected, () => ({ pool, task: id, name, time: wallTimeOf(time) }))
  }

  // ------------------------------------------------------------------ finding

  /** What is known of the task, which waits no longer. */
  take(task: object): ObservedTask | undefined {
    const future = futureIn(task)
    if (future !== undefined) {
      const known = future[OBSERVATION]
      return known instanceof ObservedTask ? known : undefined
    }
    const waiting = this.#commands.get(task)
    const observed = waiting?.shift()
    if (waiting?.size === 0) this.#commands.delete(task)
    return observed
  }

  /** The task has this handle in the memory of its pool. */
  recorded(pool: PoolInfo, task: object, handle: number): void {
    const observed = this.take(task)
    if (observed === undefined) return
    observed.handle = handle
    const tasks = this.#inRings.get(pool) ?? new RingTasks()
    this.#inRings.set(pool, tasks)
    tasks.add(observed)
  }

  find(pool: PoolInfo, handle: number): ObservedTask | undefined {
    return this.#inRings.get(pool)?.find(handle)
  }

  /** Calls `read`, which reads the rings of the pool. Tasks that were settled before are forgotten afterwards. */
  whileReading(pool: PoolInfo, read: () => void): void {
    const tasks = this.#inRings.get(pool)
    const settled = tasks?.takeSettled() ?? []
    read()
    tasks?.forget(settled)
  }

  // ------------------------------------------------------------------ the end

  taskSettled(task: ObservedTask, future: FutureTask<unknown>): void {
    const outcome = outcomeOf(future)
    const error = outcome === "failed" ? errorOf(future) : undefined
    const time = this.settle(task, outcome, error)
    if (outcome === "failed") this.#unobserved.failed(task, future, error, wallTimeOf(time))
  }

  commandEnded(pool: PoolInfo, handle: number, outcome: TaskOutcome, error: unknown): void {
    const observed = this.find(pool, handle)
    if (observed !== undefined && !observed.isSettled) this.settle(observed, outcome, error)
  }

  settle(task: ObservedTask, outcome: TaskOutcome, error: unknown): number {
    task.isSettled = true
    if (task.handle !== 0) this.#inRings.get(task.pool)?.settled(task.handle)
    const time = sharedNow()
    this.#log.push("settled", time, task.pool, undefined, task.id, task.name, outcome)
    const { context } = task
    if (context === undefined) return time
    context.settledAt = wallTimeOf(time)
    context.outcome = outcome
    if (outcome === "failed") context.error = error
    publishEnd(this.#channels.task, context, outcome === "failed")
    return time
  }
}
