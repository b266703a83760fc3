import { decode } from "../../codec/codec.ts"
import { NotSerializableError } from "../../errors.ts"
import type { Runnable } from "../../future/runnable.ts"
import { EXCEPTIONAL } from "../../future/task-state.ts"
import { heed } from "../../memory/flow/guard.ts"
import type { CompletionQueues } from "../memory/completion-queues.ts"
import { fail } from "../submit/failure.ts"
import type { ForeignTask } from "../worker/foreign-task.ts"
import { AFTER, AFTER_RUN, BEFORE, COMMAND, DONE, NOTED, THREW, REPORTED, UNCAUGHT } from "../memory/layout.ts"
import type { SharedWorker } from "../memory/workers/shared-worker.ts"
import type { Submissions } from "../submit/submissions.ts"
import type { AfterHook } from "../submit/task-calls.ts"
import type { TaskRecords } from "../memory/task-records.ts"

export interface HookMethods {
  before(worker: SharedWorker, task: Runnable): unknown
  after(task: Runnable, error: unknown): unknown
  /** Reports what a hook or a command has thrown. */
  report(worker: SharedWorker, error: unknown): void
}

/**
 * Calls the hooks of a pool of platform threads. `beforeExecute` and `afterExecute` are methods of an object in the
 * owner's thread, so a worker that is about to run a task, or has run one, asks the owner to call them and waits for
 * that. A pool without hooks does not ask.
 */
export class Hooks {
  readonly #tasks: TaskRecords
  readonly #completionQueues: CompletionQueues
  readonly #submissions: Submissions
  readonly #foreign: (slot: number) => ForeignTask
  readonly #methods: HookMethods
  /** The tokens of the workers whose hooks are running in this thread. */
  readonly #answering = new Set<number>()
  /** By worker: the last task, and what `afterExecute` has thrown. It is called again, with that error. */
  readonly #thrown = new Map<number, { readonly task: Runnable; readonly error: unknown }>()

  constructor(
    tasks: TaskRecords,
    completionQueues: CompletionQueues,
    submissions: Submissions,
    foreign: (slot: number) => ForeignTask,
    methods: HookMethods,
  ) {
    this.#tasks = tasks
    this.#completionQueues = completionQueues
    this.#submissions = submissions
    this.#foreign = foreign
    this.#methods = methods
  }

  /**
   * Calls the hook that the worker asks for, and answers. The worker waits for the answer, so it gets one whatever goes
   * wrong. A hook may block this thread, which then serves the other workers; the hook of this worker is not called a
   * second time.
   */
  call(worker: SharedWorker, what: number): void {
    const { token } = worker
    if (this.#answering.has(token)) return
    this.#answering.add(token)
    let answer: number = DONE
    try {
      answer = this.#call(worker, what)
    } catch (error) {
      this.#methods.report(worker, error)
    } finally {
      this.#answering.delete(token)
      if (worker.token === token) worker.answer(answer) // else the worker has died, and another one has its line
    }
  }

  /** Returns the answer. */
  #call(worker: SharedWorker, what: number): number {
    if (what === BEFORE) return this.#before(worker)
    if (what === AFTER || what === AFTER_RUN) return this.#after(worker, what === AFTER_RUN)
    // The other two: a command that another thread has submitted has thrown, or afterExecute itself.
    if (what === UNCAUGHT) this.#methods.report(worker, this.#errorIn(worker.currentSlot))
    else this.#afterAgain(worker)
    return DONE
  }

  #before(worker: SharedWorker): number {
    const slot = worker.currentSlot
    try {
      heed(this.#methods.before(worker, this.#submissions.taskIn(slot) ?? this.#foreign(slot)), (error) =>
        this.#methods.report(worker, error),
      )
    } catch (error) {
      // The worker puts the slot into the completion queue.
      fail(this.#tasks, slot, error)
      if (this.#tasks.hasFlag(slot, COMMAND | REPORTED | NOTED)) this.#tasks.noteWorker(slot, worker.number)
      // The error of a command is reported by its submitter, when it receives the task.
      if (!this.#tasks.hasFlag(slot, COMMAND | REPORTED)) this.#methods.report(worker, error)
      return THREW
    }
    return DONE
  }

  /** The task is over, unless `goesOn`. */
  #after(worker: SharedWorker, goesOn: boolean): number {
    const slot = worker.currentSlot
    const isOurs = this.#submissions.taskIn(slot) !== undefined
    let answer: number = DONE
    let isAnswered = false
    const hook: AfterHook = (task, error) => {
      try {
        heed(this.#methods.after(task, error), (reason) => this.#methods.report(worker, reason))
      } catch (thrown) {
        if (isAnswered) {
          this.#methods.report(worker, thrown)
          return
        }
        this.#thrown.set(worker.number, { task, error: thrown })
        answer = THREW
      }
    }
    if (goesOn) hook(this.#submissions.taskIn(slot) ?? this.#foreign(slot), undefined)
    else if (isOurs) this.#submissions.receive(slot, hook)
    else {
      try {
        hook(this.#foreign(slot), this.#thrownBy(slot))
      } finally {
        this.#completionQueues.put(slot)
      }
    }
    isAnswered = true // a hook that is called later, when the rest of the result has arrived, keeps no worker waiting
    return answer
  }

  /** What the task in this slot has thrown, if it is a command and has failed. */
  #thrownBy(slot: number): unknown {
    const hasThrown = this.#tasks.hasFlag(slot, COMMAND) && this.#tasks.stateOf(slot) === EXCEPTIONAL
    return hasThrown ? this.#errorIn(slot) : undefined
  }

  #errorIn(slot: number): unknown {
    if (this.#tasks.isPosted(slot)) {
      return new NotSerializableError("A command has thrown a value that only its submitter can receive")
    }
    const encoded = this.#tasks.read(slot)
    const error: unknown = decode(encoded)
    encoded.release()
    return error
  }

  #afterAgain(worker: SharedWorker): void {
    const { task, error } = this.#thrown.get(worker.number) ?? { task: () => undefined, error: undefined }
    this.#thrown.delete(worker.number)
    let last = error
    try {
      heed(this.#methods.after(task, error), (reason) => this.#methods.report(worker, reason))
    } catch (second) {
      last = second
    }
    this.#methods.report(worker, last)
  }
}
