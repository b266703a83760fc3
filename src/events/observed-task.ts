import { NAME_IN_EVENTS, OBSERVE, OUTCOME, WORK } from "../future/internals.ts"
import { Carrier } from "../executor/carrier.ts"
import { type Call, callOf } from "../future/call.ts"
import { nameOfTask } from "../future/describe.ts"
import { FutureTask } from "../future/future-task.ts"
import { nameOf } from "../future/runnable.ts"
import type { PoolInfo, SettleObserver, TaskOutcome } from "../observing.ts"
import { EnclosedTask } from "../schedule/scheduled-task.ts"
import { firstGivenTo } from "../task/reference.ts"
import type { ScheduleFireContext, TaskContext, TaskRunContext } from "./payloads.ts"

/** What an observed task reports when its future is settled. */
export interface TaskListener {
  taskSettled(task: ObservedTask, future: FutureTask<unknown>): void
}

/** A task that was given to a pool while code listened to its events. Does not keep a future alive that is settled. */
export class ObservedTask implements SettleObserver {
  readonly pool: PoolInfo
  readonly id: number
  readonly name: string
  /** For `corepool:task`, if that had subscribers. */
  context: TaskContext | undefined
  /** In the memory of a pool of platform threads; 0 if it is in none. */
  handle = 0
  isSettled = false
  /** Until it is settled; undefined if the task is a command, or was submitted by another thread. */
  future: FutureTask<unknown> | undefined
  readonly #listener: TaskListener

  constructor(listener: TaskListener, pool: PoolInfo, id: number, name: string) {
    this.#listener = listener
    this.pool = pool
    this.id = id
    this.name = name
  }

  observe(future: FutureTask<unknown>): void {
    this.future = future
    future[OBSERVE](this)
  }

  settled(future: object): void {
    this.future = undefined
    if (this.isSettled) return
    this.isSettled = true
    this.#listener.taskSettled(this, future as FutureTask<unknown>)
  }
}

/** The future whose outcome is that of the task; undefined if the task is a command. */
export function futureIn(task: object): FutureTask<unknown> | undefined {
  if (!(task instanceof FutureTask)) return undefined
  return task instanceof Carrier || task instanceof EnclosedTask ? futureIn(task.future) : task
}

/** The name of the function that a task calls. */
export function nameOfWork(task: object): string {
  try {
    const future = futureIn(task)
    const given = (future as { readonly [NAME_IN_EVENTS]?: unknown } | undefined)?.[NAME_IN_EVENTS]
    if (typeof given === "string") return given
    const work = future === undefined ? task : future[WORK]
    return typeof work === "function" ? nameOfFunction(work as Call["fn"]) : work === undefined ? "" : nameOf(work)
  } catch {
    return "" // a name that cannot be read is no reason to fail a task
  }
}

/** A parallel algorithm has the name of the function that the program has given it. */
function nameOfFunction(work: Call["fn"]): string {
  const { fn } = callOf(work)
  const given = firstGivenTo(fn)
  return given === fn ? nameOfTask(work) : nameOf(given)
}

export function outcomeOf(future: FutureTask<unknown>): TaskOutcome {
  const { state } = future
  return state === "running" ? "success" : state // a periodic task runs again
}

/** Not by `exceptionNow()`: the failure must not count as seen. */
export function errorOf(future: FutureTask<unknown>): unknown {
  return (future as unknown as { readonly [OUTCOME]: unknown })[OUTCOME]
}

/** A run of a task that is under way. */
export interface Run {
  readonly task: ObservedTask
  readonly context: TaskRunContext | undefined
  readonly fire: ScheduleFireContext | undefined
}
