import { HOST } from "../internals.ts"
import { alone, requireObject, typeError } from "../../checks.ts"
import type { Future } from "../../future/future.ts"
import type { Callable, Runnable } from "../../future/runnable.ts"
import type { AnyFunction, ArgumentsOf, ResultOf } from "../../future/signatures.ts"
import { FACTS, type Facts, INSPECT, type InspectArguments, inspected } from "../../inspection.ts"
import { LOCAL, SHAREABLE } from "../../memory/shared/shareables.ts"
import type { Handle } from "../../memory/shared/shared-memory.ts"
import { setOwn } from "../../user-values.ts"
import type { WaitOptions } from "../../memory/flow/waiting.ts"
import type { ExecutorService, FuturesOf, MapOptions, TaskOptions } from "../executor.ts"
import { type ExecutorServiceBase, lifeOf } from "./executor-service-base.ts"

/** What another thread needs to have the same executor behind a delegate. */
export interface DelegatedHandle extends Handle {
  readonly inner: Handle
}

/**
 * An executor service and nothing more: hides all other methods of the executor behind it, so that no cast gives a
 * caller access to its sizes.
 */
export class DelegatedExecutorService implements ExecutorService {
  readonly #executor: ExecutorService

  constructor(executor: ExecutorService) {
    requireObject("executor", executor, "an ExecutorService")
    if (typeof executor.submit !== "function") throw typeError("executor", "an ExecutorService", executor)
    this.#executor = executor
    // The delegate can be shared if the executor can.
    if (SHAREABLE in executor) {
      Object.defineProperty(this, "handle", sharing)
      setOwn(this, SHAREABLE, true, false)
    }
  }

  /** @internal */
  get [LOCAL](): string {
    return "is an executor that is run by this thread: of executors only pools of platform threads can be sent"
  }

  /** @internal */
  static handleOf(delegated: DelegatedExecutorService): DelegatedHandle {
    const { handle: inner } = delegated.#executor as ExecutorService & { readonly handle: Handle }
    return { corepool: delegated.shareableName, space: inner.space, memory: inner.memory, inner }
  }

  /** @internal The name of the class in handles. */
  protected get shareableName(): string {
    return "DelegatedExecutorService"
  }

  /** @internal */
  [INSPECT](...by: InspectArguments): string {
    return inspected(this, by)
  }

  /** @internal */
  get [FACTS](): Facts {
    return (this.#executor as Partial<ExecutorServiceBase>)[FACTS] ?? { state: lifeOf(this.#executor) }
  }

  /** @internal A completion service makes futures as this executor does: with the options of a view. */
  get [HOST](): ExecutorService {
    const { [HOST]: host = this.#executor } = this.#executor as Partial<DelegatedExecutorService>
    return host
  }

  execute<A extends unknown[]>(command: Runnable | ((...args: A) => unknown), ...args: A): void {
    this.#executor.execute(command, ...args)
  }

  submit<A extends unknown[], T>(task: (...args: A) => T | PromiseLike<T>, ...args: A): Future<T>
  submit<F extends AnyFunction, A extends ArgumentsOf<F> & unknown[]>(task: F, ...args: A): Future<ResultOf<F, A>>
  submit<A extends unknown[], T>(task: (...args: A) => T | PromiseLike<T>, ...args: A): Future<T> {
    return this.#executor.submit(task, ...args)
  }

  with(options: TaskOptions): ExecutorService {
    return new DelegatedExecutorService(this.#executor.with(options))
  }

  invokeAll<C extends readonly Callable<unknown>[] | []>(tasks: C, wait?: WaitOptions): Promise<FuturesOf<C>>
  invokeAll<T>(tasks: Iterable<Callable<T>>, wait?: WaitOptions): Promise<Future<T>[]>
  invokeAll<T>(tasks: Iterable<Callable<T>>, wait?: WaitOptions): Promise<Future<T>[]> {
    return this.#executor.invokeAll(tasks, wait)
  }

  invokeAny<C extends Callable<unknown>>(tasks: Iterable<C>, wait?: WaitOptions): Promise<Awaited<ReturnType<C>>>
  invokeAny<T>(tasks: Iterable<Callable<T>>, wait?: WaitOptions): Promise<T>
  invokeAny<T>(tasks: Iterable<Callable<T>>, wait?: WaitOptions): Promise<T> {
    return this.#executor.invokeAny(tasks, wait)
  }

  map<I, O>(
    fn: (item: I) => O | PromiseLike<O>,
    items: Iterable<I> | AsyncIterable<I>,
    options?: MapOptions,
  ): AsyncIterable<Awaited<O>> {
    return this.#executor.map(fn, items, options)
  }

  shutdown(): void {
    this.#executor.shutdown()
  }

  shutdownNow(): Runnable[] {
    return this.#executor.shutdownNow()
  }

  awaitTermination(wait?: WaitOptions): Promise<boolean> {
    return this.#executor.awaitTermination(wait)
  }

  close(wait?: { readonly signal?: AbortSignal }): Promise<void> {
    return this.#executor.close(wait)
  }

  pause(): void {
    this.#executor.pause()
  }

  resume(): void {
    this.#executor.resume()
  }

  get isPaused(): boolean {
    return this.#executor.isPaused
  }

  awaitQuiescence(wait?: WaitOptions): Promise<boolean> {
    return this.#executor.awaitQuiescence(wait)
  }

  get isShutdown(): boolean {
    return this.#executor.isShutdown
  }

  get isTerminated(): boolean {
    return this.#executor.isTerminated
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** A clone copies an object's own properties, not those of its class. */
const sharing: PropertyDescriptor & ThisType<DelegatedExecutorService> = /* @__PURE__ */ alone({
  enumerable: true,
  get() {
    return DelegatedExecutorService.handleOf(this)
  },
})
