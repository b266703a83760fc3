import { LOCAL } from "../memory/shared/shareables.ts"
import type { Guard } from "./lock.ts"

/** Returned by `lock()`: unlocks at the end of a block, or before, but once. */
export class LockGuard implements Guard {
  #lock: { unlock(): void } | undefined

  constructor(lock: { unlock(): void }) {
    this.#lock = lock
  }

  /** @internal */
  get [LOCAL](): string {
    return "belongs to the task that has locked: send the lock"
  }

  unlock(): void {
    if (this.#lock === undefined) return
    this.#lock.unlock() // if the task does not hold the lock, this throws and the guard remains as it was
    this.#lock = undefined
  }

  [Symbol.dispose](): void {
    this.unlock()
  }
}
