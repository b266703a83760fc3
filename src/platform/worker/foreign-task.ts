/**
 * A task that another thread has submitted, for a thread that has to do with it though it is no worker: the queue shows it, a
 * handler gets it, `shutdownNow` hands it back. It can be run, here, and its submitter hears of what becomes of it.
 */
import type { Letter } from "../../codec/bytes/letter.ts"
import { FutureTask } from "../../future/future-task.ts"
import { CANCELLED, COMPLETING, EXCEPTIONAL, NEW, NORMAL } from "../../future/task-state.ts"
import { standIn } from "../../task/reference.ts"
import type { Boxes } from "../memory/boxes.ts"
import type { Desk } from "./desk.ts"
import type { FunctionTable } from "../memory/function-table.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/** The pool, which must not end while something is on its way. */
export interface EndingPool {
  beginEnd(): void
  finishEnd(): void
}

export class ForeignTask extends FutureTask<unknown> {
  readonly #slot: number
  readonly #tasks: TaskRecords
  readonly #boxes: Boxes
  readonly #desk: Desk
  readonly #functions: FunctionTable
  readonly #pool: EndingPool | undefined
  /** Arguments that are with the submitter, and have been asked for. */
  #pending: Promise<unknown> | undefined

  /** `pool` if this thread has taken the slot: then it is put into its submitter's box when this is over. */
  constructor(
    slot: number,
    tasks: TaskRecords,
    boxes: Boxes,
    functions: FunctionTable,
    desk: Desk,
    pool: EndingPool | undefined,
  ) {
    super(async () => {
      const found = await functions.find(tasks.functionOf(slot))
      const args = desk.argumentsOf(slot) ?? (await desk.fetch(slot))
      try {
        return await found.fn(...args)
      } catch (error) {
        throw found.explain(error)
      }
    })
    this.#slot = slot
    this.#tasks = tasks
    this.#boxes = boxes
    this.#desk = desk
    this.#functions = functions
    this.#pool = pool
    if (tasks.stateOf(slot) !== NEW) this.cancel()
  }

  /** The same work, as a task of this thread: the slot is not ours to keep. */
  override renew(): FutureTask<unknown> {
    try {
      const fn = standIn(this.#functions.referenceOf(this.#tasks.functionOf(this.#slot)))
      const args = this.#desk.argumentsOf(this.#slot) ?? this.#desk.fetch(this.#slot)
      if (Array.isArray(args)) return FutureTask.ofCall(fn, args as never[])
      this.#pending = args.catch(() => undefined) // told to who runs it, if anybody does
      return new FutureTask(async () => fn(...((await args) as never[])))
    } catch (error) {
      // The submitter has died with them, or they cannot be read here: other tasks must not suffer.
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
    else if (state === "failed") this.#end(this.#desk.encodeError(slot, this.exceptionNow()), EXCEPTIONAL)
    else this.#succeed(this.resultNow())
    const pool = this.#pool
    if (pool === undefined) return // the thread that takes it out of the queue puts it into the box
    if (this.#pending === undefined) this.#boxes.put(slot)
    else void this.#putAfter(this.#pending, pool)
  }

  /** The submitter keeps the arguments until it hears that the task is over. */
  async #putAfter(pending: Promise<unknown>, pool: EndingPool): Promise<void> {
    pool.beginEnd()
    await pending
    this.#boxes.put(this.#slot)
    pool.finishEnd()
  }

  #succeed(value: unknown): void {
    let letter: Letter
    try {
      letter = this.#desk.encode(this.#slot, value)
    } catch (error) {
      this.#end(this.#desk.encodeError(this.#slot, error), EXCEPTIONAL)
      return
    }
    this.#end(letter, NORMAL)
  }

  #end(letter: Letter, state: typeof NORMAL | typeof EXCEPTIONAL): void {
    if (this.#tasks.leaveNew(this.#slot, COMPLETING)) this.#desk.settle(this.#slot, letter, state)
    else this.#desk.drop(letter)
  }
}
