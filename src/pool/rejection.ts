/**
 * What happens to a task that a pool cannot take. `new AbortPolicy()` is the same as `AbortPolicy`, so that Java code
 * can be translated word by word.
 */
import { ABANDON } from "../future/internals.ts"
import { isPromiseLike, typeError } from "../checks.ts"
import { setOwn, textOf } from "../user-values.ts"
import { RejectedExecutionError } from "../errors.ts"
import { nameOfTask } from "../future/describe.ts"
import { FutureTask } from "../future/future-task.ts"
import { nameOf, type Runnable, start } from "../future/runnable.ts"
import { currentFlow, Guest } from "../memory/flow/flow.ts"
import { guarded, uncaught } from "../memory/flow/guard.ts"
import type { ThreadPoolExecutor } from "./thread-pool-executor.ts"

/**
 * Decides about a task that a pool cannot take, because the pool is shut down, or because its queue and its threads are
 * at their limits.
 *
 * Any function of the task, as it was given to `execute`, and the pool will do. It may throw, block, run the task, keep
 * it or give it to another executor. A handler that drops a submitted task should `cancel()` it: its future would be
 * waited for in vain. The handlers of the JDK are `AbortPolicy`, `CallerRunsPolicy`, `DiscardPolicy` and
 * `DiscardOldestPolicy`.
 */
export type RejectedExecutionHandler = (task: Runnable, executor: ThreadPoolExecutor) => void

/** One of the ready-made policies: a handler that may also be written as a class, as in Java. */
export interface RejectionPolicy extends RejectedExecutionHandler {
  /** The handler itself. */
  new (): RejectedExecutionHandler
}

/** Throws `RejectedExecutionError`, with the task in it. The default. */
export const AbortPolicy: RejectionPolicy = /* @__PURE__ */ policy("AbortPolicy", (task, executor) => {
  throw new RejectedExecutionError(`Task ${describe(task)} rejected from ${textOf(executor)}`, task)
})

/**
 * Runs the task in the caller, inside the call of `execute`, which slows down a caller that submits too fast. An
 * asynchronous task only begins there. After shutdown the task is dropped.
 */
export const CallerRunsPolicy: RejectionPolicy = /* @__PURE__ */ policy("CallerRunsPolicy", (task, executor) => {
  if (executor.isShutdown) drop(task, executor, "the executor is shut down")
  else runHere(task)
})

/** Drops the task. */
export const DiscardPolicy: RejectionPolicy = /* @__PURE__ */ policy("DiscardPolicy", (task, executor) => {
  drop(task, executor, "the executor has no room for it")
})

/**
 * Drops the task that waits longest and tries again. After shutdown drops the new one. If that never helps, as with a
 * queue that holds nothing, it gives up with the error that endless recursion would end in.
 */
export const DiscardOldestPolicy: RejectionPolicy = /* @__PURE__ */ policy("DiscardOldestPolicy", (task, executor) => {
  if (isRepeated(task, executor)) return
  for (let round = 0; round < MOST_ROUNDS; round++) {
    if (executor.isShutdown) {
      drop(task, executor, "the executor is shut down")
      return
    }
    const oldest = executor.queue.poll()
    if (oldest !== undefined) drop(oldest, executor, "a newer task took its place")
    if (tryAgain(task, executor)) return
  }
  throw stackOverflow()
})

/** How often DiscardOldestPolicy tries: another thread may take the free place each time. */
const MOST_ROUNDS = 1000
/** How deep attempts may nest if `execute` of a subclass wraps the task in a new one each time. */
const MOST_DEPTH = 50

/** An attempt of DiscardOldestPolicy that is under way. */
interface Attempt {
  readonly task: Runnable
  readonly executor: ThreadPoolExecutor
  readonly outer: Attempt | undefined
  isRefused: boolean
}

/** The innermost attempt of this thread. */
let attempt: Attempt | undefined

/**
 * Executes the task; false if it came back to the policy. The JDK's policy then calls itself. This one must not: the
 * stack could overflow anywhere, also where a pool is half changed.
 */
function tryAgain(task: Runnable, executor: ThreadPoolExecutor): boolean {
  const outer = attempt
  const mine: Attempt = { task, executor, outer, isRefused: false }
  attempt = mine
  try {
    executor.execute(task)
  } finally {
    attempt = outer
  }
  return !mine.isRefused
}

/** Whether an attempt with this task is under way. If so, marks that attempt as refused. */
function isRepeated(task: Runnable, executor: ThreadPoolExecutor): boolean {
  let depth = 0
  for (let it = attempt; it !== undefined; it = it.outer) {
    if (it.executor !== executor) continue
    if (it.task === task) {
      it.isRefused = true
      return true
    }
    if (++depth === MOST_DEPTH) throw stackOverflow()
  }
  return false
}

function stackOverflow(): RangeError {
  return new RangeError("Maximum call stack size exceeded")
}

export function requireHandler(name: string, value: unknown): RejectedExecutionHandler {
  if (typeof value !== "function") throw typeError(name, "a function such as AbortPolicy", value)
  return value as RejectedExecutionHandler
}

/** Drops the task. Its future is cancelled: no caller must wait for a result that will never come. */
function drop(task: Runnable, executor: ThreadPoolExecutor, reason: string): void {
  if (!(task instanceof FutureTask)) return
  const cause = new RejectedExecutionError(`Task ${describe(task)} dropped from ${textOf(executor)}: ${reason}`, task)
  guarded(() => task[ABANDON](cause)) // an error of its done() does not concern the caller, which submits another task
}

/**
 * Runs the task on the caller's thread, but as a flow of its own: cancelling the task must not interrupt the caller.
 */
function runHere(task: Runnable): void {
  const guest = new Guest(currentFlow())
  let pending: unknown
  try {
    pending = guest.runInside(() => start(task))
  } finally {
    if (!isPromiseLike(pending)) guest.leave()
  }
  if (isPromiseLike(pending)) void leaveAfter(pending, guest)
}

async function leaveAfter(pending: PromiseLike<unknown>, guest: Guest): Promise<void> {
  try {
    await pending
  } catch (error) {
    uncaught(error)
  } finally {
    guest.leave()
  }
}

function describe(task: Runnable): string {
  if (task instanceof FutureTask) return textOf(task)
  return typeof task === "function" ? nameOfTask(task) : nameOf(task)
}

function policy(name: string, handle: RejectedExecutionHandler): RejectionPolicy {
  function rejected(task: Runnable, executor: ThreadPoolExecutor): unknown {
    if (new.target !== undefined) return rejected
    handle(task, executor)
    return undefined
  }
  setOwn(rejected, "name", name, false)
  return rejected as unknown as RejectionPolicy
}
