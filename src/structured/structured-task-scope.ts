import { requireFunction, requireOptions, requireString, requireTimeout, typeError, wrongType } from "../checks.ts"
import type { Executor } from "../executor/executor.ts"
import type { AnyFunction, ArgumentsOf, ResultOf } from "../future/signatures.ts"
import { identityOf } from "../identity.ts"
import { FACTS, type Facts, INSPECT, type InspectArguments, inspected } from "../inspection.ts"
import { LOCAL } from "../memory/shared/shareables.ts"
import { Joiner, requireJoiner } from "./joiner.ts"
import { ScopeCore, type ScopeSettings } from "./scope-core.ts"
import type { Subtask } from "./subtask.ts"

/** Settings of {@link StructuredTaskScope.open}. */
export interface StructuredTaskScopeOptions {
  /** What runs the forks; default a new virtual thread for each. The scope does not shut it down. */
  readonly executor?: Executor
  /**
   * Milliseconds from `open` on; then the scope is cancelled, and `join()` throws `TimeoutError`. Default `Infinity`.
   */
  readonly timeout?: number
  /** The name of the scope. The virtual threads of its forks are named after it. */
  readonly name?: string
}

/**
 * A block of code that splits into concurrent subtasks, and does not go on before all of them have ended. `fork` starts
 * a subtask, `join` waits for all and has the outcome that the `Joiner` decides on, `close` ends the scope.
 *
 * When a scope is cancelled, by its joiner, because time is up, or because the block was left, its forks are cancelled
 * and interrupted, `join` and `close` wait until each has really stopped, and new forks do not start. An interrupt of
 * the thread that joins cancels the scope too, and so reaches all forks, and the forks of these.
 *
 * Only the flow that has opened the scope may fork, join and close it. Forks inherit the bindings of scoped values.
 *
 * @example
 * ```ts
 * import { StructuredTaskScope } from "corepool"
 *
 * await using scope = StructuredTaskScope.open()
 * const user = scope.fork(async () => "Ada")
 * const orders = scope.fork(async (id: number) => [id], 7)
 * await scope.join() // throws the first failure, after it has cancelled and awaited the rest
 * console.log(user.get(), orders.get()) // => Ada [ 7 ]
 * ```
 */
export class StructuredTaskScope<T = unknown, R = void> implements AsyncDisposable {
  readonly #core: ScopeCore<T, R>
  readonly #name: string

  /** Made by {@link StructuredTaskScope.open}. */
  private constructor(core: ScopeCore<T, R>, name: string) {
    if (!(core instanceof ScopeCore)) {
      throw wrongType("A StructuredTaskScope is made by StructuredTaskScope.open(), not by `new`")
    }
    this.#core = core
    this.#name = name
  }

  /**
   * Opens a scope, which the current flow owns. Without a joiner `join()` waits until all forks have succeeded, or one
   * has failed.
   */
  static open<T = unknown>(joiner?: undefined, options?: StructuredTaskScopeOptions): StructuredTaskScope<T>
  /** The same with a joiner, which decides on the outcome of `join()`. */
  static open<T, R>(joiner: Joiner<T, R>, options?: StructuredTaskScopeOptions): StructuredTaskScope<T, R>
  static open(
    joiner: Joiner<unknown, unknown> = Joiner.awaitAllSuccessfulOrThrow(),
    options: StructuredTaskScopeOptions = {},
  ): StructuredTaskScope<unknown, unknown> {
    const settings = settingsOf(options)
    return new StructuredTaskScope(new ScopeCore(requireJoiner(joiner), settings), settings.name)
  }

  /** The name that was given to `open`; empty if none was. */
  get name(): string {
    return this.#name
  }

  /** Whether the scope was cancelled: forks do not start any more. */
  get isCancelled(): boolean {
    return this.#core.isCancelled
  }

  /**
   * Starts a subtask that calls the function with the arguments. If the scope is cancelled, the subtask does not start.
   *
   * @throws IllegalStateError if the scope is joined or closed, if another flow has opened it, or if the bindings of
   * scoped values are not those with which it was opened.
   * @throws RejectedExecutionError if the executor does not accept the subtask.
   * @throws NotSerializableError if an argument, or the value of a scoped value, cannot be sent to the thread.
   * @throws TaskNotPortableError if the function cannot be sent to the thread.
   */
  fork<A extends unknown[], U extends T>(task: (...args: A) => U | PromiseLike<U>, ...args: A): Subtask<U>
  /** The same for a function with several signatures: the signature that fits the arguments counts. */
  fork<F extends (...args: never[]) => T | PromiseLike<T>, A extends ArgumentsOf<F> & unknown[]>(
    task: F,
    ...args: A
  ): Subtask<ResultOf<F, A>>
  fork(task: AnyFunction, ...args: unknown[]): Subtask<never> {
    return this.#core.fork(requireFunction("task", task), args) as Subtask<never>
  }

  /**
   * Waits until all forks are complete, or the scope is cancelled and all forks have stopped. Returns, or throws, what
   * the joiner decides; the usual joiners throw the error of the first fork that has failed. Once for a scope.
   *
   * @throws TimeoutError if the time of the scope was up before.
   * @throws InterruptedError if the thread is interrupted; the scope is cancelled then.
   * @throws IllegalStateError if the scope is joined or closed, or another flow has opened it.
   */
  join(): Promise<Awaited<R>> {
    return this.#core.join()
  }

  /**
   * Ends the scope: cancels it, unless it is joined, and waits until all forks have stopped, also if the thread is
   * interrupted meanwhile. No effect the second time.
   *
   * @throws IllegalStateError if there were forks, and no `join()`; or if another flow has opened the scope.
   */
  close(): Promise<void> {
    return this.#core.close()
  }

  /** The same as `close()`: for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** @internal */
  get [LOCAL](): string {
    return "is a scope of the flow that has opened it: a task opens a scope of its own"
  }

  /** @internal */
  [INSPECT](...by: InspectArguments): string {
    return inspected(this, by)
  }

  /** @internal */
  get [FACTS](): Facts {
    const { isClosed, phase, isCancelled, runningCount } = this.#core
    return {
      name: this.#name === "" ? undefined : this.#name,
      state: isClosed ? "closed" : phase,
      isCancelled,
      running: runningCount,
    }
  }

  /** Its class, and its name if it has one. */
  toString(): string {
    return this.#name === "" ? identityOf(this) : `${identityOf(this)}[${this.#name}]`
  }
}

function settingsOf(options: StructuredTaskScopeOptions): ScopeSettings {
  const given = requireOptions("options", options, { executor: true, timeout: true, name: true })
  const { executor, timeout = Infinity, name = "" } = given
  if (executor !== undefined && typeof (Object(executor) as Partial<Executor>).execute !== "function") {
    throw typeError("executor", "an Executor", executor)
  }
  return { executor, timeout: requireTimeout("timeout", timeout), name: requireString("name", name) }
}
