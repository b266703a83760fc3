/**
 * Worker threads for tests. A worker runs one function that a module exports; the module stands beside the test that needs
 * it, as `….workers.ts`.
 *
 *     await using workers = new Workers()
 *     const other = workers.run(new URL("lock.workers.js", import.meta.url), "holdLock", lock)
 *     await other.heard("locked")
 *     …
 *     assert.equal(await other.result, 7)
 *
 * The function is called with what was passed, cloned (so begin with `ReentrantLock.from(…)`), and says words to the
 * test by `this.say(word)`: declare it as `function holdLock(this: Voice, lock: Shared)`.
 */
import { ReentrantLock } from "corepool"
import { Worker } from "node:worker_threads"
import { eventually } from "./harness.ts"
import { requireMemoryLimits } from "./memory-limits.ts"

/** What the functions are called on. */
export interface Voice {
  say(word: unknown): void
}

export interface Order {
  readonly module: string
  readonly name: string
  readonly args: readonly unknown[]
  /** A lock that the worker holds from its beginning to its end, if it is on Deno. */
  readonly life?: unknown
}

export type Report =
  | { readonly said: unknown }
  | { readonly result: unknown }
  | { readonly error: { readonly name: string; readonly message: string; readonly stack: string | undefined } }

/** Nothing a test waits for takes so long; it only turns a test that would hang into one that fails. */
const PATIENCE = 60_000

/** After so many ms a worker is taken for one that Deno does not end, because it computes. */
const STUBBORN = 5_000

export class WorkerHand {
  readonly worker: Worker
  /** What the function returned, or threw; or that the worker ended before it did either. */
  readonly result: Promise<unknown>
  /** Settles when the worker is gone, and this thread's corepool knows that, with its exit code. */
  readonly gone: Promise<number>
  /** Everything it has said so far. */
  readonly words: unknown[] = []
  #listeners: (() => void)[] = []

  constructor(order: Order, options: { resourceLimits?: { maxOldGenerationSizeMb: number } } = {}) {
    // Deno tells of the end of a worker when the worker was told to end. When it has, its lock is free.
    const life = "deno" in process.versions ? new ReentrantLock() : undefined
    const workerData = life === undefined ? order : { ...order, life: life.handle }
    this.worker = new Worker(new URL("worker-entry.js", import.meta.url), { workerData, ...options })
    this.gone = new Promise((resolve) => {
      this.worker.once("exit", (code) => {
        if (life === undefined) resolve(code)
        else void life.tryLock(STUBBORN).finally(() => resolve(code))
      })
    })
    this.result = new Promise((resolve, reject) => {
      this.worker.on("message", (report: Report) => {
        if ("said" in report) this.#hear(report.said)
        else if ("result" in report) resolve(report.result)
        else
          reject(Object.assign(new Error(report.error.message), { name: report.error.name, cause: report.error.stack }))
      })
      this.worker.on("error", reject)
      this.worker.on("exit", (code) => reject(new Error(`The worker is gone, with exit code ${code}`)))
    })
    // A test that kills its worker does not ask for the result.
    this.result.catch(() => undefined)
  }

  /** Waits until it has said the word, so many times in total. */
  async heard(word: unknown, times = 1): Promise<void> {
    const deadline = performance.now() + PATIENCE
    let ended = false
    while (this.words.filter((said) => said === word).length < times) {
      if (ended)
        throw new Error(`Never heard ${String(word)}, only ${this.words.map(String).join(", ")}, and it has ended`)
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`Never heard ${String(word)}, only ${this.words.map(String).join(", ")}`)),
          deadline - performance.now(),
        )
        const settle = (): void => {
          clearTimeout(timer)
          resolve()
        }
        this.#listeners.push(settle)
        // If it fails, or ends, it says nothing more.
        this.result.then(
          () => {
            ended = true
            settle()
          },
          (error: unknown) => {
            clearTimeout(timer)
            reject(error instanceof Error ? error : new Error(String(error)))
          },
        )
      })
    }
  }

  /** What it says first. That something else shows what it has done does not mean that its word has arrived. */
  async firstWord(): Promise<unknown> {
    await eventually(() => this.words.length > 0)
    return this.words[0]
  }

  /** Ends it, wherever it is. Settles when its end is known. */
  async kill(): Promise<void> {
    await this.worker.terminate()
    await this.gone
  }

  #hear(word: unknown): void {
    this.words.push(word)
    const listeners = this.#listeners
    this.#listeners = []
    for (const listener of listeners) listener()
  }
}

export class Workers implements AsyncDisposable {
  readonly #hands: WorkerHand[] = []

  /** Runs an exported function of the module in a worker of its own. */
  run(module: URL, name: string, ...args: unknown[]): WorkerHand {
    const hand = new WorkerHand({ module: module.href, name, args })
    this.#hands.push(hand)
    return hand
  }

  /** The same with little memory: for those that are to run out of it. */
  async runStarved(module: URL, name: string, ...args: unknown[]): Promise<WorkerHand> {
    await requireMemoryLimits()
    const hand = new WorkerHand({ module: module.href, name, args }, { resourceLimits: { maxOldGenerationSizeMb: 32 } })
    this.#hands.push(hand)
    return hand
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#hands.map((hand) => hand.kill()))
  }
}
