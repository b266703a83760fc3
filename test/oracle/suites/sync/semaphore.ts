/** A Semaphore in suite sync. */
import { Semaphore } from "corepool"
import { flag, integer, type JsonObject, string } from "../../json.ts"
import { VOID } from "../../results.ts"
import { asVoid, type Manner, type NameOf, type Posted, queueOf, type Subject, unknownOp } from "./subject.ts"

/** More than all scenarios together ask for. */
const PLENTY = 1_000_000

export class SemaphoreSubject implements Subject {
  readonly #setup: JsonObject
  readonly #semaphore: Semaphore

  private constructor(setup: JsonObject, semaphore: Semaphore) {
    this.#setup = setup
    this.#semaphore = semaphore
  }

  static make(setup: JsonObject): SemaphoreSubject {
    return new SemaphoreSubject(setup, new Semaphore(integer(setup, "permits"), { fair: flag(setup, "fair") }))
  }

  static open({ setup, synchronizer }: Posted): SemaphoreSubject {
    return new SemaphoreSubject(setup, Semaphore.from(synchronizer))
  }

  post(): Posted {
    return { setup: this.#setup, synchronizer: this.#semaphore, conditions: [] }
  }

  perform(op: JsonObject, manner: Manner): unknown {
    const semaphore = this.#semaphore
    const blocking = manner === "blocking"
    switch (string(op, "do")) {
      case "acquire": {
        const permits = integer(op, "permits")
        return asVoid(blocking ? semaphore.acquireSync(permits) : semaphore.acquire(permits))
      }
      case "acquireUninterruptibly": {
        const permits = integer(op, "permits")
        return asVoid(
          blocking ? semaphore.acquireUninterruptiblySync(permits) : semaphore.acquireUninterruptibly(permits),
        )
      }
      case "tryAcquire":
        return semaphore.tryAcquire(integer(op, "permits"))
      case "tryAcquireTimed": {
        const [permits, ms] = [integer(op, "permits"), integer(op, "timeoutMs")]
        return blocking ? semaphore.tryAcquireSync(permits, ms) : semaphore.tryAcquire(permits, ms)
      }
      case "release":
        semaphore.release(integer(op, "permits"))
        return VOID
      case "reducePermits":
        semaphore.reducePermits(integer(op, "permits"))
        return VOID
      case "drainPermits":
        return semaphore.drainPermits()
      case "hasQueuedThreads":
        return semaphore.hasQueuedThreads
      case "isFair":
        return semaphore.isFair
      default:
        throw unknownOp(op)
    }
  }

  snapshot(nameOf: NameOf): JsonObject {
    return {
      availablePermits: this.#semaphore.availablePermits,
      queueLength: this.#semaphore.queueLength,
      queued: queueOf(this.#semaphore, nameOf),
    }
  }

  waitersOf(): never[] {
    return []
  }

  letGo(): void {
    // Permits belong to nobody.
  }

  openUp(): void {
    if (this.#semaphore.hasQueuedThreads) this.#semaphore.release(PLENTY)
  }
}
