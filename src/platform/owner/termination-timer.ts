import { type Chore, type Chores, ChoreTimer } from "../../memory/flow/chores.ts"
import { TERMINATE_AFTER } from "../../thread/platform-threads.ts"
import { now } from "../../time/timer.ts"
import { DONE } from "../memory/layout.ts"
import type { SharedWorker } from "../memory/workers/shared-worker.ts"
import { RUNNING, STARTING } from "../memory/workers/worker-line.ts"
import type { TaskRecords } from "../memory/task-records.ts"
import type { WorkerBody } from "../start/thread-body.ts"

interface Deadline {
  readonly worker: SharedWorker
  /** 0 if the thread had not begun. */
  readonly token: number
  /** The handle of the task; 0 if the worker has to leave. */
  readonly handle: number
  readonly due: number
  /** How long the worker has been found in the code of the pool, at the same task, after the time was up; in ms. */
  readonly late: number
}

/** The first pause between two looks at a worker that is overdue and in the code of the pool, in ms; each is longer. */
const PAUSE = 1

/**
 * Terminates tasks that do not stop when they are interrupted. An interrupted worker has `terminateAfter` ms; if it is
 * then still at the same task, and in user code, its thread is terminated.
 *
 * If it is in the code of the pool at that time, that code usually returns within microseconds. But it may call a
 * built-in method that a task has replaced by one that does not return. So a worker that is still there a second later
 * is terminated as well: that costs its tasks, which are cancelled anyway, and no more than any other death. [PL67]
 *
 * Once the pool has stopped, workers that have no task are terminated as well, if they do not leave: code that a task
 * has left behind, the callback of a timer for instance, need not return.
 */
export class TerminationTimer implements Chore {
  readonly #tasks: TaskRecords
  readonly #bodyOf: (worker: SharedWorker) => WorkerBody | undefined
  readonly #timer: ChoreTimer
  readonly #carryOut: () => void
  #deadlines: Deadline[] = []
  #isStopped = false

  /** `carryOut` is called when a deadline has passed. */
  constructor(
    tasks: TaskRecords,
    bodyOf: (worker: SharedWorker) => WorkerBody | undefined,
    chores: Chores,
    carryOut: () => void,
  ) {
    this.#tasks = tasks
    this.#bodyOf = bodyOf
    this.#timer = new ChoreTimer(chores, this)
    this.#carryOut = carryOut
  }

  /** The worker has been interrupted because of the task with this handle, by default its current one. */
  mark(worker: SharedWorker, handle: number = this.#tasks.handleOf(worker.currentSlot)): void {
    const patience = this.#patienceWith(worker)
    if (worker.currentSlot === 0 || patience === Infinity) return
    this.#deadlines.push({ worker, token: worker.token, handle, due: now() + patience, late: 0 })
    this.#wind()
  }

  /** The pool has stopped: all workers have to leave. */
  markAll(workers: Iterable<SharedWorker>): void {
    if (this.#isStopped) return
    this.#isStopped = true
    for (const worker of workers) this.#awaitDeparture(worker)
    this.#wind()
  }

  /** A worker that could leave at once may still need a moment: an idle thread has to wake up first. */
  #awaitDeparture(worker: SharedWorker): void {
    const patience = Math.max(this.#patienceWith(worker), TERMINATE_AFTER)
    if (patience < Infinity)
      this.#deadlines.push({ worker, token: worker.token, handle: 0, due: now() + patience, late: 0 })
  }

  #patienceWith(worker: SharedWorker): number {
    return this.#bodyOf(worker)?.options.terminateAfter ?? TERMINATE_AFTER
  }

  /** In ms from now. */
  get dueIn(): number {
    return this.#deadlines.reduce((soonest, { due }) => Math.min(soonest, due), Infinity) - now()
  }

  /** Marks the workers that are overdue and have not stopped, and returns them: the caller must terminate them now. */
  markTerminating(): WorkerBody[] {
    const time = now()
    const terminating: WorkerBody[] = []
    const due = this.#deadlines.filter((deadline) => deadline.due <= time)
    this.#deadlines = this.#deadlines.filter((deadline) => deadline.due > time)
    for (const deadline of due) {
      const { worker, token, handle } = deadline
      const body = this.#bodyOf(worker)
      if (handle === 0) {
        if (body !== undefined && this.#stays(worker, token)) terminating.push(body)
        continue
      }
      if (body === undefined || worker.currentSlot !== this.#tasks.slotOf(handle) || !this.#tasks.isCurrent(handle))
        continue
      if (token === 0) {
        // The thread had not begun. Until it begins it is not in user code; from then on it has the whole time.
        this.#deadlines.push({
          ...deadline,
          token: worker.token,
          due: time + Math.max(this.#patienceWith(worker), PAUSE),
        })
        continue
      }
      if (worker.token !== token) continue
      if (worker.markTerminating() || (this.#isStuck(deadline) && worker.markStaying())) terminating.push(body)
      else this.#deadlines.push(lookedAgain(deadline, time)) // between two pieces of user code
    }
    this.#wind()
    return terminating
  }

  /** Whether the worker does not get out of the code of the pool. A worker that waits for a hook is not stuck. */
  #isStuck({ worker, late }: Deadline): boolean {
    const awaitsHook = worker.asked !== 0 && worker.asked < DONE
    return late >= Math.max(this.#patienceWith(worker), TERMINATE_AFTER) && !awaitsHook
  }

  /** Whether the worker is marked, as it has not left in time. With a task, or before it begins, it has more time. */
  #stays(worker: SharedWorker, token: number): boolean {
    const { status } = worker
    if ((status !== RUNNING && status !== STARTING) || (token !== 0 && token !== worker.token)) return false
    if (token !== 0 && worker.currentSlot === 0) return worker.markStaying()
    this.#awaitDeparture(worker)
    return false
  }

  run(): void {
    this.#carryOut()
  }

  /** The timer does not keep the process alive: the end of the process ends the task. */
  #wind(): void {
    this.#timer.wind(this.#deadlines.length > 0)
  }
}

/** The pauses double: a few looks are enough, however long the worker takes. */
function lookedAgain(deadline: Deadline, time: number): Deadline {
  const pause = Math.min(Math.max(deadline.late, PAUSE), TERMINATE_AFTER)
  return { ...deadline, due: time + pause, late: deadline.late + pause }
}
