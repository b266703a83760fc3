/** The options of a wait for a synchronizer: for how long, and how urgent it is. */
import { type Known, requireInteger, requireOptions } from "../checks.ts"
import { isInherited } from "../memory/flow/waiting.ts"

/** How long to wait at most, in ms; or an object with this time, a signal that ends the wait, and a priority. */
export type AcquireOptions =
  | number
  | {
      /** Milliseconds; default `Infinity`. */
      readonly timeout?: number
      /** The wait is given up when it aborts, and rejects with its reason. */
      readonly signal?: AbortSignal
      /** Among the tasks that wait, the one with the highest number is first; default 0. An integer of 32 bits. */
      readonly priority?: number
    }

/** The options of a wait that blocks the thread. */
export interface BlockingOptions {
  /** Among the tasks that wait, the one with the highest number is first; default 0. An integer of 32 bits. */
  readonly priority?: number
}

export const ACQUIRE_OPTIONS: Known<Exclude<AcquireOptions, number>> = { timeout: true, signal: true, priority: true }

const MIN_VALUE = -(2 ** 31)

/** The priority in the options. The rest of the options is checked elsewhere: by `timeoutOf`, with ACQUIRE_OPTIONS. */
export function priorityOf(wait: AcquireOptions | undefined): number {
  if (typeof wait !== "object" || wait === null || isInherited(wait, "priority")) return 0
  const { priority } = wait
  return priority === undefined ? 0 : requireInteger("priority", priority, MIN_VALUE)
}

/** The priority in the options of a thread that blocks. */
export function blockingPriorityOf(options: BlockingOptions | undefined): number {
  return options === undefined ? 0 : priorityOf(requireOptions("options", options, { priority: true }))
}
