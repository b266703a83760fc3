/**
 * A queue engine in memory, for tests: what `postgres(…)` and `redis(…)` are, without a server. Executors and nodes that are given the same
 * MemoryEngine have the same queues, as if they were processes on several machines.
 *
 * It does one thing after the other, in the order in which it was asked, each some microtasks later; nothing waits for real time, but for what
 * the clock of the engine says. Tests bring about what goes wrong:
 *
 *     engine.refuseAdds(new Error("disk full"))   until acceptAdds()
 *     engine.holdEvents()                          what happens is told only after releaseEvents()
 *     engine.loseEvents()                          it is never told; recover() says `gap` to all listeners
 *     engine.kill("node-1")                        this node is dead: its jobs go to others, what it reports is refused
 *     engine.cutOff("node-1")                      the same, and the node hears that its locks are lost
 */
import type { Clock } from "corepool"
import type { ControlMessage, Engine, EngineListener, EngineQueue } from "#src/distributed/job/engine.js"
import type { NodeRecord } from "#src/executor/fleet-records.js"
import { systemClock } from "#src/time/clock.js"
import { MemoryQueue } from "./memory-queue.ts"
import { type MemoryJob, MemoryStore } from "./memory-store.ts"

export interface MemoryEngineOptions {
  /** For due times; default the system's. */
  readonly clock?: Clock
  /** By how many milliseconds the clock of the engine is ahead of that of this process. */
  readonly ahead?: number
}

export class MemoryEngine implements Engine {
  readonly clock: Clock
  readonly ahead: number
  readonly #stores = new Map<string, MemoryStore>()
  readonly #queues = new Set<MemoryQueue>()
  readonly #held: (() => void)[] = []
  /** A program with a node stays alive. */
  #life: NodeJS.Timeout | undefined
  #events: "told" | "held" | "lost" = "told"
  #refusal: Error | undefined
  #removal: Error | undefined
  #finding: { readonly error: Error; left: number } | undefined
  #isLate = false
  #onAdd: (() => void) | undefined
  #isUnreachable: Error | undefined
  /** How often `add` was called and has succeeded: one for each round trip. */
  adds = 0
  /** What `remove` waits for. */
  removing: Promise<void> = Promise.resolve()

  constructor(options: MemoryEngineOptions = {}) {
    this.clock = options.clock ?? systemClock
    this.ahead = options.ahead ?? 0
  }

  async open(queue: string, role: "executor" | "node"): Promise<EngineQueue> {
    await Promise.resolve()
    if (this.#isUnreachable !== undefined) throw this.#isUnreachable
    let store = this.#stores.get(queue)
    if (store === undefined) this.#stores.set(queue, (store = new MemoryStore(this)))
    const opened = new MemoryQueue(this, store, role)
    this.#queues.add(opened)
    if (role === "node") this.#life ??= setInterval(() => undefined, 2 ** 31 - 1)
    return opened
  }

  toString(): string {
    return "memory"
  }

  now(): number {
    return this.clock.wallTime() + this.ahead
  }

  // ------------------------------------------------------------------ faults

  /** Nothing can be opened until {@link beReachable}. */
  beUnreachable(error: Error): void {
    this.#isUnreachable = error
  }

  beReachable(): void {
    this.#isUnreachable = undefined
  }

  /** With `afterAdding` the jobs are there, but whoever has added them hears of an error. */
  refuseAdds(error: Error, { afterAdding = false } = {}): void {
    this.#refusal = error
    this.#isLate = afterAdding
  }

  /** `find` fails with this error, so many times. */
  breakFinds(error: Error, times: number): void {
    this.#finding = { error, left: times }
  }

  requireFinding(): void {
    if (this.#finding !== undefined && this.#finding.left-- > 0) throw this.#finding.error
  }

  /** `remove` fails with this error, until it is undefined. */
  breakRemoves(error: Error | undefined): void {
    this.#removal = error
  }

  /** `remove` waits until the function is called that this gives. */
  holdRemoves(): () => void {
    let release = (): void => undefined
    this.removing = new Promise((resolve) => (release = resolve))
    return release
  }

  requireRemoving(): void {
    if (this.#removal !== undefined) throw this.#removal
  }

  /** Calls this while jobs are on their way, once; fulfilled then. */
  whenAdding(call: () => void): Promise<void> {
    return new Promise((resolve) => {
      this.#onAdd = () => {
        this.#onAdd = undefined
        call()
        resolve()
      }
    })
  }

  acceptAdds(): void {
    this.#refusal = undefined
  }

  requireAccepting(isAdded: boolean): void {
    if (isAdded) this.#onAdd?.()
    if (this.#refusal !== undefined && this.#isLate === isAdded) throw this.#refusal
  }

  holdEvents(): void {
    this.#events = "held"
  }

  releaseEvents(): void {
    this.#events = "told"
    for (const tell of this.#held.splice(0)) tell()
  }

  loseEvents(): void {
    this.#events = "lost"
  }

  recover(): void {
    this.#events = "told"
    for (const queue of this.#queues) queue.tell((listener) => listener.gap())
  }

  kill(node: string): void {
    for (const store of this.#stores.values()) store.lose(node, false)
  }

  cutOff(node: string): void {
    for (const store of this.#stores.values()) store.lose(node, true)
  }

  /** The node of this name is heard again: it takes jobs as before. */
  reconnect(node: string): void {
    for (const store of this.#stores.values()) store.find(node)?.revive()
  }

  /** As if the task of this job had reported progress. */
  async report(queue: string, id: string, value: unknown): Promise<void> {
    const job = this.#stores.get(queue)?.jobs.get(id)
    if (job?.claimed === undefined) throw new Error(`No job ${id} is active`)
    await job.claimed.progress(value)
  }

  // ------------------------------------------------------------------ looking

  /** The jobs of a queue that are there, in the order in which they were added. */
  jobs(queue: string): MemoryJob[] {
    return [...(this.#stores.get(queue)?.jobs.values() ?? [])]
  }

  /** How many connections are open. */
  get connections(): number {
    return this.#queues.size
  }

  // ------------------------------------------------------------------ for queues

  /** Tells the listeners of one queue, or not, as the test has it. */
  tell(store: MemoryStore, event: (listener: EngineListener) => void, isForNodes = false): void {
    const telling = (): void => {
      for (const queue of this.#queues) {
        if (queue.store === store && (isForNodes || queue.role === "executor")) queue.tell(event)
      }
    }
    if (this.#events === "told") telling()
    else if (this.#events === "held") this.#held.push(telling)
  }

  publish(store: MemoryStore, message: ControlMessage): void {
    this.tell(store, (listener) => listener.control(message), true)
  }

  closed(queue: MemoryQueue): void {
    this.#queues.delete(queue)
    if ([...this.#queues].some(({ role }) => role === "node")) return
    clearInterval(this.#life)
    this.#life = undefined
  }
}

/** The nodes that have announced themselves, with the time until which that counts. */
export type Announcements = Map<string, { readonly node: NodeRecord; readonly until: number }>
