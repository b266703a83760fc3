import { runtime } from "#host/runtime/clock"
import { TimeoutError } from "../../errors.ts"
import { Timer } from "../../time/timer.ts"
import { Emitter } from "./emitter.ts"
import {
  type PQueueAddOptions,
  type PQueueEvent,
  type PQueueOptions,
  type PQueueRunningTask,
  type PQueueSettings,
  type PQueueTask,
  requireAtLeastOne,
  requireTime,
  settingsOf,
  wrong,
} from "./p-queue-options.ts"
import { type PQueueQueue, PriorityQueue, type RunFunction } from "./priority-queue.ts"
import { FixedWindow, type RateWindow, SlidingWindow } from "./rate-window.ts"

/**
 * A drop-in for p-queue: a queue of tasks with priorities. At most `concurrency` tasks run at the same time, and at
 * most `intervalCap` begin in each interval.
 *
 * @example
 * ```ts
 * import { PQueue } from "corepool/compat"
 *
 * const queue = new PQueue({ concurrency: 1 })
 * const order: string[] = []
 * queue.add(async () => order.push("first"))
 * queue.add(async () => order.push("low"))
 * queue.add(async () => order.push("high"), { priority: 1 })
 * await queue.onIdle()
 * console.log(order) // => [ 'first', 'high', 'low' ]
 * ```
 */
export class PQueue<O extends PQueueAddOptions = PQueueAddOptions> extends Emitter<PQueueEvent> {
  readonly #settings: PQueueSettings
  readonly #window: RateWindow | undefined
  readonly #running = new Map<symbol, Omit<PQueueRunningTask, "timeoutRemaining">>()
  readonly #forget = new Set<() => void>()
  #queue: PQueueQueue<O>
  #concurrency: number
  #pending = 0
  #isPaused: boolean
  #lastId = 0
  /** Whether tasks have waited since the window began. */
  #isContinued = false
  #timer: Timer | undefined
  #isRateLimited = false
  #isReviewing = false
  /** Milliseconds that a task may run, if it is added without a time of its own. */
  timeout: number | undefined

  /** @throws TypeError for wrong options. */
  constructor(options: PQueueOptions<O> = {}) {
    super()
    const settings = settingsOf(options)
    const { intervalCap, interval, strict, carryoverIntervalCount } = settings
    this.#settings = settings
    this.#queue = new settings.queueClass()
    this.#concurrency = settings.concurrency
    this.#isPaused = !settings.autoStart
    this.timeout = settings.timeout
    if (intervalCap !== Infinity && interval > 0) {
      this.#window = strict ? new SlidingWindow(interval) : new FixedWindow(interval, carryoverIntervalCount)
    }
  }

  /** The promise of the task's result. The task begins inside the call, if it may. */
  async add<R>(task: PQueueTask<R>, options: Partial<O> = {}): Promise<R> {
    const all = { timeout: this.timeout, ...options, id: options.id ?? String(++this.#lastId) }
    requireTime(all.timeout)
    return await new Promise<R>((resolve, reject) => {
      let leave = nothing
      const run: RunFunction = async () => {
        leave()
        await this.#run(task, all, resolve, reject)
      }
      this.#queue.enqueue(run, all)
      const { signal } = all
      if (signal !== undefined) {
        const aborted = (): void => {
          leave()
          if (this.#queue instanceof PriorityQueue) this.#queue.remove(run)
          else this.#queue.remove?.(all.id)
          reject(signal.reason as Error)
          this.#startNext()
          this.emit("next")
          this.#review()
        }
        leave = () => {
          signal.removeEventListener("abort", aborted)
          this.#forget.delete(leave)
        }
        if (signal.aborted) {
          aborted()
          return
        }
        signal.addEventListener("abort", aborted, { once: true })
        this.#forget.add(leave)
      }
      this.emit("add")
      this.#startNext()
      this.#review()
    })
  }

  /** The results of all tasks, in order. */
  async addAll<R>(tasks: readonly PQueueTask<R>[], options?: Partial<O>): Promise<R[]> {
    return await Promise.all(tasks.map((task) => this.add(task, options)))
  }

  async #run<R>(
    task: PQueueTask<R>,
    { id, priority = 0, timeout, signal }: Partial<PQueueAddOptions> & { readonly id: string },
    resolve: (value: R) => void,
    reject: (reason: unknown) => void,
  ): Promise<void> {
    const key = Symbol(id)
    this.#pending++
    this.#running.set(key, { id, priority, startTime: runtime.wallTime(), timeout })
    const ends: (() => void)[] = []
    try {
      if (signal?.aborted === true) this.#window?.undo()
      signal?.throwIfAborted()
      const rivals: (PromiseLike<R> | R)[] = [task({ signal })]
      if (timeout !== undefined) rivals.push(this.#tooLate(timeout, ends))
      if (signal !== undefined) rivals.push(abortOf(signal, ends))
      const result = await (rivals.length === 1 ? rivals[0] : Promise.race(rivals))
      resolve(result as R)
      this.emit("completed", result)
    } catch (error) {
      reject(error)
      this.emit("error", error)
    } finally {
      for (const end of ends) end()
      this.#running.delete(key)
      runtime.microtask(() => this.#ended())
    }
  }

  #tooLate(timeout: number, ends: (() => void)[]): Promise<never> {
    return new Promise((_resolve, reject) => {
      const timer = new Timer(timeout, false, () => {
        const state = `queue has ${this.#pending} running, ${this.size} waiting`
        reject(new TimeoutError(`Task timed out after ${timeout}ms (${state})`))
      })
      ends.push(() => timer.cancel())
    })
  }

  #ended(): void {
    this.#pending--
    if (this.#pending === 0) this.emit("pendingZero")
    this.#startNext()
    this.emit("next")
    this.#review()
  }

  /** Begins the next task, if one waits and may begin; false if not. */
  #startNext(): boolean {
    if (this.#queue.size === 0) {
      this.#isContinued = false
      this.emit("empty")
      if (this.#pending === 0) {
        this.#stopTimer()
        this.emit("idle")
      }
      return false
    }
    if (this.#isPaused || this.#pending >= this.#concurrency || !this.#mayBegin()) return false
    const run = this.#queue.dequeue()
    this.emit("active")
    void run?.()
    return true
  }

  #mayBegin(): boolean {
    if (this.#window === undefined) return true
    const now = runtime.wallTime()
    const count = this.#window.count(now, this.#pending, this.#isContinued)
    this.#isContinued = true
    if (count < this.#settings.intervalCap) {
      this.#window.note(now)
      this.#review()
      return true
    }
    // A timer may fire a moment before the next millisecond of the clock.
    this.#timer ??= new Timer(Math.max(1, this.#window.next - now), false, () => {
      this.#timer = undefined
      this.#startAll()
      this.#review()
    })
    return false
  }

  #startAll(): void {
    while (this.#startNext());
  }

  #stopTimer(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  // ------------------------------------------------------------------ rate

  /** Whether tasks wait because as many have begun in the interval as may. */
  get isRateLimited(): boolean {
    return this.#isRateLimited
  }

  /** Whether tasks wait because of one of the limits. */
  get isSaturated(): boolean {
    return this.size > 0 && (this.#pending === this.#concurrency || this.#isRateLimited)
  }

  /** Looks later whether the queue is rate limited: all that happens in one call counts once. */
  #review(): void {
    if (this.#window === undefined || this.#isReviewing) return
    this.#isReviewing = true
    runtime.microtask(() => {
      this.#isReviewing = false
      this.#reviewNow()
    })
  }

  #reviewNow(): void {
    if (this.#window === undefined) return
    const isLimited =
      this.size > 0 &&
      this.#window.count(runtime.wallTime(), this.#pending, this.#isContinued) >= this.#settings.intervalCap
    if (isLimited === this.#isRateLimited) return
    this.#isRateLimited = isLimited
    this.emit(isLimited ? "rateLimit" : "rateLimitCleared")
  }

  // ------------------------------------------------------------------ control

  /** How many tasks may run at the same time. */
  get concurrency(): number {
    return this.#concurrency
  }

  set concurrency(value: number) {
    requireAtLeastOne("concurrency", value)
    this.#concurrency = value
    this.#startAll()
  }

  /** Goes on after `pause()`, or begins after `autoStart: false`. */
  start(): this {
    if (!this.#isPaused) return this
    this.#isPaused = false
    this.#startAll()
    return this
  }

  /** Begins no further task. */
  pause(): void {
    this.#isPaused = true
  }

  /** Drops all waiting tasks. Their promises stay pending. */
  clear(): void {
    for (const forget of [...this.#forget]) forget()
    this.#queue = new this.#settings.queueClass()
    this.#isContinued = false
    this.#reviewNow()
    this.emit("empty")
    if (this.#pending === 0) {
      this.#stopTimer()
      this.emit("idle")
    }
    this.emit("next")
  }

  /** Changes the priority of a waiting task. */
  setPriority(id: string, priority: number): void {
    if (!Number.isFinite(priority)) throw wrong("priority", "a finite number", priority)
    this.#queue.setPriority?.(id, priority)
  }

  // ------------------------------------------------------------------ waiting

  /** Settles when no task waits. */
  async onEmpty(): Promise<void> {
    if (this.size > 0) await this.#heard(["empty"])
  }

  /** Settles when fewer than so many tasks wait. */
  async onSizeLessThan(limit: number): Promise<void> {
    if (this.size >= limit) await this.#heard(["next", "active"], () => this.size < limit)
  }

  /** Settles when no task waits and none runs. */
  async onIdle(): Promise<void> {
    if (this.#pending > 0 || this.size > 0) await this.#heard(["idle"])
  }

  /** Settles when no task runs. */
  async onPendingZero(): Promise<void> {
    if (this.#pending > 0) await this.#heard(["pendingZero"])
  }

  /** Settles when the queue is rate limited. */
  async onRateLimit(): Promise<void> {
    if (!this.#isRateLimited) await this.#heard(["rateLimit"])
  }

  /** Settles when the queue is not rate limited. */
  async onRateLimitCleared(): Promise<void> {
    if (this.#isRateLimited) await this.#heard(["rateLimitCleared"])
  }

  /** Rejects with the error of the next task that fails. */
  onError(): Promise<never> {
    return new Promise((_resolve, reject) => {
      this.once("error", reject)
    })
  }

  #heard(names: readonly PQueueEvent[], isMeant: () => boolean = () => true): Promise<void> {
    return new Promise((resolve) => {
      const listener = (): void => {
        if (!isMeant()) return
        for (const name of names) this.off(name, listener)
        resolve()
      }
      for (const name of names) this.on(name, listener)
    })
  }

  // ------------------------------------------------------------------ looking

  /** How many tasks wait. */
  get size(): number {
    return this.#queue.size
  }

  /** How many tasks with these options wait. */
  sizeBy(options: Readonly<Partial<O>>): number {
    return this.#queue.filter(options).length
  }

  /** How many tasks run. */
  get pending(): number {
    return this.#pending
  }

  /** Whether the queue is paused. */
  get isPaused(): boolean {
    return this.#isPaused
  }

  /** The tasks that run. */
  get runningTasks(): readonly PQueueRunningTask[] {
    const now = runtime.wallTime()
    return Array.from(this.#running.values(), (task) => {
      const left = task.startTime + (task.timeout ?? 0) - now
      return { ...task, timeoutRemaining: task.timeout === undefined ? undefined : Math.max(0, left) }
    })
  }
}

const nothing = (): void => undefined

function abortOf(signal: AbortSignal, ends: (() => void)[]): Promise<never> {
  return new Promise((_resolve, reject) => {
    const aborted = (): void => reject(signal.reason as Error)
    signal.addEventListener("abort", aborted, { once: true })
    ends.push(() => signal.removeEventListener("abort", aborted))
  })
}
