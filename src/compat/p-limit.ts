import { MAX_VALUE, typeError } from "../checks.ts"
import type { Runnable } from "../future/runnable.ts"
import { plainThreads } from "../thread/thread-factory.ts"
import { ThreadPoolExecutor } from "../virtual/pools.ts"

/** Settings of {@link pLimit}. */
export interface LimitOptions {
  /** How many functions may run at the same time: an integer ≥ 1, or `Infinity`. */
  readonly concurrency: number
  /** Whether `clearQueue()` rejects the promises of waiting calls with an AbortError; default false. */
  readonly rejectOnClear?: boolean
}

/** Calls functions, a limited number of them at the same time; see {@link pLimit}. */
export interface LimitFunction {
  /** Calls the function with the arguments when there is room. The promise of its result. */
  <A extends unknown[], R>(fn: (...args: A) => PromiseLike<R> | R, ...args: A): Promise<R>
  /** How many functions run. */
  readonly activeCount: number
  /** How many calls wait. */
  readonly pendingCount: number
  /** The limit. It can be changed at any time. */
  concurrency: number
  /** Drops all waiting calls. Their promises stay pending, unless `rejectOnClear` is set. */
  clearQueue(): void
  /** The results of the function for all items and their indexes, in the order of the items. */
  readonly map: <I, R>(items: Iterable<I>, fn: (item: I, index: number) => PromiseLike<R> | R) => Promise<R[]>
}

/**
 * A drop-in for p-limit: a pool of `concurrency` virtual threads with an unbounded queue.
 *
 * @example
 * ```ts
 * import { pLimit } from "corepool/compat"
 *
 * const limit = pLimit(2)
 * console.log(await Promise.all([1, 2, 3].map((n) => limit(async () => n * 2)))) // => [ 2, 4, 6 ]
 * ```
 */
export function pLimit(options: number | LimitOptions): LimitFunction {
  const given: Partial<LimitOptions> =
    typeof options === "object" && (options as unknown) !== null ? options : { concurrency: options as number }
  const { rejectOnClear = false } = given
  let concurrency = requireConcurrency(given.concurrency)
  if (typeof rejectOnClear !== "boolean") throw typeError("rejectOnClear", "a boolean", rejectOnClear)
  const size = Math.min(concurrency, MAX_VALUE)
  const pool = new ThreadPoolExecutor({
    corePoolSize: size,
    maximumPoolSize: size,
    threadFactory: plainThreads(),
  })
  const rejections = new WeakMap<Runnable, (reason: unknown) => void>()

  const limit = <A extends unknown[], R>(fn: (...args: A) => PromiseLike<R> | R, ...args: A): Promise<R> =>
    new Promise((resolve, reject) => {
      const future = pool.submit((...their: A) => fn(...their), ...args)
      if (rejectOnClear) rejections.set(future as unknown as Runnable, reject)
      future.then(resolve, reject)
    })

  const clearQueue = (): void => {
    const dropped: Runnable[] = []
    pool.queue.drainTo(dropped)
    if (!rejectOnClear) return
    const { reason } = AbortSignal.abort() as { reason: unknown }
    for (const task of dropped) rejections.get(task)?.(reason)
  }

  return Object.defineProperties(limit, {
    activeCount: { get: () => pool.activeCount },
    pendingCount: { get: () => pool.queue.size },
    concurrency: {
      get: () => concurrency,
      set: (value: number) => {
        concurrency = requireConcurrency(value)
        resize(pool, Math.min(value, MAX_VALUE))
      },
    },
    clearQueue: { value: clearQueue },
    map: {
      value: async <I, R>(items: Iterable<I>, fn: (item: I, index: number) => PromiseLike<R> | R) =>
        await Promise.all(Array.from(items, (item, index) => limit(fn, item, index))),
    },
  }) as LimitFunction
}

/** A function that is limited in how many of its calls run at the same time. */
export function limitFunction<A extends unknown[], R>(
  fn: (...args: A) => PromiseLike<R> | R,
  options: LimitOptions,
): (...args: A) => Promise<R> {
  const limit = pLimit(options)
  return (...args) => limit(fn, ...args)
}

/** The core size is at most the maximum size at every moment. */
function resize(pool: ThreadPoolExecutor, size: number): void {
  if (size > pool.maximumPoolSize) pool.maximumPoolSize = size
  pool.corePoolSize = size
  pool.maximumPoolSize = size
}

function requireConcurrency(value: unknown): number {
  const isLimit = value === Infinity || (Number.isInteger(value) && (value as number) >= 1)
  if (!isLimit) throw typeError("concurrency", "an integer ≥ 1 or Infinity", value)
  return value as number
}
