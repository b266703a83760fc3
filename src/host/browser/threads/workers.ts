/**
 * Web Workers as threads, with the methods of Node's class that corepool uses.
 *
 * A browser does not tell when a worker has stopped: `terminate()` of one that computes takes up to two seconds in
 * Chromium, and `close()` inside of it tells nothing. So each worker holds a Web Lock, and has stopped when its parent
 * gets that lock.
 */
import { UnsupportedOperationError } from "../../../errors.ts"
import { scope, type WebWorker, type WorkerEvent } from "../runtime/globals.ts"
import { onStart, type StartData, type Told } from "./start-data.ts"

export interface WorkerOptions {
  readonly name?: string
  readonly workerData?: unknown
  readonly transferList?: readonly object[]
  readonly execArgv?: readonly string[]
}

// oxlint-disable import/no-mutable-exports -- a worker learns what it is after its modules are loaded
/** Also true in a worker that corepool has not started: it is a world of its own. */
export let isMainThread = true

export let threadId = 0

export let workerData: unknown
// oxlint-enable import/no-mutable-exports

export const resourceLimits = {}

/** Values by name that a thread leaves to all threads that it starts. */
const environment = new Map<unknown, unknown>()

onStart((data) => {
  isMainThread = false
  threadId = data.id
  workerData = data.workerData
  for (const [key, value] of data.environment) if (!environment.has(key)) environment.set(key, value)
})

export function getEnvironmentData(key: unknown): unknown {
  return environment.get(key)
}

export function setEnvironmentData(key: unknown, value: unknown): void {
  environment.set(key, value)
}

const watchers: ((id: number) => void)[] = []

/** Calls `ended` with the id of each worker of corepool that this thread has started, when the worker has stopped. */
export function watchThreads(ended: (id: number) => void): void {
  watchers.push(ended)
}

/** Not known to a thread that blocks. */
export function hasFinished(_thread: RuntimeThread | undefined): boolean | undefined {
  return undefined
}

export function isInspected(): boolean {
  return false
}

type Events = { error: (error: unknown) => void; exit: (code: number) => void }

/** A worker that this thread has started. */
export class RuntimeThread {
  readonly #worker: WebWorker
  readonly #id: number
  readonly #life: string
  readonly #listeners: { [K in keyof Events]: Events[K][] } = { error: [], exit: [] }
  #code = 1
  #isWatched = false
  #isTerminated = false

  /** Of the package's own module, or of `worker`, which the user's factory has started. */
  constructor(_file: string, { name = "", workerData: data, transferList = [] }: WorkerOptions, worker?: WebWorker) {
    requireIsolation()
    this.#id = newId()
    this.#life = `corepool-thread-${this.#id}-${newId()}`
    this.#worker = worker ?? startWorkerModule(name)
    this.#worker.addEventListener("message", (event) => this.#receive(event.data as Told))
    // The module could not be loaded; later errors are reported by the worker itself.
    this.#worker.addEventListener("error", (event) => this.#fail(event))
    const start: StartData = { workerData: data, id: this.#id, life: this.#life, environment }
    this.#worker.postMessage(start, transferList)
  }

  on<K extends keyof Events>(event: K, listener: Events[K]): void {
    this.#listeners[event].push(listener)
  }

  once<K extends keyof Events>(event: K, listener: Events[K]): void {
    this.on(event, listener) // an exit comes once, and an error is followed by one
  }

  /** No worker keeps a page open. */
  unref(): void {}

  terminate(): void {
    if (this.#isTerminated) return
    this.#isTerminated = true
    this.#worker.terminate()
    this.#watch()
  }

  #receive(told: Told): void {
    switch (told.corepool) {
      case "begun":
        this.#watch()
        break
      case "exit":
        this.#code = told.code
        break
      case "error":
        for (const listener of this.#listeners.error) listener(told.error)
        break
      default: // a message of a task
    }
  }

  #fail(event: WorkerEvent): void {
    event.preventDefault()
    if (this.#isWatched) return
    const error = new Error(
      `The worker of corepool could not be started: ${event.message ?? "its module was not loaded"}`,
    )
    for (const listener of this.#listeners.error) listener(error)
    this.terminate()
  }

  /**
   * Waits for the worker's lock. A worker that was terminated before it had its lock never begins: this thread has the
   * lock first.
   */
  #watch(): void {
    if (this.#isWatched) return
    this.#isWatched = true
    void scope.navigator?.locks?.request(this.#life, () => this.#ended())
  }

  #ended(): void {
    this.#worker.terminate() // a worker that has closed itself is gone already
    for (const ended of watchers) ended(this.#id)
    for (const listener of this.#listeners.exit) listener(this.#code)
  }
}

/** What a `workerFactory` has to return. */
export const KIND_OF_WORKER = 'a Worker: (options) => new Worker(url, { type: "module", name: options.name })'

/** The thread of a worker that a `workerFactory` has made; undefined if it is no worker. */
export function adopted(made: unknown, options: WorkerOptions): RuntimeThread | undefined {
  if (typeof Worker === "undefined" || !(made instanceof Worker)) return undefined
  return new RuntimeThread("", options, made)
}

declare const Worker: new (url: URL, options: object) => WebWorker

/** Bundlers know this form, with the global name, and put the module and what it imports beside the program. */
function startWorkerModule(name: string): WebWorker {
  if (typeof Worker === "undefined") throw new UnsupportedOperationError("This thread cannot start workers")
  return new Worker(new URL("./worker.js", import.meta.url), { type: "module", name })
}

/** Throws if threads cannot share memory here, and says what is missing. */
export function requireIsolation(): void {
  if (scope.crossOriginIsolated === true && scope.navigator?.locks !== undefined) return
  throw new UnsupportedOperationError(
    "Platform threads need a page that is isolated from other origins. Send it with the headers `Cross-Origin-Opener-Policy: same-origin` and `Cross-Origin-Embedder-Policy: require-corp`, over HTTPS or from localhost. Virtual threads work without: `virtualThreads()`. See https://github.com/corepool/corepool/blob/main/docs/guide/browser.md",
  )
}

/** Other threads start workers too, and must not give the same number. */
function newId(): number {
  const numbers = crypto.getRandomValues(new Uint32Array(1))
  return ((numbers[0] as number) >>> 2) + 1
}
