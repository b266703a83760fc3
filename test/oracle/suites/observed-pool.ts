/** A ThreadPoolExecutor that counts its hooks and knows its tasks by name, and what such pools are made of. */
import {
  AbortPolicy,
  ArrayBlockingQueue,
  type BlockingQueue,
  type Callable,
  CallerRunsPolicy,
  DiscardOldestPolicy,
  DiscardPolicy,
  Executors,
  type Future,
  type FutureTask,
  LinkedBlockingQueue,
  PriorityBlockingQueue,
  type RejectedExecutionHandler,
  type Runnable,
  SynchronousQueue,
  type Thread,
  ThreadPoolExecutor,
} from "corepool"
import { type JsonObject, maybeInteger, ScenarioError, string, strings } from "../json.ts"
import { OwnError } from "../results.ts"
import { nameOfForeign } from "../stage/pool-tasks.ts"
import { NULL } from "./driver.ts"

type Options = ConstructorParameters<typeof ThreadPoolExecutor>[0]

export class ObservedPool extends ThreadPoolExecutor {
  readonly hooks = { before: 0, after: 0, afterWithThrowable: 0, terminated: 0 }
  readonly #names = new WeakMap<object, string>()
  readonly #beforeThrows: readonly string[]
  readonly #afterThrows: readonly string[]

  /** `troubles` may name tasks in `beforeExecuteThrows` and `afterExecuteThrows`. */
  constructor(options: Options, troubles: JsonObject) {
    super(options)
    this.#beforeThrows = strings(troubles, "beforeExecuteThrows")
    this.#afterThrows = strings(troubles, "afterExecuteThrows")
  }

  /** Remembers the name of something about to be executed. */
  named<R extends Runnable>(runnable: R, name: string): R {
    this.#names.set(runnable, name)
    return runnable
  }

  /** A task handed back by shutdownNow is a new one, known only by what it says of itself. */
  nameOf(runnable: Runnable): string {
    const name = this.#names.get(runnable) ?? nameOfForeign(runnable) ?? /task = (\w+)\]$/.exec(String(runnable))?.[1]
    if (name === undefined) throw new ScenarioError(`Nobody knows the task ${String(runnable)}`)
    return name
  }

  /** Java's `submit(Runnable, result)`. */
  submitRunnable(runnable: () => unknown, result: unknown): Future<unknown> {
    return this.submit(Executors.callable(runnable, result))
  }

  protected override newTaskFor<T>(callable: Callable<T>): FutureTask<T> {
    return this.named(super.newTaskFor(callable), callable.name)
  }

  protected override beforeExecute(_thread: Thread, task: Runnable): void {
    this.hooks.before++
    if (this.#beforeThrows.length > 0 && this.#beforeThrows.includes(this.nameOf(task)))
      throw new OwnError("beforeExecute")
  }

  protected override afterExecute(task: Runnable, error?: unknown): void {
    this.hooks.after++
    if (error !== undefined) this.hooks.afterWithThrowable++
    if (this.#afterThrows.length > 0 && this.#afterThrows.includes(this.nameOf(task)))
      throw new OwnError("afterExecute")
  }

  protected override terminated(): void {
    this.hooks.terminated++
  }
}

export function queueFor(spec: JsonObject | undefined): BlockingQueue<Runnable> {
  if (spec === undefined) return NULL
  const capacity = maybeInteger(spec, "capacity")
  switch (string(spec, "kind")) {
    case "linked":
      return capacity === undefined ? new LinkedBlockingQueue() : new LinkedBlockingQueue(capacity)
    case "array":
      return new ArrayBlockingQueue(capacity ?? NULL)
    case "synchronous":
      return new SynchronousQueue()
    case "priority":
      return new PriorityBlockingQueue()
    default:
      throw new ScenarioError(`No such queue: ${JSON.stringify(spec)}`)
  }
}

export function handlerFor(kind: string | undefined): RejectedExecutionHandler {
  switch (kind) {
    case undefined:
      return NULL
    case "abort":
      return new AbortPolicy()
    case "callerRuns":
      return new CallerRunsPolicy()
    case "discard":
      return new DiscardPolicy()
    case "discardOldest":
      return new DiscardOldestPolicy()
    default:
      throw new ScenarioError(`No such handler: ${kind}`)
  }
}
