import { runtime, type Timeout } from "#host/runtime/clock"
import { guarded } from "../../memory/flow/guard.ts"
import type { Future } from "../../future/future.ts"
import {
  callMethod,
  equipMethods,
  type MethodResult,
  type TaskEvent,
  terminateMethods,
} from "../in-thread/methods-in-thread.ts"
import { PoolPromise, type PoolPromiseControl, PoolTimeoutError } from "./pool-promise.ts"
import type { PoolTask } from "./pool-queues.ts"
import { WorkerThread, urlOf } from "../in-thread/worker-thread.ts"
import type { PoolExecOptions, PoolWorkerArg } from "./workerpool-options.ts"

/** Of so many tasks of a thread the last events can still come when they are over. */
const HEARD = 4

let tasks = 0

/** A task of a workerpool, from `exec` to its end. */
export class ExecutedTask implements PoolTask, PoolPromiseControl {
  readonly id: number = ++tasks
  readonly method: string
  readonly params: readonly unknown[]
  readonly options: PoolExecOptions | undefined
  readonly promise: PoolPromise<unknown>
  thread: PoolThread | undefined
  isSettled = false
  #limit: number | undefined
  #timer: Timeout | undefined
  #resolve!: (value: unknown) => void
  #reject!: (error: unknown) => void
  /** Settles the task when that many events have come. */
  #due: { readonly events: number; readonly settle: () => void } | undefined
  #events = 0

  constructor(method: string, params: readonly unknown[], options: PoolExecOptions | undefined) {
    this.method = method
    this.params = params
    this.options = options
    this.promise = PoolPromise.of(this, (resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  begin(thread: PoolThread): void {
    this.thread = thread
    if (this.#limit !== undefined) this.#startTimer(this.#limit)
  }

  stop(error: Error): void {
    if (this.isSettled) return
    this.fail(error)
    this.thread?.abort(this)
  }

  limit(ms: number): void {
    this.#limit = ms
    if (this.thread !== undefined && !this.isSettled) this.#startTimer(ms)
  }

  #startTimer(ms: number): void {
    runtime.stopTimeout(this.#timer)
    this.#timer = runtime.startTimeout(() => this.stop(new PoolTimeoutError()), ms)
  }

  tell(payload: unknown): void {
    this.#events++
    const { on } = this.options ?? {}
    if (on !== undefined) guarded(() => on(payload))
    if (this.#due !== undefined && this.#events >= this.#due.events) this.#due.settle()
  }

  succeed({ value, events }: MethodResult): void {
    const settle = (): void => this.#settle(() => this.#resolve(value))
    if (this.#events >= events) settle()
    else this.#due = { events, settle }
  }

  /** Whether it is over, except that events of it have yet to come. */
  get isDue(): boolean {
    return this.#due !== undefined && !this.isSettled
  }

  /** No more events will come. */
  finish(): void {
    this.#due?.settle()
  }

  fail(error: unknown): void {
    this.#settle(() => this.#reject(error))
  }

  #settle(settle: () => void): void {
    if (this.isSettled) return
    this.isSettled = true
    runtime.stopTimeout(this.#timer)
    settle()
  }
}

/** Receives the changes of a thread. */
export interface PoolThreadListener {
  /** It has no task any more. */
  idle(): void
  /** It has ended, and the pool has not asked for it. */
  gone(thread: PoolThread, isBroken: boolean): void
}

/** A thread of a workerpool. It has one task at a time. */
export class PoolThread {
  /** What it was made with. */
  readonly arg: PoolWorkerArg
  readonly #thread: WorkerThread
  readonly #listener: PoolThreadListener
  readonly #patience: number
  readonly #resting = new Set<() => void>()
  /** The tasks of which events may still come, by their numbers. */
  readonly #heard = new Map<number, ExecutedTask>()
  #task: ExecutedTask | undefined
  #future: Future<unknown> | undefined
  /** Whether a task that was stopped has not ended yet. */
  #isCleaning = false
  #isEnding = false
  #isGone = false

  constructor(arg: PoolWorkerArg, patience: number, listener: PoolThreadListener) {
    this.arg = arg
    this.#patience = patience
    this.#listener = listener
    this.#thread = new WorkerThread(
      { ...arg.workerThreadOpts, terminateAfter: patience },
      { message: (value) => this.#receive(value), died: (error) => this.#reap(error, false) },
    )
    const url = arg.script === undefined ? undefined : urlOf(arg.script)
    void this.#thread.submit(equipMethods, [url], []).then(
      () => undefined,
      (error: unknown) => this.#reap(this.#thread.deathIn(error)?.reason ?? error, true),
    )
  }

  /** The worker of the runtime. */
  get worker(): object {
    return this.#thread.runtimeThread
  }

  /** Whether it has a task, or cleans up after one. */
  busy(): boolean {
    return this.#task !== undefined || this.#isCleaning
  }

  /** Whether it can have a task. */
  get isFree(): boolean {
    return !this.busy() && !this.#isEnding
  }

  run(task: ExecutedTask): void {
    this.#task = task
    this.#heard.set(task.id, task)
    for (const [id, earlier] of this.#heard) if (earlier.isSettled && this.#heard.size > HEARD) this.#heard.delete(id)
    task.begin(this)
    const { id, method, params, options } = task
    try {
      this.#future = this.#thread.submit(callMethod, [id, method, params], options?.transfer ?? [])
    } catch (error) {
      task.fail(error)
      this.#rest(task)
      return
    }
    void this.#future.then(
      (result) => {
        task.succeed(result as MethodResult)
        if (task.isDue) this.#thread.runtimeThread.ref() // only its messages can end the wait
        this.#rest(task)
      },
      (error: unknown) => {
        const death = this.#thread.deathIn(error)
        if (death !== undefined) this.#reap(death.reason, false)
        // Later: what it has emitted before comes another way.
        else runtime.afterTurn(() => this.#fail(task, error))
      },
    )
  }

  #fail(task: ExecutedTask, error: unknown): void {
    task.fail(error)
    this.#rest(task)
  }

  /** Stops the task, which has been settled. The thread is busy until the task has ended, or it has died of it. */
  abort(task: ExecutedTask): void {
    if (this.#task !== task || this.#isCleaning) return
    this.#isCleaning = true
    this.#future?.cancel(true)
    void this.#thread.submit(equipMethods, [undefined], []).then(
      () => {
        this.#isCleaning = false
        this.#rest(task)
      },
      (error: unknown) => this.#reap(this.#thread.deathIn(error)?.reason ?? error, false),
    )
  }

  #rest(task: ExecutedTask): void {
    if (this.#task !== task || this.#isCleaning) return
    this.#task = undefined
    this.#wakeResting()
    if (!this.#isEnding) this.#listener.idle()
  }

  #wakeResting(): void {
    for (const told of this.#resting) told()
    this.#resting.clear()
  }

  #receive(value: unknown): void {
    const event = value as Partial<TaskEvent> | null
    if (typeof event !== "object" || event?.corepoolEvent === undefined) return
    const task = this.#heard.get(event.corepoolEvent)
    task?.tell(event.payload)
    if (![...this.#heard.values()].some((other) => other.isDue)) this.#thread.runtimeThread.unref()
  }

  #reap(reason: unknown, isBroken: boolean): void {
    if (this.#isGone) return
    this.#isGone = true
    const task = this.#task
    this.#task = undefined
    this.#isCleaning = false
    this.#wakeResting()
    task?.fail(reason)
    this.#finishAll()
    if (this.#isEnding) return
    this.#isEnding = true
    void this.#thread.stop()
    this.#listener.gone(this, isBroken)
  }

  /** Ends it: when its task is over and it has cleaned up, or with `force` at once. */
  async end(force: boolean, error: () => Error): Promise<void> {
    this.#isEnding = true
    if (!force) {
      if (this.busy()) await new Promise<void>((resolve) => this.#resting.add(resolve))
      if (!this.#isGone) await this.#cleanUp()
    }
    const task = this.#task
    this.#isGone = true // its death is no news from here on
    this.#task = undefined
    this.#wakeResting()
    task?.fail(error())
    await this.#thread.stop()
    this.#finishAll()
  }

  #finishAll(): void {
    for (const task of this.#heard.values()) task.finish()
    this.#heard.clear()
  }

  /** Lets it clean up, for as long as it may take. */
  #cleanUp(): Promise<void> {
    return new Promise((resolve) => {
      const timer = runtime.startTimeout(resolve, this.#patience)
      const finish = (): void => {
        runtime.stopTimeout(timer)
        resolve()
      }
      void this.#thread.submit(terminateMethods, [], []).then(finish, finish)
    })
  }
}
