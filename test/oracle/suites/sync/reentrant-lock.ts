/** A ReentrantLock with its conditions in suite sync. */
import { SYNC } from "#src/lock/internals.js"
import { ReentrantLock } from "corepool"
import { flag, integer, type JsonObject, string } from "../../json.ts"
import { VOID } from "../../results.ts"
import { Conditions } from "./conditions.ts"
import {
  asVoid,
  type Manner,
  type NameOf,
  type Posted,
  queueOf,
  type Somebody,
  type Subject,
  unknownOp,
} from "./subject.ts"

/** What the declarations that tests see leave out, as internal. */
interface Inside {
  readonly [SYNC]: { holder(): (Somebody & { readonly holds: number }) | undefined }
}

export class ReentrantLockSubject implements Subject {
  readonly #setup: JsonObject
  readonly #lock: ReentrantLock
  readonly #conditions: Conditions

  private constructor(setup: JsonObject, lock: ReentrantLock, conditions: Conditions) {
    this.#setup = setup
    this.#lock = lock
    this.#conditions = conditions
  }

  static make(setup: JsonObject): ReentrantLockSubject {
    const lock = new ReentrantLock({ fair: flag(setup, "fair") })
    return new ReentrantLockSubject(setup, lock, Conditions.of(lock, setup))
  }

  static open(posted: Posted): ReentrantLockSubject {
    const lock = ReentrantLock.from(posted.synchronizer)
    return new ReentrantLockSubject(posted.setup, lock, Conditions.from(lock, posted))
  }

  post(): Posted {
    return { setup: this.#setup, synchronizer: this.#lock, conditions: this.#conditions.post() }
  }

  perform(op: JsonObject, manner: Manner): unknown {
    const lock = this.#lock
    const blocking = manner === "blocking"
    if ("condition" in op) return this.#conditions.perform(op, manner)
    switch (string(op, "do")) {
      case "lock":
        return asVoid(blocking ? lock.lockSync() : lock.lock())
      case "lockInterruptibly":
        return asVoid(blocking ? lock.lockInterruptiblySync() : lock.lockInterruptibly())
      case "tryLock":
        return lock.tryLock()
      case "tryLockTimed": {
        const ms = integer(op, "timeoutMs")
        return blocking ? lock.tryLockSync(ms) : lock.tryLock(ms)
      }
      case "unlock":
        lock.unlock()
        return VOID
      case "getHoldCount":
        return lock.holdCount
      case "isHeldByCurrentThread":
        return lock.isHeldByCurrentThread
      case "isLocked":
        return lock.isLocked
      case "hasQueuedThreads":
        return lock.hasQueuedThreads
      default:
        throw unknownOp(op)
    }
  }

  snapshot(nameOf: NameOf): JsonObject {
    const holder = (this.#lock as unknown as Inside)[SYNC].holder()
    return {
      owner: holder === undefined ? null : nameOf(holder),
      holdCount: holder?.holds ?? 0,
      queueLength: this.#lock.queueLength,
      queued: queueOf(this.#lock, nameOf),
      ...this.#conditions.snapshot(nameOf),
    }
  }

  waitersOf(condition: string): readonly Somebody[] {
    return this.#conditions.waitersOf(condition)
  }

  letGo(): void {
    while (this.#lock.isHeldByCurrentThread) this.#lock.unlock()
  }

  openUp(): void {
    if (!this.#lock.tryLock()) return
    this.#conditions.signalAll()
    this.#lock.unlock()
  }
}
