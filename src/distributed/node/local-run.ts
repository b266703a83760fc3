import { IS_REMOTE } from "../../future/internals.ts"
import type { ExecutorService, TaskOptions } from "../../executor/executor.ts"
import { runWithStores } from "../../executor/propagation.ts"
import { decodeStores } from "../job/payload.ts"
import type { Future } from "../../future/future.ts"
import { FutureTask } from "../../future/future-task.ts"
import { whenReleased } from "../../future/release.ts"
import { placeOf } from "../../task/definitions.ts"
import { eachOf } from "../../task/each.ts"
import { give } from "../../task/reference.ts"
import type { ClaimedJob } from "../job/engine.ts"
import { endOfRunHere, runInThread, type ThreadOrder, type ThreadOutcome } from "./job-in-thread.ts"
import type { ProgressInbox } from "./progress-inbox.ts"

type AnyFunction = (...args: never[]) => unknown
type Call = (args: string, order: ThreadOrder, queue: ProgressInbox["queue"]) => Promise<ThreadOutcome>

/** An attempt that the local executor has accepted. */
export interface Attempt {
  readonly future: Future<ThreadOutcome>
  /** See {@link ProgressInbox}. */
  readonly run: number
  /**
   * Is fulfilled when no thread runs the task any more, as far as the executor can tell. The future may be done before
   * that: it was cancelled or has timed out, and the thread has yet to stop.
   */
  stopped(): Promise<void>
}

/**
 * Runs attempts at jobs on the local executor. The executor runs the function that the node's catalogue has under the
 * job's name. `runInThread` calls it, and decodes the arguments and encodes the outcome in the thread of the task. The
 * thread finds a function of a module by the module's URL and its name, both from the catalogue; other functions are
 * sent as source, as with every executor.
 */
export class LocalRuns {
  readonly #executor: ExecutorService
  readonly #inbox: ProgressInbox
  readonly #nodeName: string
  readonly #maxPayload: number
  /** Made once for each function: a thread looks a function up once, and then knows it by a number. */
  readonly #calls = new WeakMap<AnyFunction, Call>()
  readonly #callsForEach = new WeakMap<AnyFunction, Call>()

  constructor(executor: ExecutorService, inbox: ProgressInbox, nodeName: string, maxPayload: number) {
    this.#executor = executor
    this.#inbox = inbox
    this.#nodeName = nodeName
    this.#maxPayload = maxPayload
  }

  /** Whether the executor takes no more tasks. */
  get isShutdown(): boolean {
    return this.#executor.isShutdown
  }

  /** Throws the executor's error: RejectedExecutionError, if it takes no more tasks, or TaskNotPortableError. */
  start(fn: AnyFunction, job: ClaimedJob): Attempt {
    const { id, name, failures, deaths, data } = job
    const run = this.#inbox.begin(job)
    const order: ThreadOrder = {
      job: { id, name, attempt: failures + 1, deaths },
      run,
      maxPayload: this.#maxPayload,
      nodeName: this.#nodeName,
      isSource: placeOf(fn) === undefined,
    }
    const options: TaskOptions = {
      name: data.title ?? name,
      ...(data.timeout !== undefined && { timeout: data.timeout }),
    }
    try {
      const call = this.#callOf(fn, data.each === true)
      const submit = (): Future<ThreadOutcome> =>
        this.#executor.with(options).submit(call, data.args, order, this.#inbox.queue)
      // The executor takes the stores of its submitter to the thread of the task.
      const future = data.stores === undefined ? submit() : runWithStores(decodeStores(data.stores), submit)
      return { future, run, stopped: stopOf(future, run) }
    } catch (error) {
      this.#inbox.drop(run)
      throw error
    }
  }

  #callOf(fn: AnyFunction, forEach: boolean): Call {
    const calls = forEach ? this.#callsForEach : this.#calls
    let call = calls.get(fn)
    if (call === undefined) {
      const called = forEach ? eachOf(fn as (item: unknown) => unknown) : fn
      call = give(runInThread as never, [called] as const) as Call
      calls.set(fn, call)
    }
    return call
  }
}

/** `stopped()` for a future that has just been submitted. */
function stopOf(future: Future<unknown>, run: number): Attempt["stopped"] {
  if (!(future instanceof FutureTask) || !future[IS_REMOTE]) return () => endOfRunHere(run)
  const released = new Promise<void>((resolve) => whenReleased(future, resolve))
  return () => released
}
