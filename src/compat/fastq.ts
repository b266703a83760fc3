import { runtime } from "#host/runtime/clock"
import { guarded } from "../memory/flow/guard.ts"
import { apply } from "../primordials.ts"
import { LinkedBlockingDeque } from "../queue/linked-blocking-deque.ts"

/** Gets the outcome of a job: an error or null, and the result. */
export type FastqCallback<R> = (error: Error | null, result?: R) => void

/** Does one job, and calls back when it is done. */
export type FastqWorker<C, T, R> = (this: C, job: T, done: FastqCallback<R>) => void

/** Does one job. */
export type FastqPromiseWorker<C, T, R> = (this: C, job: T) => Promise<R>

/** What both kinds of queues have; see {@link fastq}. */
export interface FastqBase<T> {
  /** How many jobs may be under way. It can be changed at any time. */
  concurrency: number
  /** Whether the queue is paused. */
  readonly paused: boolean
  /** Called when the last job is done and none waits; may be replaced. */
  drain: (() => unknown) | undefined
  /** Called when the last waiting job has begun; may be replaced. */
  empty: () => unknown
  /** Called when a job has to wait and none did before; may be replaced. */
  saturated: () => unknown
  /** Begins no further job. */
  pause(): void
  /** Goes on. */
  resume(): void
  /** Whether no job waits and none is under way. */
  idle(): boolean
  /** How many jobs wait. */
  length(): number
  /** How many jobs are under way. */
  running(): number
  /** The jobs that wait. */
  getQueue(): T[]
  /** Drops all waiting jobs, and `drain` with them: it will not be called. */
  kill(): void
  /** Drops all waiting jobs and calls `drain` at once. */
  killAndDrain(): void
  /** Drops all waiting jobs. Their callbacks get an error with the message "abort". */
  abort(): void
  /** Sets a handler that gets the error, or null, of every job pushed from now on. */
  error(handler: (error: Error | null, job: T) => void): void
}

/** A queue of jobs for one worker function; see {@link fastq}. */
export interface FastqQueue<T, R> extends FastqBase<T> {
  /** Adds a job at the end. */
  push: (job: T, done?: FastqCallback<R>) => void
  /** Adds a job at the front. */
  unshift: (job: T, done?: FastqCallback<R>) => void
}

/** The same with promises; see {@link fastq}. */
export interface FastqPromiseQueue<T, R> extends FastqBase<T> {
  /** Adds a job at the end. The promise of its result; its rejection need not be handled. */
  push(job: T): Promise<R>
  /** Adds a job at the front. */
  unshift(job: T): Promise<R>
  /** Settles when no job waits and none is under way. */
  drained(): Promise<void>
}

interface Job<T, R> {
  readonly value: T
  readonly done: FastqCallback<R> | undefined
  readonly handler: ((error: Error | null, job: T) => void) | undefined
}

const nothing = (): void => undefined

/** Makes queues; see {@link fastq}. */
export interface Fastq {
  /** A queue for a worker that is called with `this` set to the context. */
  <C, T = unknown, R = unknown>(context: C, worker: FastqWorker<C, T, R>, concurrency: number): FastqQueue<T, R>
  /** A queue for a worker without a context. */
  <T = unknown, R = unknown>(worker: FastqWorker<null, T, R>, concurrency: number): FastqQueue<T, R>
  /** The same for workers that return promises. */
  readonly promise: FastqPromise
}

/** Makes queues for workers that return promises; see {@link fastq}. */
export interface FastqPromise {
  /** A queue for a worker that is called with `this` set to the context. */
  <C, T = unknown, R = unknown>(
    context: C,
    worker: FastqPromiseWorker<C, T, R>,
    concurrency: number,
  ): FastqPromiseQueue<T, R>
  /** A queue for a worker without a context. */
  <T = unknown, R = unknown>(worker: FastqPromiseWorker<null, T, R>, concurrency: number): FastqPromiseQueue<T, R>
}

/**
 * A drop-in for fastq: a queue of jobs for one worker function, of which at most `concurrency` run at the same time. A
 * job begins inside `push` if there is room.
 *
 * @example
 * ```ts
 * import { fastq } from "corepool/compat"
 *
 * const queue = fastq.promise(async (n: number) => n * 2, 1)
 * console.log(await queue.push(21)) // => 42
 * ```
 */
export const fastq: Fastq = /* @__PURE__ */ Object.assign(
  <T, R>(...given: readonly unknown[]) => newQueue<T, R>(...argumentsOf<FastqWorker<unknown, T, R>>(given)),
  { promise: promised },
)

function promised<T, R>(...given: readonly unknown[]): FastqPromiseQueue<T, R> {
  const [context, worker, concurrency] = argumentsOf<FastqPromiseWorker<unknown, T, R>>(given)
  const queue = newQueue<T, R>(
    context,
    function work(this: unknown, job, done) {
      // oxlint-disable-next-line promise/no-callback-in-promise -- the worker tells by callback
      apply(worker, this, [job]).then((result: R) => done(null, result), done)
    },
    concurrency,
  )
  const { push: pushed, unshift: unshifted } = queue
  const asPromise =
    (add: FastqQueue<T, R>["push"]) =>
    (job: T): Promise<R> => {
      const promise = new Promise<R>((resolve, reject) => {
        add(job, (error, result) => (error ? reject(error) : resolve(result as R)))
      })
      promise.catch(nothing) // its caller may look at it or not
      return promise
    }
  return Object.assign(queue, {
    push: asPromise((job, done) => pushed(job, done)),
    unshift: asPromise((job, done) => unshifted(job, done)),
    drained: () =>
      new Promise<void>((resolve) => {
        // Later: jobs that are pushed in this turn count.
        runtime.microtask(() => (queue.idle() ? resolve() : tellOnce(queue, resolve)))
      }),
  })
}

/** Calls `told` when `drain` is called, which is then put back as it was. */
function tellOnce(queue: FastqBase<unknown>, told: () => void): void {
  const before = queue.drain
  queue.drain = () => {
    before?.()
    told()
    queue.drain = before
  }
}

function argumentsOf<W>(given: readonly unknown[]): [unknown, W, number] {
  const [context, worker, concurrency] = typeof given[0] === "function" ? [null, ...given] : given
  return [context, worker as W, requireConcurrency(concurrency)]
}

function requireConcurrency(value: unknown): number {
  if (typeof value === "number" && value >= 1) return value
  throw new Error("fastqueue concurrency must be equal to or greater than 1")
}

function newQueue<T, R>(context: unknown, worker: FastqWorker<unknown, T, R>, most: number): FastqQueue<T, R> {
  const waiting = new LinkedBlockingDeque<Job<T, R>>()
  let concurrency = most
  let running = 0
  let paused = false
  let handler: Job<T, R>["handler"]
  /** Places that have become free and are not given away yet. */
  let free = 0
  let isGiving = false

  const begin = ({ value, done, handler: told }: Job<T, R>): void => {
    const ended: FastqCallback<R> = (error, result) => {
      told?.(error, value)
      if (done !== undefined) apply(done, context, [error, result])
      release()
    }
    apply(worker, context, [value, ended])
  }

  /** Gives free places away in a loop: a worker that calls back at once must not make the stack grow. */
  const release = (): void => {
    free++
    if (isGiving) return
    isGiving = true
    try {
      for (; free > 0; free--) give()
    } finally {
      isGiving = false
      free = 0
    }
  }

  const give = (): void => {
    const next = running <= concurrency && !paused ? waiting.pollFirst() : undefined
    if (next !== undefined) {
      begin(next)
      if (waiting.size === 0) queue.empty()
    } else if (--running === 0 && waiting.size === 0) queue.drain?.()
  }

  const fill = (): void => {
    // oxlint-disable-next-line no-unmodified-loop-condition -- a worker may pause the queue
    while (!paused && waiting.size > 0 && running < concurrency) {
      running++
      release()
    }
  }

  const add = (value: T, done: FastqCallback<R> | undefined, isUrgent: boolean): void => {
    const job = { value, done, handler }
    if (running < concurrency && !paused) {
      running++
      begin(job)
      return
    }
    const isFirst = waiting.size === 0
    if (isUrgent) waiting.addFirst(job)
    else waiting.addLast(job)
    if (isFirst) queue.saturated()
  }

  const queue: FastqQueue<T, R> = {
    drain: nothing,
    empty: nothing,
    saturated: nothing,
    get concurrency() {
      return concurrency
    },
    set concurrency(value) {
      concurrency = requireConcurrency(value)
      fill()
    },
    get paused() {
      return paused
    },
    push: (value, done) => add(value, done, false),
    unshift: (value, done) => add(value, done, true),
    pause: () => {
      paused = true
    },
    resume: () => {
      if (!paused) return
      paused = false
      if (waiting.size > 0) fill()
      else {
        running++
        release() // tells `drain` if nothing is under way
      }
    },
    idle: () => running === 0 && waiting.size === 0,
    length: () => waiting.size,
    running: () => running,
    getQueue: () => waiting.toArray().map((job) => job.value),
    kill: () => {
      waiting.clear()
      queue.drain = nothing
    },
    killAndDrain: () => {
      waiting.clear()
      queue.drain?.()
      queue.drain = nothing
    },
    abort: () => {
      const dropped: Job<T, R>[] = []
      waiting.drainTo(dropped)
      queue.drain = nothing
      for (const job of dropped) {
        guarded(() => job.handler?.(new Error("abort"), job.value))
        guarded(() => job.done !== undefined && apply(job.done, context, [new Error("abort")]))
      }
    },
    error: (told) => {
      handler = told
    },
  }
  return queue
}
