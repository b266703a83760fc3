import { RENEW } from "../../future/internals.ts"
import type { EncodedValue } from "../../codec/bytes/encoded-value.ts"
import { FutureTask } from "../../future/future-task.ts"
import { CANCELLED, COMPLETING, EXCEPTIONAL, NEW, NORMAL } from "../../future/task-state.ts"
import { functionInPlaceOf } from "../../task/reference.ts"
import type { CompletionQueues } from "../memory/completion-queues.ts"
import type { TaskPayloads } from "./task-payloads.ts"
import { CARRIES } from "../memory/layout.ts"
import { callWithStores } from "./carried-stores.ts"
import type { FunctionTable } from "../memory/function-table.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/** The pool, which must not terminate while a slot is on its way. */
export interface EndingPool {
  beginEnd(): void
  finishEnd(): void
}

/**
 * A task that another thread has submitted, for a thread that has it though it is no worker: the queue shows it, a
 * handler gets it, `shutdownNow` hands it back. This thread can run it, and its submitter gets the outcome.
 */
export class ForeignTask extends FutureTask<unknown> {
  readonly #slot: number
  readonly #tasks: TaskRecords
  readonly #completionQueues: CompletionQueues
  readonly #payloads: TaskPayloads
  readonly #functions: FunctionTable
  readonly #pool: EndingPool | undefined
  /** Arguments that the submitter has, and that were requested. */
  #pending: Promise<unknown> | undefined

  /**
   * `pool` if this thread has taken the slot: then the slot is put into the completion queue of its submitter when the
   * task is over.
   */
  constructor(
    slot: number,
    tasks: TaskRecords,
    completionQueues: CompletionQueues,
    functions: FunctionTable,
    payloads: TaskPayloads,
    pool: EndingPool | undefined,
  ) {
    super(async () => {
      const found = await functions.find(tasks.functionOf(slot))
      const args = payloads.argumentsOf(slot) ?? (await payloads.fetch(slot))
      try {
        return await (tasks.hasFlag(slot, CARRIES) ? callWithStores(found.fn, args) : found.fn(...args))
      } catch (error) {
        throw found.explain(error)
      }
    })
    this.#slot = slot
    this.#tasks = tasks
    this.#completionQueues = completionQueues
    this.#payloads = payloads
    this.#functions = functions
    this.#pool = pool
    if (tasks.stateOf(slot) !== NEW) this.cancel()
  }

  /** @internal The same work as a task of this thread, which does not keep the slot. */
  override [RENEW](): FutureTask<unknown> {
    try {
      const fn = functionInPlaceOf(this.#functions.referenceOf(this.#tasks.functionOf(this.#slot)))
      const args = this.#payloads.argumentsOf(this.#slot) ?? this.#payloads.fetch(this.#slot)
      const carries = this.#tasks.hasFlag(this.#slot, CARRIES)
      if (Array.isArray(args) && carries) args.pop()
      if (Array.isArray(args)) return FutureTask.ofCall(fn, args as never[])
      this.#pending = args.catch(() => undefined) // the task that is returned reports the error, if it runs
      return new FutureTask(async () => {
        const given = (await args) as never[]
        return fn(...(carries ? given.slice(0, -1) : given))
      })
    } catch (error) {
      // The submitter has died with the arguments, or they cannot be decoded here: other tasks must not suffer.
      return new FutureTask(() => {
        throw error
      })
    }
  }

  protected override done(): void {
    const tasks = this.#tasks
    const slot = this.#slot
    const { state } = this
    if (state === "cancelled") tasks.leaveNew(slot, CANCELLED)
    else if (state === "failed") this.#end(this.#payloads.encodeError(slot, this.exceptionNow()), EXCEPTIONAL)
    else this.#succeed(this.resultNow())
    const pool = this.#pool
    if (pool === undefined) return // the thread that takes it out of the queue puts it there
    if (this.#pending === undefined) this.#completionQueues.put(slot)
    else void this.#putAfter(this.#pending, pool)
  }

  /** The submitter keeps the arguments until it knows that the task is over. */
  async #putAfter(pending: Promise<unknown>, pool: EndingPool): Promise<void> {
    pool.beginEnd()
    await pending
    this.#completionQueues.put(this.#slot)
    pool.finishEnd()
  }

  #succeed(value: unknown): void {
    let encoded: EncodedValue
    try {
      encoded = this.#payloads.encode(this.#slot, value)
    } catch (error) {
      this.#end(this.#payloads.encodeError(this.#slot, error), EXCEPTIONAL)
      return
    }
    this.#end(encoded, NORMAL)
  }

  #end(encoded: EncodedValue, state: typeof NORMAL | typeof EXCEPTIONAL): void {
    if (this.#tasks.leaveNew(this.#slot, COMPLETING)) this.#payloads.settle(this.#slot, encoded, state)
    else this.#payloads.drop(encoded)
  }
}
