import type { RateLimiter } from "../../sync/rate-limiter.ts"

/** The parts of a pool that only few pools have. */
export interface Extras {
  /** If the workers have tasks of their own: see platform/queue/deques.ts. */
  readonly deques?: Int32Array
  readonly limiter?: RateLimiter | undefined
}
