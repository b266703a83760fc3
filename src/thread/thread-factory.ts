/** Makes the threads of an executor, and so decides which kind it has. */
import { requireBoolean, typeError } from "../checks.ts"
import { Thread } from "./thread.ts"

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

/** A factory of virtual threads without options: those of pools that are given no factory. */
export function plainThreads(nameOf: (n: number) => string = naming(undefined)): ThreadFactory {
  let threads = 0
  return { isVirtual: true, newThread: (target) => Thread.create(target, nameOf(++threads)) }
}

/** How a factory names its threads, by their numbers. */
export function naming(name: string | ((n: number) => string) | undefined): (n: number) => string {
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
