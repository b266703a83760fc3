import type { ExecutorService, TaskOptions } from "../executor.ts"
import { ExecutorServiceBase } from "./executor-service-base.ts"
import { withOptions } from "./with-options.ts"

/**
 * The base of executors. Subclasses give `execute`, `shutdown`, `shutdownNow`, `isShutdown`, `isTerminated` and
 * `awaitTermination`; `submit`, `invokeAll`, `invokeAny`, `map`, `with` and `close` follow from these.
 *
 * @example
 * ```ts
 * import { AbstractExecutorService, type Runnable } from "corepool"
 *
 * class Inline extends AbstractExecutorService {
 *   #isShutdown = false
 *   execute<A extends unknown[]>(command: Runnable | ((...args: A) => unknown), ...args: A): void {
 *     if (typeof command === "function") command(...args)
 *     else command.run()
 *   }
 *   shutdown(): void {
 *     this.#isShutdown = true
 *   }
 *   shutdownNow(): Runnable[] {
 *     this.shutdown()
 *     return []
 *   }
 *   awaitTermination(): Promise<boolean> {
 *     return Promise.resolve(this.#isShutdown)
 *   }
 *   get isShutdown(): boolean {
 *     return this.#isShutdown
 *   }
 *   get isTerminated(): boolean {
 *     return this.#isShutdown
 *   }
 * }
 *
 * await using executor = new Inline()
 * console.log(await executor.submit(() => 6 * 7)) // => 42
 * ```
 */
export abstract class AbstractExecutorService extends ExecutorServiceBase {
  with(options: TaskOptions): ExecutorService {
    return withOptions(this, options)
  }
}
