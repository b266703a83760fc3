import { runtime } from "#host/runtime/clock"
import { processFacts } from "#host/server/process-facts"
import type { EventSource, Listening, PoolEvent } from "../events/event-source.ts"
import { eventSource } from "../events/listening.ts"
import type { MeasuredPool } from "../prometheus/pool-facts.ts"
import { traceOfEvents } from "./trace-of-events.ts"
import type { ChromeTrace } from "./trace-writer.ts"

/** More events than that are not kept: a task has four, and a file of so many is as large as viewers can open. */
const MOST_EVENTS = 2_000_000

/** A recording that is under way. */
export interface Recording extends Disposable {
  /**
   * Ends the recording. Further calls return the same trace.
   *
   * @returns What has happened since `record` was called, as an object for `JSON.stringify`.
   */
  stop(): ChromeTrace
}

/**
 * Records what the pools of this thread do, until `stop()` is called: a lane for each thread with its tasks and their
 * waits, arrows from submissions to runs, steals, the number of tasks that wait, and the deaths of threads. The file
 * opens in Perfetto (https://ui.perfetto.dev) and in Chrome (`chrome://tracing`).
 *
 * A recording has the names of functions, but no arguments, results or errors. It keeps at most two million events. Of
 * what comes after them, only the number is known.
 *
 * @param pools The pools to record; default all pools that this thread has made or makes.
 * @throws TypeError if one of them is no pool of this thread.
 *
 * @example
 * ```ts
 * import { Executors } from "corepool"
 * import { record } from "corepool/trace"
 *
 * await using pool = Executors.newFixedThreadPool(4)
 * const recording = record()
 * await pool.submit((n: number) => n + 1, 1)
 * console.log(JSON.stringify(recording.stop()))
 * ```
 */
export function record(pools?: Iterable<MeasuredPool>): Recording {
  return recordFrom(eventSource, pools)
}

/** With events from a source of the caller's own. */
export function recordFrom(source: EventSource, pools?: Iterable<object>): Recording {
  return new EventRecording(source, pools)
}

class EventRecording implements Recording {
  readonly #source: EventSource
  readonly #from: number
  readonly #started: number
  readonly #listening: Listening
  #events: PoolEvent[] = []
  #surplus = 0
  #trace: ChromeTrace | undefined

  constructor(source: EventSource, pools: Iterable<object> | undefined) {
    this.#source = source
    this.#from = source.now()
    this.#started = runtime.wallTime()
    this.#listening = source.listen((events) => this.#add(events), pools)
  }

  #add(events: readonly PoolEvent[]): void {
    const room = MOST_EVENTS - this.#events.length
    for (const event of events.slice(0, Math.max(0, room))) this.#events.push(event)
    this.#surplus += Math.max(0, events.length - room)
  }

  stop(): ChromeTrace {
    if (this.#trace !== undefined) return this.#trace
    this.#listening.drain()
    this.#listening.stop()
    const { pid, program } = processFacts()
    const dropped = this.#listening.dropped + this.#surplus
    const times = { from: this.#from, to: this.#source.now(), started: this.#started }
    this.#trace = traceOfEvents(this.#events, { ...times, dropped, pid, program })
    this.#events = []
    return this.#trace
  }

  [Symbol.dispose](): void {
    this.#listening.stop()
  }
}
