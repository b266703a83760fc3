/**
 * Virtual threads with options. A factory brings the code that its options ask for. A program that leaves the factory
 * to its pool has {@link plainThreads}, and a bundler drops this module.
 */
import { requireDuration, requireFunction, requireOptions } from "../../checks.ts"
import { FLOW } from "../../memory/flow/internals.ts"
import { naming, type ThreadFactory, withWarning } from "../../thread/thread-factory.ts"
import { Thread } from "../../thread/thread.ts"
import type { UncaughtExceptionHandler } from "../../thread/uncaught.ts"
import { Overstay } from "./overstay.ts"

/** Settings of {@link virtualThreads}. */
export interface VirtualThreadOptions {
  /**
   * A prefix (`"io"` gives `io-1`, `io-2`, …) or a function of the thread's number. Default `pool-N-thread-M`, as in
   * Java.
   */
  readonly name?: string | ((n: number) => string)

  /** Gets an error that ends a thread. Default: print it. */
  readonly uncaughtException?: UncaughtExceptionHandler

  /**
   * How long a task that is cancelled or out of time, or whose executor was stopped, may go on after its interrupt, in
   * ms. Then it is abandoned: its place in the executor goes to the next task. JavaScript cannot stop it, so it goes
   * on, but its outcome is dropped. Default `Infinity`: it keeps its place until it ends.
   */
  readonly abandonAfter?: number

  /** The default of the option of the same name of pools. */
  readonly warnUnobserved?: boolean
}

/** A factory of virtual threads: asynchronous flows on this event loop. */
export function virtualThreads(options: VirtualThreadOptions = {}): ThreadFactory {
  const { name, uncaughtException, abandonAfter, warnUnobserved } = requireOptions("options", options, {
    name: true,
    uncaughtException: true,
    abandonAfter: true,
    warnUnobserved: true,
  })
  if (uncaughtException !== undefined) requireFunction("uncaughtException", uncaughtException)
  const nameOf = naming(name)
  let threads = 0
  const after = abandonAfter === undefined ? Infinity : requireDuration("abandonAfter", abandonAfter)
  const newThread = (target: () => unknown): Thread => {
    const thread = Thread.create(target, nameOf(++threads), uncaughtException)
    if (after < Infinity) thread[FLOW].stopping = { watchOver: (place) => Overstay.of(place, after), watch: undefined }
    return thread
  }
  return withWarning({ isVirtual: true, newThread }, warnUnobserved)
}
