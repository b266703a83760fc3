/**
 * The tasks of suites "threadpool" and "invoke" on worker threads. Every task is a call of {@link perform} with a number, which
 * the wings of its thread know more about. Loaded by each thread of a pool before its first task.
 */
import { RENEW, WORK_ARGUMENTS } from "#src/future/internals.js"
import { store } from "#atomics"
import { bind, type Callable, FutureTask, type Runnable, task, type Thread, ThreadPoolExecutor } from "corepool"
import { threadContext } from "#src/memory/thread/this-thread.js"
import { getEnvironmentData, isMainThread } from "node:worker_threads"
import { ScenarioError } from "../json.ts"
import { ACTIVITY, clock } from "./activity.ts"
import { INHERITANCE, type Inheritance, type StageLegacy } from "./inheritance.ts"
import { type Ending, type Part, play, type Wings, type Word } from "./part.ts"
import { StageMemory } from "./stage-memory.ts"

/** In the driver's thread, which runs tasks of many scenarios if a pool lets its caller run them: the wings of each. */
export const driversWings: Map<number, Wings> = new Map()

export const perform = task(import.meta.url, function perform(stage: number, part: Part): unknown {
  const wings = isMainThread ? driversWings.get(stage) : new PoolThreadWings(stage)
  if (wings === undefined) throw new ScenarioError(`Task ${part.name} comes when its scenario is over`)
  return play(part, wings)
})

/** What a pool is given; its name is that of the task. */
export function callOf(stage: number, part: Part): Callable<unknown> {
  return Object.defineProperty(bind(perform, stage, part), "name", { value: part.name })
}

/**
 * The name of a task that another thread has given to the pool. To the owner it is a future that calls a function, which
 * `[RENEW]` tells together with the arguments.
 */
export function nameOfForeign(runnable: Runnable): string | undefined {
  if (!(runnable instanceof FutureTask)) return undefined
  const renewed = (runnable as unknown as { [RENEW](): { [WORK_ARGUMENTS]: readonly unknown[] } })[RENEW]()
  return (renewed[WORK_ARGUMENTS][1] as Part | undefined)?.name
}

const inheritance = isMainThread ? undefined : (getEnvironmentData(INHERITANCE) as unknown as Inheritance<StageLegacy>)
const legacy = inheritance?.legacy
const memory = legacy && StageMemory.open(legacy)
if (inheritance !== undefined) {
  store(inheritance.activity, ACTIVITY.BEGUN, clock())
  store(inheritance.activity, ACTIVITY.TOKEN, threadContext().token)
}

class PoolThreadWings implements Wings {
  readonly #stage: number

  constructor(stage: number) {
    this.#stage = stage
  }

  get #memory(): StageMemory {
    if (memory === undefined) throw new ScenarioError("A thread that has inherited nothing")
    return memory
  }

  isPoolThread(_thread: Thread): boolean {
    return true
  }

  started(part: Part): void {
    this.#memory.started(part)
  }

  ended(part: Part, how: Ending): void {
    this.#memory.ended(part, how)
  }

  execute(part: Part): void {
    if (legacy === undefined) throw new ScenarioError(`No pool for task ${part.name}`)
    ThreadPoolExecutor.from(legacy.pool).execute(callOf(this.#stage, part))
  }

  pass(part: Part): Word | "interrupted" | Promise<Word | "interrupted"> {
    return legacy?.blocks === true ? this.#memory.hearSync(part) : this.#memory.hear(part)
  }
}
