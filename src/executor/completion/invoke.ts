/** `invokeAll` and `invokeAny`: many tasks, one wait. */
import { push } from "../../primordials.ts"
import { TASK_FOR } from "../internals.ts"
import { COMPLETION, WILL_BE_AWAITED } from "../../future/internals.ts"
import { rangeError, requireFunction, requireIterable } from "../../checks.ts"
import { TimeoutError } from "../../errors.ts"
import type { Future } from "../../future/future.ts"
import { FutureTask } from "../../future/future-task.ts"
import type { Callable } from "../../future/runnable.ts"
import { currentFlow } from "../../memory/flow/flow.ts"
import { guarded } from "../../memory/flow/guard.ts"
import {
  abortOf,
  awaiting,
  type Steps,
  TIMEOUT,
  timeoutOf,
  WaitList,
  type WaitOptions,
} from "../../memory/flow/waiting.ts"
import { now } from "../../time/timer.ts"
import type { TaskHost } from "../executor.ts"
import { type Completion, Completions } from "./completions.ts"

/*
 * invokeAll without a limit makes and starts the tasks one by one, so a bad element is found when it is reached, with
 * the earlier ones running. With a limit all are made first and each is started only while there is time: a limit of
 * 0 starts nothing. Both are as in the JDK.
 */
export async function invokeAll<T>(
  executor: TaskHost,
  tasks: Iterable<Callable<T>>,
  wait: WaitOptions | undefined,
): Promise<Future<T>[]> {
  const timeout = timeoutOf(wait)
  const signal = abortOf(wait)
  signal?.throwIfAborted()
  const isLimited = timeout !== Infinity
  const deadline = now() + timeout
  const futures: FutureTask<T>[] = []
  try {
    for (const task of requireTasks(tasks)) {
      const future = executor[TASK_FOR](requireFunction("task", task))
      push(futures, future)
      if (!isLimited) executor.execute(future)
    }
    const isStarted = !isLimited || startUntil(deadline, timeout, futures, executor)
    const limit = { timeout: deadline - now(), ...(signal && { signal }) }
    if (!isStarted || !(await awaiting(untilAllDone(futures, isLimited), limit, "Future", "invokeAll")))
      cancelAll(futures)
  } catch (error) {
    cancelAll(futures)
    throw error
  }
  return futures
}

/** Starts one task after the other while there is time; true if all have been started. */
function startUntil(
  deadline: number,
  timeout: number,
  futures: readonly FutureTask<unknown>[],
  executor: TaskHost,
): boolean {
  let left = timeout
  for (const future of futures) {
    if (left <= 0) return false
    executor.execute(future)
    left = deadline - now()
  }
  return true
}

/** From the last to the first: the last one started is usually the last to end, so most need no wait. */
function* untilAllDone(futures: readonly FutureTask<unknown>[], isLimited: boolean): Steps<boolean> {
  for (let i = futures.length - 1; i >= 0; i--) {
    const future = futures[i] as FutureTask<unknown>
    if (!future.isDone) future[WILL_BE_AWAITED](isLimited)
    while (!future.isDone) if ((yield future[COMPLETION]) === TIMEOUT) return false
  }
  return true
}

/*
 * invokeAny starts the first task, then one more each time it looks and no task has completed, then waits. Only when
 * the executor has all tasks does the limit count. With a limit of 0 all are started, and are cancelled before they can
 * begin: in the JDK this is a race, but every observed run went so. The last failure is the one reported.
 */
export async function invokeAny<T>(
  executor: TaskHost,
  tasks: Iterable<Callable<T>>,
  wait: WaitOptions | undefined,
): Promise<T> {
  const timeout = timeoutOf(wait)
  const signal = abortOf(wait)
  signal?.throwIfAborted()
  const waiting = requireTasks(tasks)[Symbol.iterator]()
  const deadline = now() + timeout
  const arrivals = new Arrivals<T>()
  const completions = new Completions<T>(executor, (completion) => arrivals.add(completion))
  const futures: Future<T>[] = []
  let running = 0
  let failure: unknown
  let hasMore = false
  const startOne = (): boolean => {
    hasMore = false // nor if next() throws
    const next = waiting.next()
    if (next.done === true) return false
    hasMore = true
    push(futures, completions.submit(requireFunction("task", next.value), []))
    running++
    return true
  }
  try {
    if (!startOne()) throw rangeError("tasks", "a non-empty collection", tasks)
    for (;;) {
      completions.look()
      let completion = arrivals.poll()
      if (completion === undefined && startOne()) continue
      if (completion === undefined) {
        if (running === 0) throw failure
        const left = deadline - now()
        if (left > 0 && startedHere(futures, timeout !== Infinity)) continue
        if (left > 0) {
          completions.look()
          currentFlow().throwIfInterrupted()
          completion = await awaiting(
            arrivals.taking(),
            { timeout: left, ...(signal && { signal }) },
            "Future",
            "invokeAny",
          )
        }
        if (completion === undefined) throw new TimeoutError("No task succeeded in time")
      }
      running--
      if (completion.status === "fulfilled") return completion.value
      failure = completion.reason
    }
  } finally {
    cancelAll(futures)
    if (hasMore) waiting.return?.()
  }
}

/** The completed tasks of invokeAny. A queue for a single taker: smaller than a BlockingQueue. */
class Arrivals<T> {
  readonly #completions: Completion<T>[] = []
  readonly #arrival = new WaitList()

  add(completion: Completion<T>): void {
    push(this.#completions, completion)
    this.#arrival.signal()
  }

  poll(): Completion<T> | undefined {
    return this.#completions.shift()
  }

  /** Undefined if none comes in time. */
  *taking(): Steps<Completion<T> | undefined> {
    while (this.#completions.length === 0) if ((yield this.#arrival) === TIMEOUT) return undefined
    return this.poll()
  }
}

/**
 * The executor has all tasks, and this thread is going to wait for them. It may be the only thread that could run them,
 * so it is offered each of them first. True if one is done.
 */
function startedHere(futures: readonly Future<unknown>[], isLimited: boolean): boolean {
  for (const future of futures) {
    if (future instanceof FutureTask && !future.isDone) {
      future[WILL_BE_AWAITED](isLimited)
      if (future.isDone) return true
    }
  }
  return false
}

export function requireTasks<T>(tasks: Iterable<T>): Iterable<T> {
  return requireIterable("tasks", tasks, "an iterable of functions")
}

/** Cancels all futures. An error of a `done()` goes to uncaughtException, so that the others are cancelled too. */
export function cancelAll(futures: readonly Future<unknown>[]): void {
  for (const future of futures) guarded(() => future.cancel(true))
}
