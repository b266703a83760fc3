import { CALLABLE, DEFAULT_WINDOW, ORDERS_BY_PRIORITY, RETRIES, TASK_FOR, WITHDRAW } from "../internals.ts"
import { requireFunction, requireOptions, typeError } from "../../checks.ts"
import { InterruptedError, UnsupportedOperationError } from "../../errors.ts"
import type { Future } from "../../future/future.ts"
import { FutureTask } from "../../future/future-task.ts"
import { bind, type Callable, type Runnable } from "../../future/runnable.ts"
import type { AnyFunction, ArgumentsOf, ResultOf } from "../../future/signatures.ts"
import { identityOf } from "../../identity.ts"
import { FACTS, type Facts, INSPECT, type InspectArguments, inspected } from "../../inspection.ts"
import { LOCAL } from "../../memory/shared/shareables.ts"
import { currentFlow } from "../../memory/flow/flow.ts"
import { guarded } from "../../memory/flow/guard.ts"
import { abortOf, type WaitOptions } from "../../memory/flow/waiting.ts"
import type { ExecutorService, FuturesOf, MapOptions, TaskOptions } from "../executor.ts"
import { invokeAll, invokeAny } from "../completion/invoke.ts"
import { mapOver } from "../map/map.ts"
import type { Retries } from "../retries.ts"

/**
 * What every executor gets for free from its `execute`, `shutdown` and the like, except `with`. A view made by `with`
 * is built on this class itself (see with-options.ts); AbstractExecutorService adds `with` on top of both.
 */
export abstract class ExecutorServiceBase<Unrun = Runnable[]> implements ExecutorService<Unrun> {
  abstract execute<A extends unknown[]>(command: Runnable | ((...args: A) => unknown), ...args: A): void
  abstract shutdown(): void
  abstract shutdownNow(): Unrun
  abstract awaitTermination(wait?: WaitOptions): Promise<boolean>
  abstract get isShutdown(): boolean
  abstract get isTerminated(): boolean

  /** @internal */
  [RETRIES]: Retries | undefined = undefined

  /** @internal */
  get [LOCAL](): string {
    return "is an executor that is run by this thread: of executors only pools of platform threads can be sent"
  }

  /** @internal */
  [INSPECT](...by: InspectArguments): string {
    return inspected(this, by)
  }

  /** @internal */
  get [FACTS](): Facts {
    return { state: lifeOf(this) }
  }

  submit<A extends unknown[], T>(task: (...args: A) => T | PromiseLike<T>, ...args: A): Future<T>
  submit<F extends AnyFunction, A extends ArgumentsOf<F> & unknown[]>(task: F, ...args: A): Future<ResultOf<F, A>>
  submit<A extends unknown[], T>(task: (...args: A) => T | PromiseLike<T>, ...args: A): Future<T> {
    if (typeof task !== "function") requireFunction("task", task)
    const isPlain = this.newTaskFor === ExecutorServiceBase.prototype.newTaskFor
    const future = isPlain ? FutureTask.ofCall(task, args) : this.newTaskFor<T>(this[CALLABLE](task, args))
    try {
      this.execute(future)
    } catch (error) {
      giveUp(future)
      throw error
    }
    return future
  }

  /** The future of a task about to be executed; override to give tasks another class. */
  protected newTaskFor<T>(callable: Callable<T>): FutureTask<T> {
    return new FutureTask(callable)
  }

  /** @internal */
  [TASK_FOR]<T>(callable: Callable<T>): FutureTask<T> {
    const isPlain = this.newTaskFor === ExecutorServiceBase.prototype.newTaskFor
    return isPlain ? FutureTask.ofBound(callable) : this.newTaskFor(callable)
  }

  /** @internal The function with its arguments, in the form that this executor needs. */
  [CALLABLE]<A extends unknown[], T>(fn: (...args: A) => T | PromiseLike<T>, args: A): Callable<T> {
    return bind(fn, ...args)
  }

  /** @internal */
  [WITHDRAW](_task: Runnable): void {}

  /** @internal */
  get [ORDERS_BY_PRIORITY](): boolean {
    return false
  }

  /** @internal */
  get [DEFAULT_WINDOW](): number {
    return 16
  }

  abstract with(options: TaskOptions): ExecutorService<Unrun>

  invokeAll<C extends readonly Callable<unknown>[] | []>(tasks: C, wait?: WaitOptions): Promise<FuturesOf<C>>
  invokeAll<T>(tasks: Iterable<Callable<T>>, wait?: WaitOptions): Promise<Future<T>[]>
  invokeAll<T>(tasks: Iterable<Callable<T>>, wait?: WaitOptions): Promise<Future<T>[]> {
    return invokeAll(this, tasks, wait)
  }

  invokeAny<C extends Callable<unknown>>(tasks: Iterable<C>, wait?: WaitOptions): Promise<Awaited<ReturnType<C>>>
  invokeAny<T>(tasks: Iterable<Callable<T>>, wait?: WaitOptions): Promise<T>
  invokeAny<T>(tasks: Iterable<Callable<T>>, wait?: WaitOptions): Promise<T> {
    return invokeAny(this, tasks, wait)
  }

  map<I, O>(
    fn: (item: I) => O | PromiseLike<O>,
    items: Iterable<I> | AsyncIterable<I>,
    options: MapOptions = {},
  ): AsyncIterable<Awaited<O>> {
    return mapOver(this, fn, items, options)
  }

  pause(): void {
    throw cannot(this, "pause")
  }

  /** No effect on an executor that is not paused. */
  resume(): void {}

  get isPaused(): boolean {
    return false
  }

  awaitQuiescence(_wait?: WaitOptions): Promise<boolean> {
    return Promise.reject(cannot(this, "awaitQuiescence"))
  }

  close(wait: { readonly signal?: AbortSignal } = {}): Promise<void> {
    return closeExecutor(this, wait)
  }

  /** The same as `close()`: for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

function cannot(executor: object, method: string): UnsupportedOperationError {
  return new UnsupportedOperationError(`${identityOf(executor)} has no ${method}() of its own`)
}

/**
 * Ends a future that no other code has, but which may have time limits and signals. Not in place: the closure would
 * cost every `submit` a context.
 */
function giveUp(future: FutureTask<unknown>): void {
  guarded(() => future.cancel())
}

/** The state of an executor, in a word. */
export function lifeOf(executor: Pick<ExecutorService, "isShutdown" | "isTerminated">): string {
  if (executor.isTerminated) return "terminated"
  return executor.isShutdown ? "shutting down" : "running"
}

/** With `timeout`, for which close() throws an error of its own. */
const CLOSING = { signal: true, timeout: true } as const

/** `close()` for any executor: shut down, wait without limit, and turn an interrupt or abort into `shutdownNow`. */
async function closeExecutor(
  executor: Pick<ExecutorService<unknown>, "shutdown" | "shutdownNow" | "awaitTermination" | "isTerminated">,
  options: { readonly signal?: AbortSignal },
): Promise<void> {
  const { timeout, ...wait } = requireOptions<Exclude<WaitOptions, number>>("options", options, CLOSING)
  abortOf(wait)
  if (timeout !== undefined) {
    throw typeError("timeout", "left out (close() waits for the end; awaitTermination(ms) has a limit)", timeout)
  }
  if (executor.isTerminated) return
  const flow = currentFlow() // which a browser does not know after an `await`
  executor.shutdown()
  try {
    await executor.awaitTermination(wait)
  } catch (reason) {
    await executor.shutdownNow()
    await terminationWhateverComes(executor)
    // As in Java the interrupt is not lost, only served late. If a signal aborted, close() throws its reason.
    if (reason instanceof InterruptedError) flow.interrupt()
    else throw reason
  }
}

async function terminationWhateverComes(executor: Pick<ExecutorService, "awaitTermination">): Promise<void> {
  for (;;) {
    try {
      await executor.awaitTermination()
      return
    } catch (error) {
      if (!(error instanceof InterruptedError)) throw error
    }
  }
}
