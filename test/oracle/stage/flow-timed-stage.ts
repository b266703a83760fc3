/** Tasks of suite "scheduled" on virtual threads: closures that write into an array. */
import { type Callable, Thread, type ThreadFactory, virtualThreads } from "corepool"
import { quiescence } from "../quiescence.ts"
import { type Event, playTimed, type TimedPart, type TimedWings } from "./timed-part.ts"
import type { Entry, TimedCompany, TimedStage } from "./timed-stage.ts"

export class FlowTimedStage implements TimedStage, TimedWings {
  readonly #company: TimedCompany
  readonly #log: Entry[] = []
  #read = 0

  constructor(company: TimedCompany) {
    this.#company = company
  }

  factory(): ThreadFactory {
    return virtualThreads()
  }

  callable(part: TimedPart): Callable<unknown> {
    return Object.defineProperty(() => playTimed(part, this), "name", { value: part.name })
  }

  news(): Entry[] {
    const news = this.#log.slice(this.#read)
    this.#read = this.#log.length
    return news
  }

  async quiet(signature: () => string): Promise<void> {
    await quiescence(() => `${signature()} ${this.#log.length}`)
  }

  close(): void {}

  // ------------------------------------------------------------------ for the tasks

  started(part: TimedPart): number {
    const run = this.#log.filter(({ number, event }) => number === part.number && event === "started").length + 1
    this.#note(part, run, "started")
    return run
  }

  ended(part: TimedPart, run: number, how: Exclude<Event, "started">): void {
    this.#note(part, run, how)
  }

  sleep(ms: number): Promise<void> {
    return Thread.sleep(ms)
  }

  cancel({ number }: TimedPart): void {
    this.#company.cancel(number)
  }

  #note({ number }: TimedPart, run: number, event: Event): void {
    this.#log.push({ number, run, event, at: Date.now() })
  }
}
