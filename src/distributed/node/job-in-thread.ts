/**
 * What a thread of a node does with a job: it decodes the arguments, calls the task, and encodes the outcome. This
 * happens in the thread and not in the node's main thread, which only moves text and so has time to renew the locks of
 * its jobs.
 *
 * The function is one of the node's catalogue. The node has looked it up by the job's name and tells the thread where
 * it is; nothing in a job says what code to run.
 */
import { isPromiseLike, show, wrongType } from "../../checks.ts"
import { CancellationError, NotSerializableError, RejectedExecutionError } from "../../errors.ts"
import { JOB_MODULE } from "../../platform/worker/job-part.ts"
import { perThread } from "../../per-thread.ts"
import { defineBuiltIn } from "../../task/definitions.ts"
import type { Given } from "../../task/reference.ts"
import { explain } from "../../task/source.ts"
import { currentListener, type ProgressListener, withListener } from "../../thread/progress.ts"
import { Thread } from "../../thread/thread.ts"
import { encodeFailure } from "../job/failure.ts"
import { decodeArguments, encodeResult, MAX_PAYLOAD } from "../job/payload.ts"

/** What a task can know of its job. */
export interface CurrentJob {
  /** Unique in the queue. The same in every attempt, and so a key for what must not be done twice. */
  readonly id: string
  /** The name of the task in the catalogue. */
  readonly name: string
  /** Which attempt this is, from 1. Of a schedule, the failed attempts of all runs count. */
  readonly attempt: number
  /** How many nodes have died while they had it. How far they had got is not known. */
  readonly deaths: number
}

/** What a thread gets of a job besides the function and its arguments. Plain data. */
export interface ThreadOrder {
  readonly job: CurrentJob
  /** A number that no other run of this process has. */
  readonly run: number
  readonly maxPayload: number
  /** The name of the node, for stacks. */
  readonly nodeName: string
  /** Whether the function was sent as source, so that it may refer to variables that the thread does not have. */
  readonly isSource: boolean
}

/** The queue through which the node receives the progress that tasks report. */
export interface ProgressQueue {
  offer(entry: string): boolean
  remove(entry: string): boolean
}

/** The outcome of a call, as text for the engine. */
export interface ThreadOutcome {
  /**
   * `final`: there is no further attempt. The arguments cannot be read, so the task was not called; or it has thrown an
   * error that says so, as in other executors.
   */
  readonly kind: "completed" | "failed" | "final"
  readonly text: string
  /** The last entry of the task for the progress queue, if it has reported a value. The node may have read it. */
  readonly progress?: string
}

/** How many characters a reported progress value may have, as JSON. */
export const LONGEST_PROGRESS: number = 2 ** 16

/** The job of the current task; undefined if the task does not belong to a distributed executor. */
export function currentJob(): CurrentJob | undefined {
  const listener = currentListener()
  return listener !== undefined && "job" in listener ? (listener as RunningJob).job : undefined
}

/**
 * A job under way in this thread. At most one of the values that its task reports is in the queue: a newer value
 * replaces one that the node has not read yet. So the node gets the newest, and a task that reports without pause fills
 * no memory.
 */
class RunningJob implements ProgressListener {
  readonly job: CurrentJob
  readonly #run: number
  readonly #queue: ProgressQueue
  /** The entry that is in the queue, unless the node has taken it. */
  #queued: string | undefined
  /** The newest entry. */
  #last: string | undefined
  #count = 0
  #isOver = false

  constructor({ job, run }: ThreadOrder, queue: ProgressQueue) {
    this.job = job
    this.#run = run
    this.#queue = queue
    underWay.set(run, () => undefined)
  }

  progress(value: unknown): void {
    const text = jsonOf(value)
    if (this.#isOver) return // code that the task has left behind reports nothing any more
    const entry = entryOf(this.#run, ++this.#count, text)
    if (this.#queued !== undefined) this.#queue.remove(this.#queued)
    this.#queued = this.#queue.offer(entry) ? entry : undefined
    this.#last = entry
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    const listener = underWay.get(this.#run)
    underWay.delete(this.#run)
    listener?.()
  }

  /** The outcome with the last value, which may not have reached the node by the queue yet. */
  withProgress(outcome: ThreadOutcome): ThreadOutcome {
    return this.#last === undefined ? outcome : { ...outcome, progress: this.#last }
  }
}

/** The runs under way in this thread, and what to call at their ends. */
const underWay = perThread("runs under way", () => new Map<number, () => void>())

/**
 * Is fulfilled when the run is no longer under way in this thread; at once if it is in another thread, or has not
 * begun.
 */
export function endOfRunHere(run: number): Promise<void> {
  const listener = underWay.get(run)
  if (listener === undefined) return Promise.resolve()
  return new Promise((resolve) => {
    underWay.set(run, () => {
      listener()
      resolve()
    })
  })
}

/** A value that a task has reported. */
export interface ProgressEntry {
  readonly run: number
  /** The values of a run are counted from 1. */
  readonly count: number
  readonly value: unknown
}

/** The entry that a thread puts into the queue, and that {@link readEntry} reads. */
export function entryOf(run: number, count: number, json: string): string {
  return `${run} ${count} ${json}`
}

export function readEntry(entry: string): ProgressEntry {
  const first = entry.indexOf(" ")
  const second = entry.indexOf(" ", first + 1)
  const value = JSON.parse(entry.slice(second + 1)) as unknown
  return { run: Number(entry.slice(0, first)), count: Number(entry.slice(first, second)), value }
}

function jsonOf(value: unknown): string {
  let text: string | undefined
  try {
    text = JSON.stringify(value) as string | undefined
  } catch (cause) {
    const error = wrongType("Expected `value` to be plain data, got something that JSON cannot write")
    error.cause = cause
    throw error
  }
  if (text === undefined) throw wrongType(`Expected \`value\` to be plain data that JSON can write, got ${show(value)}`)
  if (text.length <= LONGEST_PROGRESS) return text
  throw new NotSerializableError(
    `The progress takes ${text.length} characters as JSON, more than ${LONGEST_PROGRESS}: report where the data is, not the data`,
  )
}

type AnyFunction = (...args: unknown[]) => unknown

function runJob(
  { functions: [fn] }: Given<readonly [AnyFunction]>,
  args: string,
  order: ThreadOrder,
  queue: ProgressQueue,
): ThreadOutcome | Promise<ThreadOutcome> {
  let given: unknown[]
  try {
    given = decodeArguments(order.job.name, args)
  } catch (error) {
    return failure("final", error, order)
  }
  const running = new RunningJob(order, queue)
  try {
    const value = withListener(running, () => fn(...given))
    return isPromiseLike(value) ? settle(value, running, order) : completion(value, running, order)
  } catch (error) {
    return failed(error, running, order)
  }
}

async function settle(pending: PromiseLike<unknown>, running: RunningJob, order: ThreadOrder): Promise<ThreadOutcome> {
  try {
    return completion(await pending, running, order)
  } catch (error) {
    return failed(error, running, order)
  }
}

/** Throws if the result cannot be sent. */
function completion(value: unknown, running: RunningJob, { job, maxPayload }: ThreadOrder): ThreadOutcome {
  const text = encodeResult(job.name, value, maxPayload)
  running.end()
  return running.withProgress({ kind: "completed", text })
}

function failed(error: unknown, running: RunningJob, order: ThreadOrder): ThreadOutcome {
  running.end()
  const isFinal = error instanceof CancellationError || error instanceof RejectedExecutionError
  return running.withProgress(failure(isFinal ? "final" : "failed", order.isSource ? explain(error) : error, order))
}

function failure(kind: "failed" | "final", error: unknown, { nodeName, maxPayload }: ThreadOrder): ThreadOutcome {
  const where = `${Thread.currentThread().name} of ${nodeName}`
  // The limit is meant for results and must not truncate errors, whose stacks take a few kilobytes.
  return { kind, text: encodeFailure(error, "error", where, Math.max(maxPayload, MAX_PAYLOAD)) }
}

/** The task's function is passed by `give(runInThread, [fn])`. */
export const runInThread: typeof runJob = defineBuiltIn({ module: JOB_MODULE, name: "runJob" }, runJob)
