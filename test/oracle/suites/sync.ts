/**
 * Suite "sync": one lock, semaphore, latch or barrier, and actors `a1` … `a5` who use it. They are flows of one thread,
 * or worker threads that block or await: that is the business of their cast.
 */
import type { Cast } from "../cast.ts"
import { type JsonObject, maybeString, string } from "../json.ts"
import { VOID } from "../results.ts"
import type { Threads } from "../threads.ts"
import type { Driver } from "./driver.ts"
import type { Somebody, Subject } from "./sync/subject.ts"
import { makeSubject } from "./sync/subjects.ts"

export class SyncDriver implements Driver {
  readonly #subject: Subject
  readonly #cast: Cast
  readonly #nameOf = (somebody: Somebody): string => this.#cast.nameOf(somebody)

  constructor(setup: JsonObject, threads: Threads) {
    this.#subject = makeSubject(setup)
    this.#cast = threads.cast(this.#subject)
  }

  async step(op: JsonObject): Promise<JsonObject> {
    const seen = await this.#cast.step(
      op,
      () => this.#perform(op),
      () => this.#isPastTimeout(op),
    )
    return {
      ...seen,
      ...this.#subject.snapshot(this.#nameOf),
      blocked: this.#cast.blocked(),
      completed: this.#cast.newlyCompleted(),
    }
  }

  async close(): Promise<void> {
    await this.#cast.close()
  }

  /** What the driver does itself. */
  #perform(op: JsonObject): unknown {
    switch (string(op, "do")) {
      case "interrupt":
        this.#cast.interrupt(string(op, "actor"))
        return VOID
      case "construct":
        makeSubject(op)
        return VOID
      default:
        return this.#subject.perform(op, "awaiting")
    }
  }

  /** A wait for a condition goes on after its time-out, until it has the lock again. */
  #isPastTimeout(op: JsonObject): boolean {
    const condition = maybeString(op, "condition")
    if (condition === undefined) return false
    return !this.#subject.waitersOf(condition).map(this.#nameOf).includes(string(op, "by"))
  }
}
