import { guarded } from "../memory/flow/guard.ts"
import type { PoolInfo, TaskOutcome, ThreadInfo } from "../observing.ts"
import type { PoolEvent } from "./event-source.ts"

/** With this many events the listeners are called at once. */
const MOST_WAITING = 8192

/** What gets the events. */
export type Sink = (events: readonly PoolEvent[]) => void

/** The events that listeners have not got yet, and the listeners. Without a listener, nothing is kept. */
export class EventLog {
  readonly #sinks = new Set<Sink>()
  #events: PoolEvent[] = []
  /** Whether an event is older than the one before it. Threads write by themselves, and are read one by one. */
  #isMixed = false
  #last = 0

  get isHeard(): boolean {
    return this.#sinks.size > 0
  }

  add(sink: Sink): void {
    this.#sinks.add(sink)
  }

  remove(sink: Sink): void {
    this.#sinks.delete(sink)
  }

  push(
    kind: PoolEvent["kind"],
    time: number,
    pool: PoolInfo,
    thread: ThreadInfo | undefined,
    task = 0,
    name = "",
    outcome?: TaskOutcome,
    from?: ThreadInfo,
  ): void {
    if (this.#sinks.size === 0) return
    if (time < this.#last) this.#isMixed = true
    else this.#last = time
    if (this.#events.push({ kind, time, pool, thread, task, name, outcome, from }) >= MOST_WAITING) this.deliver()
  }

  /** Calls the listeners with the events in the order of their times. */
  deliver(): void {
    if (this.#events.length === 0) return
    const events = this.#events
    this.#events = []
    if (this.#isMixed) events.sort((one, other) => one.time - other.time)
    this.#isMixed = false
    for (const sink of this.#sinks) guarded(() => sink(events))
  }
}
