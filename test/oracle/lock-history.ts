/**
 * What the recorded trace of a read-write lock tells between the lines: who waits for itself. Read from the recording
 * alone, as in history.ts.
 */
import { type JsonObject, maybeString, objects, string, strings } from "./json.ts"
import type { Step } from "./trace.ts"

export interface LockFacts {
  /** `"a1:writeLock"` if a1, which reads, has begun in this step to wait until nobody reads, whatever interrupts come. */
  readonly waitsForItself: string | undefined
}

const READ_LOCKS: readonly string[] = ["readLock", "readLockInterruptibly", "tryReadLock", "tryReadLockTimed"]

export class LockHistory {
  /** How often each actor holds the read lock. */
  readonly #reads = new Map<string, number>()

  /** Takes in the next step. */
  advance({ op, expect }: Step): LockFacts {
    for (const outcome of objects(expect, "completed")) this.#note(outcome)
    const by = maybeString(op, "by")
    if (by === undefined || op["do"] !== "writeLock" || (this.#reads.get(by) ?? 0) === 0) {
      return { waitsForItself: undefined }
    }
    const entry = `${by}:writeLock`
    return { waitsForItself: strings(expect, "blocked").includes(entry) ? entry : undefined }
  }

  #note(outcome: JsonObject): void {
    if ("thrown" in outcome || outcome["returned"] === false) return
    const [by, what] = [string(outcome, "by"), string(outcome, "do")]
    const reads = this.#reads.get(by) ?? 0
    if (READ_LOCKS.includes(what)) this.#reads.set(by, reads + 1)
    if (what === "readUnlock") this.#reads.set(by, reads - 1)
  }
}
