import { requireFunction, typeError } from "../checks.ts"
import { IllegalStateError, NoSuchElementError } from "../errors.ts"
import { type ScopeOfSubtask, Subtask } from "./subtask.ts"

/**
 * Decides for a `StructuredTaskScope` when enough subtasks are complete, and what `join()` returns. `T` is the type of
 * the results of subtasks, `R` that of the outcome of the scope. A joiner belongs to one scope.
 *
 * Any object with these methods is a joiner. They are called in the thread that has opened the scope, one at a time.
 */
export interface Joiner<T, R> {
  /**
   * Called when a subtask is forked, before it starts. `true` cancels the scope. What it throws, `fork` throws.
   */
  onFork?(subtask: Subtask<T>): unknown
  /**
   * Called when a subtask has succeeded or failed, unless the scope was cancelled before. `true` cancels the scope.
   * What it throws is reported as an uncaught error of the thread.
   */
  onComplete(subtask: Subtask<T>): unknown
  /** Called by `join()` at the end. What it returns, or throws, is the outcome of `join()`. */
  result(): R
}

/** The joiners that `Joiner` makes: each notices if it is given to a second scope. */
abstract class ReadyJoiner<T, R> implements Joiner<T, R> {
  /** All subtasks, in the order in which they were forked. */
  protected readonly subtasks: Subtask<T>[] = []
  protected firstFailure: Subtask<T> | undefined
  #scope: ScopeOfSubtask | undefined

  onFork(subtask: Subtask<T>): boolean {
    const scope = Subtask.scopeOf(subtask)
    this.#scope ??= scope
    if (this.#scope !== scope)
      throw new IllegalStateError("The joiner belongs to another scope: make one for each scope")
    this.subtasks.push(subtask)
    return false
  }

  onComplete(subtask: Subtask<T>): boolean {
    if (subtask.state === "failed") this.firstFailure ??= subtask
    return this.isEnough(subtask)
  }

  /** Whether the scope is to be cancelled now that this subtask is complete. */
  protected abstract isEnough(subtask: Subtask<T>): boolean
  abstract result(): R
}

class AllSuccessful<T> extends ReadyJoiner<T, Subtask<T>[]> {
  protected isEnough(): boolean {
    return this.firstFailure !== undefined
  }

  result(): Subtask<T>[] {
    if (this.firstFailure !== undefined) throw this.firstFailure.exception
    return [...this.subtasks]
  }
}

class AwaitAllSuccessful<T> extends ReadyJoiner<T, void> {
  protected isEnough(): boolean {
    return this.firstFailure !== undefined
  }

  result(): void {
    if (this.firstFailure !== undefined) throw this.firstFailure.exception
  }
}

class AnySuccessful<T> extends ReadyJoiner<T, T> {
  #first: Subtask<T> | undefined

  protected isEnough(subtask: Subtask<T>): boolean {
    if (subtask.state === "success") this.#first ??= subtask
    return this.#first !== undefined
  }

  result(): T {
    if (this.#first !== undefined) return this.#first.get()
    if (this.firstFailure !== undefined) throw this.firstFailure.exception
    throw new NoSuchElementError("No subtask was forked, or none is complete")
  }
}

class AwaitAll<T> extends ReadyJoiner<T, void> {
  protected isEnough(): boolean {
    return false
  }

  result(): void {}
}

class AllUntil<T> extends ReadyJoiner<T, Subtask<T>[]> {
  readonly #isDone: (subtask: Subtask<T>) => boolean

  constructor(isDone: (subtask: Subtask<T>) => boolean) {
    super()
    this.#isDone = requireFunction("isDone", isDone)
  }

  protected isEnough(subtask: Subtask<T>): boolean {
    return this.#isDone(subtask)
  }

  result(): Subtask<T>[] {
    return [...this.subtasks]
  }
}

/** Makes the usual joiners. Each call makes a new one. */
export const Joiner: {
  /**
   * All must succeed: `join()` returns the subtasks in the order of the forks. The first failure cancels the scope and
   * is thrown.
   */
  allSuccessfulOrThrow<T>(): Joiner<T, Subtask<T>[]>
  /**
   * One must succeed: `join()` returns the first result and cancels the rest. If all fail, the first failure is thrown.
   */
  anySuccessfulOrThrow<T>(): Joiner<T, T>
  /** All must succeed: `join()` returns nothing. The first failure cancels the scope and is thrown. The default. */
  awaitAllSuccessfulOrThrow<T>(): Joiner<T, void>
  /** Waits for all, whether they succeed or fail; `join()` returns nothing and throws no failure. */
  awaitAll<T>(): Joiner<T, void>
  /** Waits for all, or until the function says true of a complete subtask; `join()` returns all subtasks. */
  allUntil<T>(isDone: (subtask: Subtask<T>) => boolean): Joiner<T, Subtask<T>[]>
} = {
  allSuccessfulOrThrow: <T>() => new AllSuccessful<T>(),
  anySuccessfulOrThrow: <T>() => new AnySuccessful<T>(),
  awaitAllSuccessfulOrThrow: <T>() => new AwaitAllSuccessful<T>(),
  awaitAll: <T>() => new AwaitAll<T>(),
  allUntil: <T>(isDone: (subtask: Subtask<T>) => boolean) => new AllUntil<T>(isDone),
}

export function requireJoiner<T, R>(joiner: Joiner<T, R>): Joiner<T, R> {
  const { onFork, onComplete, result } = Object(joiner) as Partial<Joiner<T, R>>
  const isFit = onFork === undefined || typeof onFork === "function"
  if (isFit && typeof onComplete === "function" && typeof result === "function") return joiner
  throw typeError(
    "joiner",
    "an object with the methods onComplete, result and perhaps onFork, such as Joiner.awaitAll()",
    joiner,
  )
}
