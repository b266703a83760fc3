/** The actors of a scenario of suite sync, whatever kind of threads they are. */
import { Actors } from "./actors.ts"
import type { JsonObject } from "./json.ts"
import type { Somebody, Subject } from "./suites/sync/subject.ts"

export interface Cast {
  /**
   * Performs an op, by the actor that it names or else by `drive`, and waits until all is quiet, and a short time-out is
   * over. What only a cast can tell comes back: the `result` of the driver, for instance.
   */
  step(op: JsonObject, drive: () => unknown, isPastTimeout: () => boolean): Promise<JsonObject>
  interrupt(name: string): void
  nameOf(somebody: Somebody): string
  /** `"a1:lock"` of every actor whose op has not completed. */
  blocked(): string[]
  /** The ops that completed since the last call, by actor. */
  newlyCompleted(): JsonObject[]
  close(): void | Promise<void>
}

/** Actors that are flows of this thread. */
export class FlowCast implements Cast {
  readonly #subject: Subject
  readonly #actors = new Actors()

  constructor(subject: Subject) {
    this.#subject = subject
  }

  step(op: JsonObject, drive: () => unknown, isPastTimeout: () => boolean): Promise<JsonObject> {
    const perform = "by" in op ? () => this.#subject.perform(op, "awaiting") : drive
    const signature = (): string => JSON.stringify(this.#subject.snapshot((somebody) => this.nameOf(somebody)))
    return this.#actors.step(op, perform, { signature, isPastTimeout })
  }

  interrupt(name: string): void {
    this.#actors.interrupt(name)
  }

  nameOf({ thread, flow }: Somebody): string {
    return this.#actors.nameOf(flow) ?? `flow ${flow} of thread ${thread}`
  }

  blocked(): string[] {
    return this.#actors.blocked()
  }

  newlyCompleted(): JsonObject[] {
    return this.#actors.newlyCompleted()
  }

  close(): void {
    this.#actors.close()
  }
}
