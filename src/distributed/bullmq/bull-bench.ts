/**
 * How one node takes jobs and reports their ends, as far as BullMQ's backends for PostgreSQL and for Redis do it alike. What they do not do alike, or not in
 * one step, is in the two subclasses.
 */
import { MAX_VALUE } from "../../checks.ts"
import type { BullBackend, BullFinish } from "./bull-types.ts"
import { asClaim, type Bench, type Claim, type Hold, type StoredData } from "./store.ts"

/** A node that takes a job decides by the job's own limit whether it is given up. BullMQ's limit is never reached. */
export const NEVER_GIVEN_UP: { readonly maxStalledCount: number } = { maxStalledCount: MAX_VALUE }

export abstract class BullBench implements Bench {
  protected readonly backend: BullBackend
  readonly #node: string
  readonly #lockDuration: number
  readonly #now: () => number

  constructor(backend: BullBackend, node: string, lockDuration: number, now: () => number) {
    this.backend = backend
    this.#node = node
    this.#lockDuration = lockDuration
    this.#now = now
  }

  async claim(token: string): Promise<Claim> {
    return asClaim(await this.backend.moveToActive(token, this.#node))
  }

  async complete(hold: Hold, outcome: string, remove: boolean, next: boolean): Promise<Claim | undefined> {
    return nextOf(await this.backend.moveToCompleted(finished(hold), outcome, remove, hold.token, next), next)
  }

  async fail(hold: Hold, reason: string, remove: boolean, next: boolean): Promise<Claim | undefined> {
    return nextOf(await this.backend.moveToFailed(finished(hold), reason, remove, hold.token, next), next)
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

  abstract held(tokens: readonly string[]): Promise<Hold[]>
  abstract rewrite(hold: Hold, data: StoredData): Promise<boolean>
  abstract recover(): Promise<void>
  abstract wait(ms: number, signal: AbortSignal): Promise<void>
}

/** BullMQ compares how often a job that has failed was tried with how often it may be, only to tell of it: more than all of them. */
function finished({ jobId }: Hold): object {
  return { id: jobId, opts: { attempts: MAX_VALUE } }
}

function nextOf({ result }: BullFinish, next: boolean): Claim | undefined {
  return next ? asClaim(result) : undefined
}
