import { UnsupportedOperationError } from "../errors.ts"
import type { Shared } from "../memory/shared/shared-memory.ts"
import type { ThreadFactory } from "../thread/thread-factory.ts"
import type { PoolEngine, PoolShell } from "./engine/pool-engine.ts"
import type { PoolSettings } from "./pool-settings.ts"
import type { RejectedExecutionHandler } from "./rejection.ts"

/** The engine of a pool that another thread has made. */
export interface GuestEngine extends PoolEngine {
  /** Lets the pool's policy, or the owner of its handler, decide on a task that the pool has not accepted. */
  readonly handler: RejectedExecutionHandler
}

/** The factory of a pool in threads that did not make it: only the owner makes threads. */
export const OWNERS_FACTORY: ThreadFactory = {
  isVirtual: false,
  newThread() {
    throw notTheOwner("make threads")
  },
}

/** A pool that another thread has made and sent. The constructor of a pool takes it in place of options. */
export class SentPool {
  readonly shared: Shared
  readonly #join: (shell: PoolShell) => GuestEngine
  #engine: GuestEngine | undefined

  /** `join` makes this thread a user of the pool. */
  constructor(shared: Shared, join: (shell: PoolShell) => GuestEngine) {
    this.shared = shared
    this.#join = join
  }

  join(shell: PoolShell): GuestEngine {
    this.#engine = this.#join(shell)
    return this.#engine
  }

  /** The settings that a thread has that did not make the pool. */
  get settings(): Pick<PoolSettings, "threadFactory" | "handler" | "name"> {
    return {
      threadFactory: OWNERS_FACTORY,
      handler: (task, executor) => this.#engine?.handler(task, executor),
      name: undefined,
    }
  }
}

/** The sent pool, if a constructor was given one instead of options. */
export function sentPool(options: unknown): SentPool | undefined {
  return options instanceof SentPool ? options : undefined
}

export function notTheOwner(what: string): UnsupportedOperationError {
  return new UnsupportedOperationError(`Only the thread that made the pool can ${what}`)
}
