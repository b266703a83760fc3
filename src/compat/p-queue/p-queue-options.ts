import { textOf } from "../../user-values.ts"
import { type PQueueEnqueueOptions, type PQueueQueue, PriorityQueue } from "./priority-queue.ts"

/** Settings of a {@link PQueue}. */
export interface PQueueOptions<O extends PQueueAddOptions = PQueueAddOptions> {
  /** How many tasks may run at the same time; default without limit. */
  readonly concurrency?: number
  /** Whether tasks begin without `start()`; default true. */
  readonly autoStart?: boolean
  /** The class of the queue; default {@link PriorityQueue}. */
  readonly queueClass?: new () => PQueueQueue<O>
  /** How many tasks may begin in each interval; default without limit. */
  readonly intervalCap?: number
  /** The length of the interval, in milliseconds; default 0. */
  readonly interval?: number
  /** Whether tasks that run when an interval begins count in it; default false. */
  readonly carryoverIntervalCount?: boolean
  /** The older name of `carryoverIntervalCount`. */
  readonly carryoverConcurrencyCount?: boolean
  /** Whether `intervalCap` holds for every span of that length, wherever it begins; default false. */
  readonly strict?: boolean
  /** Milliseconds that each task may run; default without limit. */
  readonly timeout?: number
}

/** Options of a task of a {@link PQueue}. */
export interface PQueueAddOptions extends PQueueEnqueueOptions {
  /** Milliseconds that the task may run. */
  readonly timeout?: number | undefined
  /** Takes the task out of the queue, or rejects its promise, when it aborts. */
  readonly signal?: AbortSignal | undefined
}

/** The events of a {@link PQueue}. */
export type PQueueEvent =
  | "active"
  | "idle"
  | "empty"
  | "add"
  | "next"
  | "completed"
  | "error"
  | "pendingZero"
  | "rateLimit"
  | "rateLimitCleared"

/** A task of a {@link PQueue}. It is given the signal that it was added with. */
export type PQueueTask<R> = (options: { signal: AbortSignal | undefined }) => PromiseLike<R> | R

/** A running task of a {@link PQueue}. */
export interface PQueueRunningTask {
  /** The name that it was given, or a number. */
  readonly id: string
  /** Its priority when it was added. */
  readonly priority: number
  /** On the clock of `Date.now()`. */
  readonly startTime: number
  /** Milliseconds that it may run. */
  readonly timeout?: number | undefined
  /** Milliseconds that are left. */
  readonly timeoutRemaining?: number | undefined
}

export type PQueueSettings = Required<Omit<PQueueOptions, "timeout" | "carryoverConcurrencyCount">> &
  Pick<PQueueOptions, "timeout">

export function settingsOf(given: PQueueOptions): PQueueSettings {
  const { concurrency = Infinity, intervalCap = Infinity, interval = 0, autoStart = true, strict = false } = given
  const { queueClass = PriorityQueue, carryoverConcurrencyCount = false, timeout } = given
  const { carryoverIntervalCount = carryoverConcurrencyCount } = given
  requireAtLeastOne("intervalCap", "intervalCap" in given ? given.intervalCap : intervalCap)
  const length = "interval" in given ? given.interval : interval
  if (!Number.isFinite(length) || length < 0) throw wrong("interval", "a finite number >= 0", length)
  if (strict && interval === 0) throw new TypeError("The `strict` option requires a non-zero `interval`")
  if (strict && intervalCap === Infinity) throw new TypeError("The `strict` option requires a finite `intervalCap`")
  requireAtLeastOne("concurrency", "concurrency" in given ? given.concurrency : concurrency)
  requireTime(timeout)
  return {
    concurrency,
    intervalCap,
    interval,
    autoStart,
    strict,
    queueClass,
    carryoverIntervalCount,
    ...(timeout !== undefined && { timeout }),
  }
}

export function requireAtLeastOne(name: string, value: unknown): void {
  if (typeof value !== "number" || !(value >= 1)) throw wrong(name, "a number from 1 and up", value)
}

export function requireTime(timeout: unknown): void {
  if (timeout !== undefined && !(Number.isFinite(timeout) && Number(timeout) > 0)) {
    throw wrong("timeout", "a positive finite number", timeout)
  }
}

export function wrong(name: string, demand: string, value: unknown): TypeError {
  return new TypeError(
    `Expected \`${name}\` to be ${demand}, got \`${value === undefined || value === null ? "" : textOf(value)}\` (${typeof value})`,
  )
}
