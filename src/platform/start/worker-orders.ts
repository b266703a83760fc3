/** What a worker thread gets when it begins. */
import { load, store } from "#atomics"
import type { Outputs } from "#host/threads/output"
import { types } from "#host/values/values"
import { IllegalStateError } from "../../errors.ts"
import { VERSION } from "../../per-thread.ts"
import { methodOf } from "../../primordials.ts"
import type { Recycling } from "../../thread/platform-threads.ts"
import type { ChannelEnd } from "../transport/channel.ts"
import type { PoolHandle } from "../memory/pool-memory.ts"

export interface Orders {
  /** The version of the corepool that gives the orders. */
  readonly version: string
  readonly pool: PoolHandle
  /** The number of the worker. */
  readonly worker: number
  /** To the thread that gives the orders. */
  readonly channel: ChannelEnd
  readonly name: string
  readonly id: number
  readonly outputs: Outputs
  readonly preload: readonly string[]
  /** Modules that the thread runs before it ends in order. */
  readonly teardown: readonly string[]
  /** When the thread is to be replaced. */
  readonly recycle: Recycling | undefined
  /** Whether the thread loads the modules of `preload` only when it has a task. */
  readonly preloadsLate: boolean
  /** What the thread says of itself: see {@link STAGE} and {@link FAREWELL}. */
  readonly progress: Int32Array
}

/** A word of `progress`: how far the thread has come. */
export const STAGE = 0
/** Values of STAGE. */
export const PRELOADING = 1
export const READY = 2

/** A word of `progress`: the exit code plus one, when the thread is about to end, and not because of an error. */
export const FAREWELL = 1

/**
 * A word of `progress`: 1 when the thread ends because of an error, or after one, and the runtime has reported all that
 * it reports.
 */
export const SAID_ALL = 2

/**
 * The exit code of a thread that has stopped because its own code has failed: see stopping-runner.ts. The thread still
 * exists, and has to be ended.
 */
export const BROKEN = 70

/** Words of `progress`, for a thread with that code: how many letters its reason has, and the letters. */
const REASON = 3
const LONGEST_REASON = 300

/** How many words `progress` has. */
export const PROGRESS: number = REASON + 1 + LONGEST_REASON

const charCodeOf = methodOf(String.prototype, "charCodeAt")
const { getOwnPropertyDescriptor } = Object

/**
 * Writes why a thread has stopped, as far as that is known. Runs no code of the program, and uses no built-in object
 * that a task may have broken meanwhile. Never throws.
 */
export function writeReason(progress: Int32Array, error: unknown): void {
  try {
    if (!types.isNativeError(error)) return
    const message: unknown = getOwnPropertyDescriptor(error, "message")?.value
    if (typeof message !== "string") return
    const length = message.length > LONGEST_REASON ? LONGEST_REASON : message.length
    for (let i = 0; i < length; i++) store(progress, REASON + 1 + i, charCodeOf(message, i))
    store(progress, REASON, length)
  } catch {
    // Then the reason is not known.
  }
}

/** Empty if the reason is not known. */
export function readReason(progress: Int32Array): string {
  let reason = ""
  for (let i = 0; i < load(progress, REASON); i++) reason += String.fromCharCode(load(progress, REASON + 1 + i))
  return reason
}

/** Checks that `workerData` is what a pool sends. */
export function requireOrders(data: unknown): Orders {
  const orders = data as Partial<Orders> | null | undefined
  if (typeof orders !== "object" || orders === null || orders.pool === undefined) {
    throw new IllegalStateError(
      "corepool/worker was started without orders of a pool. A `workerFactory` must pass on the options that it is given: (options) => new Worker(url, options)",
    )
  }
  if (orders.version !== VERSION) {
    throw new IllegalStateError(
      `This thread is of corepool ${VERSION}, the pool of corepool ${orders.version}. Bundle corepool/worker anew`,
    )
  }
  return orders as Orders
}
