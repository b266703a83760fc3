/** A CountDownLatch in suite sync. */
import { CountDownLatch } from "corepool"
import { integer, type JsonObject, string } from "../../json.ts"
import { VOID } from "../../results.ts"
import { asVoid, type Manner, type Posted, type Subject, unknownOp } from "./subject.ts"

export class CountDownLatchSubject implements Subject {
  readonly #setup: JsonObject
  readonly #latch: CountDownLatch

  private constructor(setup: JsonObject, latch: CountDownLatch) {
    this.#setup = setup
    this.#latch = latch
  }

  static make(setup: JsonObject): CountDownLatchSubject {
    return new CountDownLatchSubject(setup, new CountDownLatch(integer(setup, "count")))
  }

  static open({ setup, synchronizer }: Posted): CountDownLatchSubject {
    return new CountDownLatchSubject(setup, CountDownLatch.from(synchronizer))
  }

  post(): Posted {
    return { setup: this.#setup, synchronizer: this.#latch, conditions: [] }
  }

  perform(op: JsonObject, manner: Manner): unknown {
    const latch = this.#latch
    const blocking = manner === "blocking"
    switch (string(op, "do")) {
      case "await":
        return asVoid(blocking ? latch.awaitSync() : latch.await())
      case "awaitTimed": {
        const ms = integer(op, "timeoutMs")
        return blocking ? latch.awaitSync(ms) : latch.await(ms)
      }
      case "countDown":
        latch.countDown()
        return VOID
      case "getCount":
        return latch.count
      default:
        throw unknownOp(op)
    }
  }

  snapshot(): JsonObject {
    return { count: this.#latch.count }
  }

  waitersOf(): never[] {
    return []
  }

  letGo(): void {
    // Nobody holds a latch.
  }

  openUp(): void {
    while (this.#latch.count > 0) this.#latch.countDown()
  }
}
