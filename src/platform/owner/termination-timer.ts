import type { Chore, Chores } from "../../memory/flow/chores.ts"
import { TERMINATE_AFTER } from "../../thread/platform-threads.ts"
import { now, Timer } from "../../time/timer.ts"
import type { SharedWorker } from "../memory/shared-worker.ts"
import type { TaskRecords } from "../memory/task-records.ts"
import type { WorkerBody } from "../start/thread-body.ts"

interface Deadline {
  readonly worker: SharedWorker
  /** 0 if its thread had not begun. */
  readonly token: number
  /** Of its task. */
  readonly handle: number
  readonly due: number
}

/**
 * Puts an end to tasks that do not stop when they are told to. Whoever is interrupted has `terminateAfter` ms; if it is
 * still at the same task then, and in code of the user's, its thread is terminated.
 */
export class TerminationTimer implements Chore {
  readonly #tasks: TaskRecords
  readonly #bodyOf: (worker: SharedWorker) => WorkerBody | undefined
  readonly #chores: Chores
  readonly #carryOut: () => void
  #deadlines: Deadline[] = []
  #timer: Timer | undefined

  /** `carryOut` is called when a sentence is due. */
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

  /** The worker has been interrupted, because of the task with this handle, or the one in its hand. */
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

  /** Condemns those who are due and have not stopped: they must be terminated now. */
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
        // It had not begun. As long as it has not it is in no code of the user's, and then it has the whole time.
        const patience = body.options.terminateAfter ?? TERMINATE_AFTER
        this.#deadlines.push({ worker, token: worker.token, handle, due: time + patience })
        continue
      }
      if (worker.token !== token) continue
      if (worker.markTerminating()) terminating.push(body)
      else this.#deadlines.push({ worker, token, handle, due: time + 1 }) // between two pieces of the user's code
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
      // Not worth staying alive for: the end of the process is the end of the task.
      this.#timer = new Timer(Math.max(this.dueIn, 0), true, this.#carryOut)
    }
  }
}
