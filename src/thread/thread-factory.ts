/** Makes the threads of an executor, and so decides which kind it has. */
import { requireFunction, requireOptions, typeError } from "../checks.ts"
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
}

let factories = 0

/** A factory of virtual threads: asynchronous flows on this event loop. */
export function virtualThreads(options: VirtualThreadOptions = {}): ThreadFactory {
  const { name, uncaughtException } = requireOptions("options", options, { name: true, uncaughtException: true })
  if (uncaughtException !== undefined) requireFunction("uncaughtException", uncaughtException)
  const nameOf = naming(name)
  let threads = 0
  return {
    isVirtual: true,
    newThread: (target) => Thread.create(target, nameOf(++threads), uncaughtException),
  }
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
