/**
 * The worker threads of a scenario's pool: how they are made, what they inherit, and when they are at rest.
 *
 * When is all quiet? When every thread of the pool is at rest, all of them at the same moment, and the driver has heard of
 * what they did. No clock is asked: each thread's rest has a number, and if all numbers are the same before and after,
 * nobody stirred in between (activity.ts). In between the driver's event loop goes round: whoever rang it had done so
 * before resting, and if its answer concerns a thread, that one stirs. A thread that is starting or ending is not at rest.
 */
import { add, load, notify } from "#atomics"
import {
  type PlatformThreadOptions,
  platformThreads,
  type Thread,
  type ThreadFactory,
  type ThreadPoolExecutor,
} from "corepool"
import { threadContext } from "#src/memory/thread/this-thread.js"
import { LISTENING, THREAD } from "#src/memory/thread/thread-registry.js"
import { isNode } from "#src/host/node/runtime/runtime.js"
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises"
import { setEnvironmentData, Worker } from "node:worker_threads"
import { ACTIVITY, clock } from "./activity.ts"
import { INHERITANCE, type Inheritance } from "./inheritance.ts"

/** Turns of the driver's event loop that must change nothing: in one of them it hears of what the threads did. */
const STILL_TURNS = 4

/** Looks at once for so many turns, and then once in a millisecond. */
const EAGER_TURNS = 8

/** No scenario needs a hundredth of this; a replay that never comes to rest must end nevertheless. */
export const RESTLESS_AFTER_MS = 60_000

interface PoolThread {
  readonly thread: Thread
  readonly activity: Int32Array
  /** When it was made, in ms. */
  readonly made: number
}

export interface PoolThreadsOptions {
  readonly pool: () => ThreadPoolExecutor
  /** The module of the tasks, which each thread loads before its first one. */
  readonly tasks: string
  /** What the threads inherit, asked for when one is made. */
  readonly legacy: () => unknown
  /** See {@link Inheritance.short}. */
  readonly short: number
  /** How many tasks have begun and not ended, where nothing but the driver, or time, makes them go on. */
  readonly inside: () => number
  /** Whether it does not matter if a thread has begun yet: there is nothing for it to do. */
  readonly isNoHurry: () => boolean
  /** How long everything may take, in ms. */
  readonly patience: number
}

/** Has a thread count what it does, from before it loads corepool. */
function watched(): PlatformThreadOptions {
  if (isNode) return { execArgv: ["--import", new URL("pool-thread.js", import.meta.url).href] }
  return { workerFactory: (options) => new Worker(new URL("pool-worker.js", import.meta.url), options) }
}

export class PoolThreads {
  readonly #options: PoolThreadsOptions
  readonly #threads: PoolThread[] = []

  constructor(options: PoolThreadsOptions) {
    this.#options = options
  }

  factory(uncaught?: (thread: Thread, error: unknown) => void): ThreadFactory {
    const { tasks, legacy, short } = this.#options
    const threads = platformThreads({
      terminateAfter: Infinity,
      ...watched(),
      preload: [new URL(tasks, import.meta.url)],
      ...(uncaught && { uncaughtException: uncaught }),
    })
    return {
      isVirtual: false,
      newThread: (target) => {
        const activity = new Int32Array(new SharedArrayBuffer(ACTIVITY.SIZE * 4))
        const inheritance: Inheritance = { activity, short, legacy: legacy() }
        // The pool starts the thread before anybody else can make one.
        setEnvironmentData(INHERITANCE, inheritance)
        const thread = threads.newThread(target)
        if (thread != null) this.#threads.push({ thread, activity, made: clock() })
        return thread
      },
    }
  }

  /** How long it took the slowest thread to begin, of those that have, in ms. */
  get slowestStart(): number {
    const begun = this.#threads.filter(({ activity }) => load(activity, ACTIVITY.TOKEN) !== 0)
    return Math.max(0, ...begun.map(({ activity, made }) => load(activity, ACTIVITY.BEGUN) - made))
  }

  get made(): number {
    return this.#threads.length
  }

  /** Waits for the end of all threads, and that of the pool, which has been shut down. */
  async ended(): Promise<void> {
    const { patience, pool } = this.#options
    await Promise.all(this.#threads.map(({ thread }) => thread.join(patience)))
    if (!(await pool().awaitTermination(patience))) {
      throw new Error("The pool does not end though it was shut down and all tasks were released")
    }
  }

  // ------------------------------------------------------------------ quiescence

  /** Returns when nothing more will happen by itself. */
  async quiet(signature: () => string): Promise<void> {
    const { patience } = this.#options
    const deadline = performance.now() + patience
    const wait = async (looks: number): Promise<void> => {
      if (performance.now() > deadline) {
        throw new Error(`No quiescence after ${patience} ms: ${signature()}; ${this.#describe()}`)
      }
      await (looks < EAGER_TURNS ? turn() : sleep(1))
    }
    for (let looks = 0; !(await this.#isQuiet(signature, wait)); looks++) await wait(looks)
  }

  async #isQuiet(signature: () => string, wait: (looks: number) => Promise<void>): Promise<boolean> {
    const { pool, inside } = this.#options
    if (pool().activeCount !== inside()) return false // a task is on its way to where it waits, or from there
    const living = this.#relevant()
    const before = stillness(living)
    if (before === undefined) return false
    const seen = signature()
    const questions = living.map(({ activity }) => ask(activity))
    for (let looks = 0; !living.every((it, i) => isSettled(it, questions[i] ?? 0)); looks++) {
      if (stillness(living) !== before) return false
      await wait(looks)
    }
    for (let turns = STILL_TURNS; turns > 0; turns--) await turn()
    return signature() === seen && stillness(living) === before && this.#relevant().length === living.length
  }

  /** Those that live; without those that have not begun, if it does not matter whether they have. */
  #relevant(): PoolThread[] {
    const living = this.#threads.filter(({ thread }) => thread.isAlive)
    return this.#options.isNoHurry() ? living.filter(({ activity }) => load(activity, ACTIVITY.TOKEN) !== 0) : living
  }

  #describe(): string {
    return this.#threads
      .filter(({ thread }) => thread.isAlive)
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
  const { registry } = threadContext()
  return load(registry.words, registry.entryOf(token) + THREAD.PARK) === LISTENING
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
