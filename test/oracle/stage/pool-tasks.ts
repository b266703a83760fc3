/**
 * The tasks of suites "threadpool" and "invoke" on worker threads. Every task is a call of {@link perform} with a number, which
 * the wings of its thread know more about. Loaded by each thread of a pool before its first task.
 */
import { store } from "#atomics"
import { bind, task, type Thread, type ThreadPoolExecutor } from "corepool"
import { here } from "#src/memory/this-thread.js"
import { getEnvironmentData, isMainThread } from "node:worker_threads"
import { ScenarioError } from "../json.ts"
import { ACTIVITY } from "./activity.ts"
import { INHERITANCE, type Inheritance } from "./inheritance.ts"
import { type Ending, type Part, play, type Wings, type Word } from "./part.ts"
import { StageMemory } from "./stage-memory.ts"

/** In the driver's thread, which runs tasks of many scenarios if a pool lets its caller run them: the wings of each. */
export const driversWings: Map<number, Wings> = new Map()

/** `pool` is there for tasks that have something to execute. */
export const perform = task(
  import.meta.url,
  function perform(stage: number, part: Part, pool?: ThreadPoolExecutor): unknown {
    const wings = isMainThread ? driversWings.get(stage) : new PoolThreadWings(stage, pool)
    if (wings === undefined) throw new ScenarioError(`Task ${part.name} comes when its scenario is over`)
    return play(part, wings)
  },
)

const inheritance = isMainThread ? undefined : (getEnvironmentData(INHERITANCE) as unknown as Inheritance)
const memory = inheritance && StageMemory.open(inheritance)
if (inheritance !== undefined) store(inheritance.activity, ACTIVITY.TOKEN, here().token)

class PoolThreadWings implements Wings {
  readonly #stage: number
  readonly #pool: ThreadPoolExecutor | undefined

  constructor(stage: number, pool: ThreadPoolExecutor | undefined) {
    this.#stage = stage
    this.#pool = pool
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
    if (this.#pool === undefined) throw new ScenarioError(`No pool for task ${part.name}`)
    this.#pool.execute(bind(perform, this.#stage, part))
  }

  pass(part: Part): Word | "interrupted" | Promise<Word | "interrupted"> {
    return inheritance?.blocks === true ? this.#memory.hearSync(part) : this.#memory.hear(part)
  }
}
