import { CancellationError, IllegalStateError } from "../errors.ts"
import { CAUSE_OF_CANCELLATION, ENDS_WITH_SUBMITTER, NAME_IN_EVENTS, RUNS_HERE } from "../future/internals.ts"
import { FutureTask } from "../future/future-task.ts"
import { nameOf } from "../future/runnable.ts"
import { FACTS, type Facts, INSPECT, type InspectArguments, inspected } from "../inspection.ts"
import { LOCAL } from "../memory/shared/shareables.ts"
import type { TimerKeeper } from "../time/timer.ts"
import type { ForkRun } from "./fork-call.ts"

/** What a subtask asks of its scope. */
export interface ScopeOfSubtask {
  /** Throws if the caller is the owner of the scope and has not joined. */
  requireLook(what: string): void
}

/**
 * A fork of a `StructuredTaskScope`: its state, and after `join()` its outcome.
 *
 * The state is `unavailable` until the subtask is complete. It stays so if the scope was cancelled before: then its
 * outcome does not count, be it a result or an error.
 */
export class Subtask<T> {
  readonly #scope: ScopeOfSubtask
  #state: "unavailable" | "success" | "failed" = "unavailable"
  #outcome: unknown

  /** @internal */
  constructor(scope: ScopeOfSubtask) {
    this.#scope = scope
  }

  /** @internal */
  static scopeOf(subtask: Subtask<unknown>): ScopeOfSubtask {
    return subtask.#scope
  }

  /** @internal Stores the outcome of a task that is done. */
  static settle(subtask: Subtask<unknown>, task: FutureTask<unknown>): void {
    const isSuccess = task.state === "success"
    subtask.#outcome = isSuccess ? task.resultNow() : errorOf(task)
    subtask.#state = isSuccess ? "success" : "failed"
  }

  /** Whether it has a result, an error, or neither. */
  get state(): "unavailable" | "success" | "failed" {
    return this.#state
  }

  /**
   * The result.
   *
   * @throws IllegalStateError if the subtask has none, or the owner of the scope has not joined.
   */
  get(): T {
    this.#require("success", "result")
    return this.#outcome as T
  }

  /**
   * The error with which it has failed.
   *
   * @throws IllegalStateError if it has not failed, or the owner of the scope has not joined.
   */
  get exception(): unknown {
    this.#require("failed", "exception")
    return this.#outcome
  }

  #require(state: "success" | "failed", what: string): void {
    this.#scope.requireLook(what)
    if (this.#state === state) return
    throw new IllegalStateError(
      this.#state === "unavailable"
        ? `The subtask has no ${what}: it is not complete, or the scope was cancelled before it was`
        : `The subtask has no ${what}: its state is "${this.#state}"`,
    )
  }

  /** @internal */
  get [LOCAL](): string {
    return "is a subtask of a scope of this thread: send its result"
  }

  /** @internal */
  [INSPECT](...by: InspectArguments): string {
    return inspected(this, by)
  }

  /** @internal */
  get [FACTS](): Facts {
    return { state: this.#state }
  }
}

/** Cancelled from outside of the scope, a task has failed too: its executor has dropped it, say. */
function errorOf(task: FutureTask<unknown>): unknown {
  if (task.state === "failed") return task.exceptionNow()
  const cause = task[CAUSE_OF_CANCELLATION]
  return new CancellationError("The executor has cancelled the subtask", cause === undefined ? undefined : { cause })
}

/** Hears of a fork. */
export interface ForkHost {
  /** Its outcome is decided. */
  forkDone(fork: Fork): void
  /** No thread runs it any more, or will. */
  forkStopped(fork: Fork): void
  /** This thread is about to run a fork that it has sent away. */
  forkRunsHere(keeper: TimerKeeper): void
}

/**
 * The task of a fork, as executors have it. It is done when its outcome is decided, but if it was cancelled, it may
 * still run: it has stopped when its function has returned, or the thread that had it has let go of it.
 */
export class Fork extends FutureTask<unknown> implements ForkRun {
  readonly #host: ForkHost
  readonly #fn: (...args: never[]) => unknown
  readonly subtask: Subtask<unknown>
  /** What was forked. */
  readonly body: unknown
  /** @internal A fork does not outlive its scope, which dies with its thread. [SS23] */
  override readonly [ENDS_WITH_SUBMITTER] = true
  #isRunning = false
  /** Whether another thread has it. */
  #isAway = false
  /** Not `isDone`, which looks for news from other threads. */
  #isDecided = false
  #hasStopped = false

  /** `fn` is the function that the program has forked; `callable` calls it. */
  constructor(host: ForkHost, subtask: Subtask<unknown>, fn: (...args: never[]) => unknown, callable: () => unknown) {
    super(callable)
    this.#host = host
    this.#fn = fn
    this.subtask = subtask
    this.body = fn
  }

  /** @internal */
  get [NAME_IN_EVENTS](): string {
    return nameOf(this.#fn)
  }

  begun(): void {
    this.#isRunning = true
  }

  ended(): void {
    this.#isRunning = false
    this.#tryStop()
  }

  /** Another thread has it, and {@link released} will be called. */
  away(): void {
    this.#isAway = true
  }

  released(): void {
    this.#isAway = false
    this.#tryStop()
  }

  /** @internal */
  override [RUNS_HERE](keeper: TimerKeeper): void {
    super[RUNS_HERE](keeper)
    this.#host.forkRunsHere(keeper)
  }

  protected override done(): void {
    this.#isDecided = true
    this.#host.forkDone(this)
    this.#tryStop()
  }

  #tryStop(): void {
    if (this.#hasStopped || this.#isRunning || this.#isAway || !this.#isDecided) return
    this.#hasStopped = true
    this.#host.forkStopped(this)
  }
}
