/**
 * A task that another thread has submitted, for a thread that has to do with it though it is no worker: the queue shows it, a
 * handler gets it, `shutdownNow` hands it back. It can be run, here, and its submitter hears of what becomes of it.
 */
import type { Letter } from "../codec/letter.ts"
import { FutureTask } from "../future/future-task.ts"
import { CANCELLED, COMPLETING, EXCEPTIONAL, NEW, NORMAL } from "../future/task-state.ts"
import { standIn } from "../task/reference.ts"
import type { Boxes } from "./boxes.ts"
import type { Desk } from "./desk.ts"
import type { FunctionTable } from "./function-table.ts"
import type { TaskRecords } from "./task-records.ts"

export class ForeignTask extends FutureTask<unknown> {
  readonly #slot: number
  readonly #tasks: TaskRecords
  readonly #boxes: Boxes
  readonly #desk: Desk
  readonly #functions: FunctionTable
  readonly #isTaken: boolean

  /** `isTaken` if its slot is in nobody else's hands: then it is put into its submitter's box when this is over. */
  constructor(slot: number, tasks: TaskRecords, boxes: Boxes, functions: FunctionTable, desk: Desk, isTaken: boolean) {
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
    this.#isTaken = isTaken
    if (tasks.stateOf(slot) !== NEW) this.cancel()
  }

  /** The same work, as a task of this thread: the slot is not ours to keep. */
  override renew(): FutureTask<unknown> {
    const fn = standIn(this.#functions.referenceOf(this.#tasks.functionOf(this.#slot)))
    const args = this.#desk.argumentsOf(this.#slot) ?? this.#desk.fetch(this.#slot)
    if (Array.isArray(args)) return FutureTask.ofCall(fn, args as never[])
    args.catch(() => undefined) // told to who runs it, if anybody does
    return new FutureTask(async () => fn(...((await args) as never[])))
  }

  protected override done(): void {
    const tasks = this.#tasks
    const slot = this.#slot
    const { state } = this
    if (state === "cancelled") tasks.leaveNew(slot, CANCELLED)
    else if (state === "failed") this.#end(this.#desk.encodeError(slot, this.exceptionNow()), EXCEPTIONAL)
    else this.#succeed(this.resultNow())
    if (this.#isTaken) this.#boxes.put(slot) // otherwise whoever takes it out of the queue does
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
