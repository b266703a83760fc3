/** An actor that is a worker thread, from the driver's side. It may be another actor in the next scenario. */
import { load } from "#src/memory/atomics.js"
import { LISTENING, THREAD } from "#src/memory/thread/thread-registry.js"
import { threadContext } from "#src/memory/thread/this-thread.js"
import { Worker } from "node:worker_threads"
import { type JsonObject, ScenarioError, string } from "../json.ts"
import type { Manner, Posted } from "../suites/sync/subject.ts"
import { ACTIVITY, type Order, type Report } from "./messages.ts"

/** Who plays the actor hears of what it does. */
export interface Audience {
  completed(outcome: JsonObject): void
  refused(op: JsonObject): void
  mistaken(error: unknown): void
}

export class ActorWorker {
  /** Names the thread in shared memory. */
  token = 0
  /** The op in flight. */
  current: JsonObject | undefined
  readonly #worker = new Worker(new URL("actor-thread.js", import.meta.url))
  readonly #manner: Manner
  #activity: Int32Array | undefined
  #audience: Audience | undefined
  #ready: () => void = () => undefined
  readonly #pongs: (() => void)[] = []
  /** Whether the op in flight awaits, and so leaves the event loop of its thread free to answer. */
  #awaits = false

  private constructor(manner: Manner) {
    this.#manner = manner
    this.#worker.on("message", (report: Report) => this.#hear(report))
    this.#worker.on("error", (error) => this.#mistaken(error))
    this.#worker.on("exit", (code) => this.#mistaken(new ScenarioError(`An actor's thread ended with ${code}`)))
  }

  static async start(manner: Manner): Promise<ActorWorker> {
    const actor = new ActorWorker(manner)
    await new Promise<void>((resolve) => (actor.#ready = resolve))
    return actor
  }

  /** A new scenario begins. */
  open(subject: Posted, audience: Audience): void {
    this.#audience = audience
    this.#send({ say: "open", subject, manner: this.#manner })
  }

  /** It starts the op at once; nobody waits for it here. */
  perform(op: JsonObject): void {
    if (this.current !== undefined) {
      throw new ScenarioError(`An actor is still in ${string(this.current, "do")} and cannot ${string(op, "do")}`)
    }
    this.current = op
    this.#awaits = this.#manner === "awaiting"
    this.#send({ say: "perform", op })
  }

  /** The scenario is over: gives back what it holds, unless it is blocked. It may even be what it waits for itself. */
  async letGo(): Promise<void> {
    if (this.current === undefined || this.#awaits) await this.#ask({ say: "letGo" })
  }

  interrupt(): void {
    threadContext().registry.interrupt(this.token)
  }

  async end(): Promise<void> {
    this.#audience = undefined
    await this.#worker.terminate()
  }

  #send(order: Order): void {
    this.#worker.postMessage(order)
  }

  #hear(report: Report): void {
    switch (report.say) {
      case "ready":
        this.token = report.token
        this.#activity = report.activity
        this.#ready()
        break
      case "refused":
        this.#awaits = true
        if (this.current !== undefined) this.#audience?.refused(this.current)
        break
      case "completed":
        this.current = undefined
        this.#audience?.completed(report.outcome)
        break
      case "pong":
        this.#pongs.shift()?.()
        break
      case "mistake":
        this.#mistaken(new ScenarioError(report.message))
    }
  }

  /** Nobody may wait for it any more. */
  #mistaken(error: unknown): void {
    this.#audience?.mistaken(error)
    this.#ready()
    for (const heard of this.#pongs.splice(0)) heard()
  }

  // ------------------------------------------------------------------ at rest

  /**
   * A number while it has nothing to do before somebody rings; undefined if it is about something. If a thread that blocks
   * gives the same number twice, it slept all the time in between, and nobody has rung. If it awaits, the same is true if it has also
   * answered in between: see {@link answer}.
   */
  get rest(): number | undefined {
    if (this.#activity === undefined) return undefined
    const { registry } = threadContext()
    // In this order: after a ring the word says LISTENING again only when the count has changed.
    if (load(registry.words, registry.entryOf(this.token) + THREAD.PARK) !== LISTENING) return undefined
    if (this.#awaits) return load(this.#activity, ACTIVITY.RINGS)
    const sleeps = load(this.#activity, ACTIVITY.SLEEPS)
    return sleeps % 2 === 0 ? undefined : sleeps
  }

  /** Settles when a thread that awaits has done whatever it was about: its event loop comes to the question only then. */
  async answer(): Promise<void> {
    if (this.#awaits) await this.#ask({ say: "ping" })
  }

  async #ask(order: Order): Promise<void> {
    const heard = new Promise<void>((resolve) => this.#pongs.push(resolve))
    this.#send(order)
    await heard
  }

  toString(): string {
    return `${this.current === undefined ? "idle" : string(this.current, "do")} (${this.rest === undefined ? "awake" : "at rest"})`
  }
}
