/**
 * Ends pools that the program has forgotten. If there is no reference to a pool any more, no task can come, and none is
 * left, as the engine would hold the pool for that (pool/pool-context.ts). But the pool still has threads and memory.
 * They are ended when the runtime collects the pool. That may take long: a program that makes pools in a loop can have
 * thousands of threads by then. Hence the warning.
 */
import { warn } from "#host/runtime/warnings"
import { perThread } from "../../per-thread.ts"

/** The engine of a pool. */
export interface Forgettable {
  readonly poolSize: number
  /** Ends the pool, unless it has ended already. */
  forget(): void
}

const warning = perThread("forgotten pools", () => ({ isOver: false }))

const registry = new FinalizationRegistry<Forgettable>((engine) => engine.forget())

/** Makes the engine end when the pool is garbage. */
export function watchPool(pool: object, engine: Forgettable): void {
  registry.register(pool, engine, engine)
}

/** The engine has ended. */
export function unwatchPool(engine: Forgettable): void {
  registry.unregister(engine)
}

/** Warns once in each thread. */
export function warnOfForgotten(threads: number): void {
  if (warning.isOver || threads === 0) return
  warning.isOver = true
  warn(
    `A pool with ${threads} idle ${threads === 1 ? "thread" : "threads"} was garbage-collected before it was shut down. The threads are ended now, but until then they take memory: declare pools by \`await using\`, or call close()`,
    "COREPOOL_FORGOTTEN_POOL",
  )
}
