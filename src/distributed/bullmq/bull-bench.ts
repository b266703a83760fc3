import { MAX_VALUE } from "../../checks.ts"
import type { BullBackend, BullJob } from "./bull-types.ts"
import type { Bench, Claim, End, Hold, StoredData } from "./store.ts"

/** A node that takes a job decides by the job's own limit whether to give it up. BullMQ's limit is never reached. */
export const NEVER_GIVEN_UP: { readonly maxStalledCount: number } = { maxStalledCount: MAX_VALUE }

/**
 * How one node delays jobs, gives them back and renews their locks: what BullMQ's backends for PostgreSQL and for Redis
 * do alike. What they do differently, or not in one step, is in the two subclasses.
 */
export abstract class BullBench implements Bench {
  protected readonly backend: BullBackend
  readonly #lockDuration: number
  readonly #now: () => number

  constructor(backend: BullBackend, lockDuration: number, now: () => number) {
    this.backend = backend
    this.#lockDuration = lockDuration
    this.#now = now
  }

  async delay({ jobId, token }: Hold, dueAt: number, reason: string | undefined): Promise<void> {
    const now = Math.round(this.#now())
    // Redis refuses an update of no fields.
    const options = reason === undefined ? { skipAttempt: true } : { fieldsToUpdate: { failedReason: reason } }
    await this.backend.moveToDelayed(jobId, now, Math.max(0, Math.round(dueAt) - now), token, options)
  }

  async giveBack({ jobId, token }: Hold): Promise<void> {
    await this.backend.moveJobFromActiveToWait(jobId, token)
  }

  renew(holds: readonly Hold[]): Promise<string[]> {
    const ids = holds.map(({ jobId }) => jobId)
    const tokens = holds.map(({ token }) => token)
    return this.backend.extendLocks(ids, tokens, this.#lockDuration)
  }

  abstract claim(tokens: readonly string[]): Promise<Claim>
  abstract end(end: End): Promise<BullJob | undefined>
  abstract held(tokens: readonly string[]): Promise<Hold[]>
  abstract rewrite(hold: Hold, data: StoredData): Promise<boolean>
  abstract recover(): Promise<void>
  abstract wait(ms: number, signal: AbortSignal): Promise<void>
}
