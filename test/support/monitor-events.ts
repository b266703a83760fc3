/** Events as a busy process would tell them, for tests of the monitor's lanes. */
import type { EventSource, PoolEvent, PoolInfo, ThreadInfo } from "#src/events/event-source.js"

export class MadeEvents implements EventSource {
  readonly #callbacks = new Set<(events: readonly PoolEvent[]) => void>()
  readonly pool: PoolInfo = { id: 1, name: "images", isVirtual: false }
  dropped = 0

  listen(callback: (events: readonly PoolEvent[]) => void): { drain(): void; stop(): void; dropped: number } {
    this.#callbacks.add(callback)
    // oxlint-disable-next-line typescript/no-this-alias -- the getter below is of another object
    const events = this
    return {
      drain: () => undefined,
      stop: () => void this.#callbacks.delete(callback),
      get dropped() {
        return events.dropped
      },
    }
  }

  now(): number {
    return Date.now()
  }

  futureOf(): undefined {
    return undefined
  }

  get isHeard(): boolean {
    return this.#callbacks.size > 0
  }

  tell(...events: readonly PoolEvent[]): void {
    for (const callback of this.#callbacks) callback(events)
  }

  event(kind: PoolEvent["kind"], time: number, more: Partial<PoolEvent> = {}): PoolEvent {
    return { kind, time, pool: this.pool, thread: undefined, task: 0, name: "", outcome: undefined, ...more }
  }

  /** A task from its submission to its end. */
  task(
    thread: ThreadInfo,
    task: number,
    name: string,
    start: number,
    ms: number,
    outcome: PoolEvent["outcome"] = "success",
  ): PoolEvent[] {
    return [
      this.event("submitted", start - 2, { task, name }),
      this.event("began", start, { thread, task, name }),
      this.event("ended", start + ms, { thread, task, name, outcome }),
    ]
  }
}
