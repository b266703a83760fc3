/** Makes the threads of an executor, and so decides which kind it has. */
import { FLOW } from "../memory/flow/internals.ts"
import { requireBoolean, requireDuration, requireFunction, requireOptions, typeError } from "../checks.ts"
import { Thread } from "./thread.ts"
import type { UncaughtExceptionHandler } from "./uncaught.ts"

/**
 * Wrap one to count threads or to refuse them:
 *
 *     const inner = virtualThreads()
 *     const factory = { isVirtual: true, newThread: (target) => (full() ? null : inner.newThread(target)) }
 */
export interface ThreadFactory {
  /** Whether the threads share the event loop. An executor must know before it has any. */
  readonly isVirtual: boolean

  /** A new thread that will run `target` when the caller starts it; null or undefined to refuse. */
  newThread(target: () => unknown): Thread | null | undefined
}

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

/** The factories with the option `warnUnobserved`. */
const warning = new WeakSet<ThreadFactory>()

/** Returns the factory, and remembers its option. */
export function withWarning(factory: ThreadFactory, warnUnobserved: boolean | undefined): ThreadFactory {
  if (warnUnobserved !== undefined && requireBoolean("warnUnobserved", warnUnobserved)) warning.add(factory)
  return factory
}

export function warnsUnobserved(factory: ThreadFactory): boolean {
  return warning.has(factory)
}

let factories = 0

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
    if (after < Infinity) thread[FLOW].stopping = { after }
    return thread
  }
  return withWarning({ isVirtual: true, newThread }, warnUnobserved)
}

export function naming(name: VirtualThreadOptions["name"]): (n: number) => string {
  if (name === undefined) {
    const pool = ++factories
    return (n) => `pool-${pool}-thread-${n}`
  }
  if (typeof name === "function") return name
  if (typeof name === "string") return (n) => `${name}-${n}`
  throw typeError("name", "a string or a function", name)
}

/** Asks the factory for a thread; undefined if it refuses. */
export function newThreadOf(factory: ThreadFactory, target: () => unknown): Thread | undefined {
  const thread: unknown = factory.newThread(target)
  if (thread === null || thread === undefined) return undefined
  if (!(thread instanceof Thread)) throw typeError("newThread()", "a Thread, null or undefined", thread)
  return thread
}

export function requireThreadFactory(name: string, value: unknown): ThreadFactory {
  const factory = value as Partial<ThreadFactory> | null | undefined
  if (typeof factory?.newThread !== "function" || typeof factory.isVirtual !== "boolean") {
    throw typeError(name, "a ThreadFactory such as virtualThreads()", value)
  }
  return factory as ThreadFactory
}
