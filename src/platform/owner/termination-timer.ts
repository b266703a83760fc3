import type { Chore, Chores } from "../../memory/flow/chores.ts"
import { TERMINATE_AFTER } from "../../thread/platform-threads.ts"
import { now, Timer } from "../../time/timer.ts"
import type { SharedWorker } from "../memory/shared-worker.ts"
import type { TaskRecords } from "../memory/task-records.ts"
import type { WorkerBody } from "../start/thread-body.ts"

interface Deadline {
  readonly worker: SharedWorker
  /** 0 if the thread had not begun. */
  readonly token: number
  /** The handle of the task. */
  readonly handle: number
  readonly due: number
}

/**
 * Terminates tasks that do not stop when they are interrupted. An interrupted worker has `terminateAfter` ms; if it is
 * then still at the same task, and in user code, its thread is terminated.
 */
export class TerminationTimer implements Chore {
  readonly #tasks: TaskRecords
  readonly #bodyOf: (worker: SharedWorker) => WorkerBody | undefined
  readonly #chores: Chores
  readonly #carryOut: () => void
  #deadlines: Deadline[] = []
  #timer: Timer | undefined

  /** `carryOut` is called when a deadline has passed. */
  constructor(
    tasks: TaskRecords,
    bodyOf: (worker: SharedWorker) => WorkerBody | undefined,
    chores: Chores,
    carryOut: () => void,
  ) {
    this.#tasks = tasks
    this.#bodyOf = bodyOf
    this.#chores = chores
    this.#carryOut = carryOut
  }

  /** The worker has been interrupted because of the task with this handle, by default its current one. */
  mark(worker: SharedWorker, handle: number = this.#tasks.handleOf(worker.currentSlot)): void {
    const patience = this.#bodyOf(worker)?.options.terminateAfter ?? TERMINATE_AFTER
    if (worker.currentSlot === 0 || patience === Infinity) return
    this.#deadlines.push({ worker, token: worker.token, handle, due: now() + patience })
    this.#wind()
  }

  /** In ms from now. */
  get dueIn(): number {
    return this.#deadlines.reduce((soonest, { due }) => Math.min(soonest, due), Infinity) - now()
  }

  /** Marks the workers that are overdue and have not stopped as condemned: the caller must terminate them now. */
  markTerminating(): WorkerBody[] {
    const time = now()
    const terminating: WorkerBody[] = []
    const due = this.#deadlines.filter((deadline) => deadline.due <= time)
    this.#deadlines = this.#deadlines.filter((deadline) => deadline.due > time)
    for (const { worker, token, handle } of due) {
      const body = this.#bodyOf(worker)
      if (body === undefined || worker.currentSlot !== this.#tasks.slotOf(handle) || !this.#tasks.isCurrent(handle))
        continue
      if (token === 0) {
        // The thread had not begun. Until it begins it is not in user code; from then on it has the whole time.
        const patience = body.options.terminateAfter ?? TERMINATE_AFTER
        this.#deadlines.push({ worker, token: worker.token, handle, due: time + patience })
        continue
      }
      if (worker.token !== token) continue
      if (worker.markTerminating()) terminating.push(body)
      else this.#deadlines.push({ worker, token, handle, due: time + 1 }) // between two pieces of user code
    }
    this.#wind()
    return terminating
  }

  run(): void {
    this.#carryOut()
  }

  #wind(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#deadlines.length === 0) this.#chores.delete(this)
    else {
      this.#chores.add(this)
      // Does not keep the process alive: the end of the process ends the task.
      this.#timer = new Timer(Math.max(this.dueIn, 0), true, this.#carryOut)
    }
  }
}
