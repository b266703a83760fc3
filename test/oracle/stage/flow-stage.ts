/** A stage of virtual threads: tasks are closures, and a gate is a queue of this thread. */
import {
  type Callable,
  InterruptedError,
  LinkedBlockingQueue,
  type Runnable,
  type Thread,
  type ThreadFactory,
  virtualThreads,
} from "corepool"
import type { JsonObject } from "../json.ts"
import { pause, quiescence } from "../quiescence.ts"
import { Journal } from "./journal.ts"
import { type Ending, type Part, play, type Wings, type Word } from "./part.ts"
import type { Company, Stage } from "./stage.ts"

export class FlowStage implements Stage, Wings {
  readonly #company: Company
  readonly #journal = new Journal()
  readonly #threads = new Set<Thread>()
  readonly #gates = new Map<Part, LinkedBlockingQueue<Word>>()
  readonly #started = new Set<Part>()

  constructor(company: Company) {
    this.#company = company
  }

  factory(uncaught?: (thread: Thread, error: unknown) => void): ThreadFactory {
    const threads = virtualThreads(uncaught === undefined ? {} : { uncaughtException: uncaught })
    return {
      isVirtual: true,
      newThread: (target) => {
        const thread = threads.newThread(target)
        if (thread != null) this.#threads.add(thread)
        return thread
      },
    }
  }

  get threadsMade(): number {
    return this.#threads.size
  }

  callable(part: Part): Callable<unknown> {
    return Object.defineProperty(() => play(part, this), "name", { value: part.name })
  }

  runnable(part: Part, priority: number): Runnable {
    return new OrderedRunnable(priority, part, (it) => play(it, this))
  }

  shortTime(ms: number): number {
    return ms
  }

  /** Virtual threads begin at once. */
  checkStarts(): void {}

  tell(part: Part, word: Word): void {
    this.#gateOf(part).add(word)
  }

  hasStarted(part: Part): boolean {
    return this.#started.has(part)
  }

  page(): JsonObject {
    return this.#journal.page()
  }

  async quiet(signature: () => string, settleMs = 0): Promise<void> {
    if (settleMs > 0) await pause(settleMs)
    await quiescence(() => `${signature()} ${this.#threads.size} ${this.#journal.length}`)
  }

  close(): void {
    for (const gate of this.#gates.values()) gate.add("release")
  }

  // ------------------------------------------------------------------ for the tasks

  isPoolThread(thread: Thread): boolean {
    return this.#threads.has(thread)
  }

  started(part: Part): void {
    this.#started.add(part)
    this.#journal.started(part.name)
  }

  ended(part: Part, how: Ending): void {
    this.#journal.ended(part.name, how)
  }

  execute(part: Part): void {
    this.#company.execute(part)
  }

  async pass(part: Part): Promise<Word | "interrupted"> {
    for (;;) {
      try {
        return await this.#gateOf(part).take()
      } catch (error) {
        if (!(error instanceof InterruptedError)) throw error
        if (!part.uninterruptible) return "interrupted"
      }
    }
  }

  #gateOf(part: Part): LinkedBlockingQueue<Word> {
    let gate = this.#gates.get(part)
    if (gate === undefined) this.#gates.set(part, (gate = new LinkedBlockingQueue()))
    return gate
  }
}

/** Has a natural order. */
class OrderedRunnable {
  readonly #priority: number
  readonly #part: Part
  readonly #body: (part: Part) => unknown

  constructor(priority: number, part: Part, body: (part: Part) => unknown) {
    this.#priority = priority
    this.#part = part
    this.#body = body
  }

  run(): unknown {
    return this.#body(this.#part)
  }

  compareTo(other: OrderedRunnable): number {
    return this.#priority - other.#priority || this.#part.number - other.#part.number
  }
}
