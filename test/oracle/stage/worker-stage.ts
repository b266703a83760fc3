/**
 * A stage of worker threads: tasks are calls with plain data, and all else is in memory that the threads share.
 *
 * When is all quiet? When every thread of the pool is at rest, all of them at the same moment, and the driver has heard of
 * what they did. No clock is asked: each thread's rest has a number, and if all numbers are the same before and after,
 * nobody stirred in between (activity.ts). In between the driver's event loop goes round: whoever rang it had done so
 * before resting, and if its answer concerns a thread, that one stirs. A thread that is starting or ending is not at rest.
 */
import { add, load, notify } from "#atomics"
import { type Callable, platformThreads, type Runnable, type Thread, type ThreadFactory } from "corepool"
import { prioritize } from "#src/executor/with-options.js"
import { here } from "#src/memory/this-thread.js"
import { LISTENING, THREAD } from "#src/memory/space.js"
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises"
import { setEnvironmentData } from "node:worker_threads"
import type { JsonObject } from "../json.ts"
import { sorted } from "../results.ts"
import { ACTIVITY } from "./activity.ts"
import { INHERITANCE, type Inheritance } from "./inheritance.ts"
import type { Ending, Part, Wings, Word } from "./part.ts"
import { callOf, driversWings } from "./pool-tasks.ts"
import type { Company, Stage } from "./stage.ts"
import { StageMemory } from "./stage-memory.ts"

/** Turns of the driver's event loop that must change nothing: in one of them it hears of what the threads did. */
const STILL_TURNS = 4

/** Looks at once for so many turns, and then once in a millisecond. */
const EAGER_TURNS = 8

/** No scenario needs a hundredth of this; a replay that never comes to rest must end nevertheless. */
const RESTLESS_AFTER_MS = 60_000

/** A short time-out in a scenario is this much longer here. */
const SLOWER = 50

let stages = 0

interface PoolThread {
  readonly thread: Thread
  readonly activity: Int32Array
}

export class WorkerStage implements Stage, Wings {
  readonly #number = ++stages
  readonly #blocks: boolean
  readonly #patience: number
  readonly #company: Company
  readonly #memory = StageMemory.create()
  readonly #parts = new Set<Part>()
  readonly #threads: PoolThread[] = []
  /** What {@link page} has shown: how often each task has started, and ended in each way. */
  readonly #shown = new Map<string, number>()

  /** `blocks` is how its tasks wait, `patience` how long everything may take, in ms. */
  constructor(company: Company, blocks: boolean, patience = RESTLESS_AFTER_MS) {
    this.#company = company
    this.#blocks = blocks
    this.#patience = patience
    driversWings.set(this.#number, this)
  }

  factory(uncaught?: (thread: Thread, error: unknown) => void): ThreadFactory {
    const threads = platformThreads({
      terminateAfter: Infinity,
      execArgv: ["--import", new URL("pool-thread.js", import.meta.url).href],
      preload: [new URL("pool-tasks.js", import.meta.url)],
      ...(uncaught && { uncaughtException: uncaught }),
    })
    return {
      isVirtual: false,
      newThread: (target) => {
        const activity = new Int32Array(new SharedArrayBuffer(ACTIVITY.SIZE * 4))
        const inheritance: Inheritance = {
          ...this.#memory.shared,
          pool: this.#company.pool.handle,
          activity,
          blocks: this.#blocks,
        }
        // The pool starts the thread before anybody else can make one.
        setEnvironmentData(INHERITANCE, inheritance)
        const thread = threads.newThread(target)
        if (thread != null) this.#threads.push({ thread, activity })
        return thread
      },
    }
  }

  get threadsMade(): number {
    return this.#threads.length
  }

  callable(part: Part): Callable<unknown> {
    this.#parts.add(part)
    for (const child of part.spawns) this.#parts.add(child)
    return callOf(this.#number, part)
  }

  /** Tasks that can be told to another thread have no `compareTo`; they have a priority, of which the highest comes first. */
  runnable(part: Part, priority: number): Runnable {
    const call = this.callable(part)
    prioritize(call, -priority)
    return call
  }

  /** A thread has to be started before a task is, which takes some time. */
  shortTime(ms: number): number {
    return ms * SLOWER
  }

  tell(part: Part, word: Word): void {
    this.#memory.tell(part, word)
  }

  hasStarted(part: Part): boolean {
    return this.#memory.startsOf(part) > 0
  }

  page(): JsonObject {
    const parts = [...this.#parts]
    const starts = parts.flatMap((part) => this.#fresh(part.name, this.#memory.startsOf(part)))
    const ends = parts.flatMap((part) =>
      this.#memory.endsOf(part).flatMap(([how, times]) => this.#fresh(`${part.name}:${how}`, times)),
    )
    return { newStarts: sorted(starts), newEnds: sorted(ends) }
  }

  /** The entry as often as it has become true since the last call. */
  #fresh(entry: string, times: number): string[] {
    const shown = this.#shown.get(entry) ?? 0
    this.#shown.set(entry, times)
    return Array.from({ length: times - shown }, () => entry)
  }

  async close(): Promise<void> {
    for (const part of this.#parts) this.tell(part, "release")
    await Promise.all(this.#threads.map(({ thread }) => thread.join(this.#patience)))
    driversWings.delete(this.#number)
    if (!(await this.#company.pool.awaitTermination(this.#patience))) {
      throw new Error("The pool does not end though it was shut down and all tasks were released")
    }
  }

  // ------------------------------------------------------------------ for tasks that the driver runs

  isPoolThread(): boolean {
    return false
  }

  started(part: Part): void {
    this.#memory.started(part)
  }

  ended(part: Part, how: Ending): void {
    this.#memory.ended(part, how)
  }

  execute(part: Part): void {
    this.#company.execute(part)
  }

  pass(part: Part): Promise<Word | "interrupted"> {
    return this.#memory.hear(part)
  }

  // ------------------------------------------------------------------ quiescence

  /** What was given time to happen by `settleMs` is waited for: a thread with a short timer is not at rest. */
  async quiet(signature: () => string): Promise<void> {
    const deadline = performance.now() + this.#patience
    const wait = async (looks: number): Promise<void> => {
      if (performance.now() > deadline) {
        throw new Error(`No quiescence after ${this.#patience} ms: ${signature()}; ${this.#describe()}`)
      }
      await (looks < EAGER_TURNS ? turn() : sleep(1))
    }
    for (let looks = 0; !(await this.#isQuiet(signature, wait)); looks++) await wait(looks)
  }

  async #isQuiet(signature: () => string, wait: (looks: number) => Promise<void>): Promise<boolean> {
    if (this.#company.pool.activeCount !== this.#inside) return false // a task is on its way to its gate, or from there
    const living = this.#living()
    const before = stillness(living)
    if (before === undefined) return false
    const seen = signature()
    const questions = living.map(({ activity }) => ask(activity))
    for (let looks = 0; !living.every((it, i) => isSettled(it, questions[i] ?? 0)); looks++) {
      if (stillness(living) !== before) return false
      await wait(looks)
    }
    for (let turns = STILL_TURNS; turns > 0; turns--) await turn()
    return signature() === seen && stillness(living) === before && this.#living().length === living.length
  }

  /** How many tasks are at their gates. */
  get #inside(): number {
    let count = 0
    for (const part of this.#parts) {
      count += this.#memory.startsOf(part)
      for (const [, times] of this.#memory.endsOf(part)) count -= times
    }
    return count
  }

  #living(): PoolThread[] {
    return this.#threads.filter(({ thread }) => thread.isAlive)
  }

  #describe(): string {
    return this.#living()
      .map((it) => `${it.thread.name}: ${restOf(it) ?? "awake"} (${it.activity.join()})`)
      .join(", ")
  }
}

/** The rest of all of them, or undefined if somebody is about something. */
function stillness(threads: readonly PoolThread[]): string | undefined {
  const rests = threads.map(restOf)
  return rests.includes(undefined) ? undefined : rests.join()
}

/** Names a rest; undefined if the thread is about something, as far as can be seen. */
function restOf({ thread, activity }: PoolThread): string | undefined {
  const token = load(activity, ACTIVITY.TOKEN)
  if (!thread.isAlive || token === 0 || !isListening(token)) return undefined
  const stirs = load(activity, ACTIVITY.STIRS)
  if (load(activity, ACTIVITY.ASLEEP) !== 0) return `asleep since ${stirs}`
  return load(activity, ACTIVITY.PENDING) === 0 ? `awaiting since ${stirs}` : undefined
}

function isListening(token: number): boolean {
  const { space } = here()
  return load(space.words, space.entryOf(token) + THREAD.PARK) === LISTENING
}

/** Asks the thread whether it is there; the number of the question. */
function ask(activity: Int32Array): number {
  const question = add(activity, ACTIVITY.ASKED, 1) + 1
  notify(activity, ACTIVITY.ASKED)
  return question
}

/** Whether what the thread was about when it was asked is over. */
function isSettled({ activity }: PoolThread, question: number): boolean {
  return load(activity, ACTIVITY.ASLEEP) !== 0 || load(activity, ACTIVITY.ANSWERED) >= question
}
