/** A ReentrantReadWriteLock, with conditions of its write lock, in suite sync. */
import { SYNC } from "#src/lock/internals.js"
import { ReentrantReadWriteLock } from "corepool"
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
  readonly [SYNC]: { writer(): (Somebody & { readonly holds: number }) | undefined }
}

export class ReadWriteLockSubject implements Subject {
  readonly #setup: JsonObject
  readonly #lock: ReentrantReadWriteLock
  readonly #conditions: Conditions

  private constructor(setup: JsonObject, lock: ReentrantReadWriteLock, conditions: Conditions) {
    this.#setup = setup
    this.#lock = lock
    this.#conditions = conditions
  }

  static make(setup: JsonObject): ReadWriteLockSubject {
    const lock = new ReentrantReadWriteLock({ fair: flag(setup, "fair") })
    return new ReadWriteLockSubject(setup, lock, Conditions.of(lock.writeLock, setup))
  }

  static open(posted: Posted): ReadWriteLockSubject {
    const lock = ReentrantReadWriteLock.from(posted.synchronizer)
    return new ReadWriteLockSubject(posted.setup, lock, Conditions.from(lock.writeLock, posted))
  }

  post(): Posted {
    return { setup: this.#setup, synchronizer: this.#lock, conditions: this.#conditions.post() }
  }

  perform(op: JsonObject, manner: Manner): unknown {
    const { readLock, writeLock } = this.#lock
    const blocking = manner === "blocking"
    if ("condition" in op) return this.#conditions.perform(op, manner)
    switch (string(op, "do")) {
      case "readLock":
        return asVoid(blocking ? readLock.lockSync() : readLock.lock())
      case "readLockInterruptibly":
        return asVoid(blocking ? readLock.lockInterruptiblySync() : readLock.lockInterruptibly())
      case "tryReadLock":
        return readLock.tryLock()
      case "tryReadLockTimed": {
        const ms = integer(op, "timeoutMs")
        return blocking ? readLock.tryLockSync(ms) : readLock.tryLock(ms)
      }
      case "readUnlock":
        readLock.unlock()
        return VOID
      case "writeLock":
        return asVoid(blocking ? writeLock.lockSync() : writeLock.lock())
      case "writeLockInterruptibly":
        return asVoid(blocking ? writeLock.lockInterruptiblySync() : writeLock.lockInterruptibly())
      case "tryWriteLock":
        return writeLock.tryLock()
      case "tryWriteLockTimed": {
        const ms = integer(op, "timeoutMs")
        return blocking ? writeLock.tryLockSync(ms) : writeLock.tryLock(ms)
      }
      case "writeUnlock":
        writeLock.unlock()
        return VOID
      case "getReadHoldCount":
        return this.#lock.readHoldCount
      case "getWriteHoldCount":
        return this.#lock.writeHoldCount
      case "isWriteLockedByCurrentThread":
        return this.#lock.isWriteLockedByCurrentThread
      case "readLockNewCondition":
        readLock.newCondition()
        return VOID
      default:
        throw unknownOp(op)
    }
  }

  snapshot(nameOf: NameOf): JsonObject {
    const writer = (this.#lock as unknown as Inside)[SYNC].writer()
    return {
      writer: writer === undefined ? null : nameOf(writer),
      writeHoldCount: writer?.holds ?? 0,
      readLockCount: this.#lock.readLockCount,
      queueLength: this.#lock.queueLength,
      queued: queueOf(this.#lock, nameOf),
      ...this.#conditions.snapshot(nameOf),
    }
  }

  waitersOf(condition: string): readonly Somebody[] {
    return this.#conditions.waitersOf(condition)
  }

  letGo(): void {
    while (this.#lock.isWriteLockedByCurrentThread) this.#lock.writeLock.unlock()
    while (this.#lock.readHoldCount > 0) this.#lock.readLock.unlock()
  }

  openUp(): void {
    if (!this.#lock.writeLock.tryLock()) return
    this.#conditions.signalAll()
    this.#lock.writeLock.unlock()
  }
}
