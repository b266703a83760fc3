/**
 * The hooks of a pool of platform threads. `beforeExecute` and `afterExecute` are methods of an object in the owner's
 * thread, so a worker that is about to run a task, or has run one, asks the owner to call them and waits for that. A pool
 * without hooks does not ask.
 */
import { decode } from "../codec/codec.ts"
import { NotSerializableError } from "../errors.ts"
import type { Runnable } from "../future/runnable.ts"
import { EXCEPTIONAL } from "../future/task-state.ts"
import type { Boxes } from "./boxes.ts"
import { fail } from "./failure.ts"
import type { ForeignTask } from "./foreign-task.ts"
import { AFTER, AFTER_RUN, BEFORE, COMMAND, DONE, THREW, TOLD, UNCAUGHT } from "./layout.ts"
import type { SharedWorker } from "./shared-worker.ts"
import type { Submissions } from "./submissions.ts"
import type { TaskRecords } from "./task-records.ts"

export interface HookMethods {
  before(worker: SharedWorker, task: Runnable): void
  after(task: Runnable, error: unknown): void
  /** What one of them has thrown, or a command. */
  report(worker: SharedWorker, error: unknown): void
}

export class Hooks {
  readonly #tasks: TaskRecords
  readonly #boxes: Boxes
  readonly #submissions: Submissions
  readonly #foreign: (slot: number) => ForeignTask
  readonly #methods: HookMethods
  /** The tasks that workers have had last, and what `afterExecute` has thrown: it is called again, with that. */
  readonly #thrown = new Map<number, { readonly task: Runnable; readonly error: unknown }>()

  constructor(
    tasks: TaskRecords,
    boxes: Boxes,
    submissions: Submissions,
    foreign: (slot: number) => ForeignTask,
    methods: HookMethods,
  ) {
    this.#tasks = tasks
    this.#boxes = boxes
    this.#submissions = submissions
    this.#foreign = foreign
    this.#methods = methods
  }

  /** Calls what the worker asks for, and answers. */
  call(worker: SharedWorker, what: number): void {
    if (what === BEFORE) this.#before(worker)
    else if (what === AFTER || what === AFTER_RUN) this.#after(worker, what === AFTER_RUN)
    else if (what === UNCAUGHT) this.#tell(worker)
    else this.#afterAgain(worker)
  }

  /** Of a command that another thread has submitted. */
  #tell(worker: SharedWorker): void {
    this.#methods.report(worker, this.#errorIn(worker.handheld))
    worker.answer(DONE)
  }

  #before(worker: SharedWorker): void {
    const slot = worker.handheld
    try {
      this.#methods.before(worker, this.#submissions.taskIn(slot) ?? this.#foreign(slot))
    } catch (error) {
      // The worker puts it into the box.
      fail(this.#tasks, slot, error)
      // What a command throws, its submitter tells when it hears of it.
      if (this.#tasks.hasFlag(slot, COMMAND | TOLD)) this.#tasks.noteWorker(slot, worker.number)
      else this.#methods.report(worker, error)
      worker.answer(THREW)
      return
    }
    worker.answer(DONE)
  }

  /** The task is over, unless it goes on. */
  #after(worker: SharedWorker, goesOn: boolean): void {
    const slot = worker.handheld
    const isOurs = this.#submissions.taskIn(slot) !== undefined
    let answer = DONE as number
    const hook = (task: Runnable, error: unknown): void => {
      try {
        this.#methods.after(task, error)
      } catch (thrown) {
        this.#thrown.set(worker.number, { task, error: thrown })
        answer = THREW
      }
    }
    if (goesOn) hook(this.#submissions.taskIn(slot) ?? this.#foreign(slot), undefined)
    else if (isOurs) this.#submissions.receive(slot, hook)
    else {
      hook(this.#foreign(slot), this.#thrownBy(slot))
      this.#boxes.put(slot)
    }
    worker.answer(answer)
  }

  /** What the command in this slot has thrown, if it is one and has. */
  #thrownBy(slot: number): unknown {
    const hasThrown = this.#tasks.hasFlag(slot, COMMAND) && this.#tasks.stateOf(slot) === EXCEPTIONAL
    return hasThrown ? this.#errorIn(slot) : undefined
  }

  #errorIn(slot: number): unknown {
    if (this.#tasks.isPosted(slot)) {
      return new NotSerializableError("A command has thrown something that only its submitter can be told")
    }
    const letter = this.#tasks.read(slot)
    const error: unknown = decode(letter)
    letter.release()
    return error
  }

  #afterAgain(worker: SharedWorker): void {
    const { task, error } = this.#thrown.get(worker.number) ?? { task: () => undefined, error: undefined }
    this.#thrown.delete(worker.number)
    let last = error
    try {
      this.#methods.after(task, error)
    } catch (second) {
      last = second
    }
    this.#methods.report(worker, last)
    worker.answer(DONE)
  }
}
