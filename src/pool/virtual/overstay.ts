import { FAIL } from "../../future/internals.ts"
import { ThreadDeathError } from "../../errors.ts"
import { Carrier } from "../../executor/carrier.ts"
import { FutureTask } from "../../future/future-task.ts"
import type { Runnable } from "../../future/runnable.ts"
import { Flow, type StopWatch, type TaskPlace } from "../../memory/flow/flow.ts"
import { guarded } from "../../memory/flow/guard.ts"
import { Timer } from "../../time/timer.ts"

/** The place that a task has in an executor, with its thread. */
export interface Place extends TaskPlace {
  readonly task: Runnable | undefined
  giveFree(task: Runnable, error: ThreadDeathError): void
}

/**
 * Abandons a task that does not stop: `abandonAfter` ms after its interrupt it loses its place. The counterpart on
 * platform threads is the TerminationTimer, which ends the thread as well.
 */
export class Overstay implements StopWatch {
  readonly #after: number
  readonly #place: Place
  #timer: Timer | undefined
  /** The task that the timer is for. */
  #task: Runnable | undefined
  /** Whether that task was over for its callers, or the executor stopped, when the timer began. */
  #isMeant = false
  #isStray = false

  static of(place: TaskPlace, after: number): Overstay {
    const overstay = new Overstay(after, place as Place)
    if (place.isStopped) overstay.begin() // the thread was stopped before it began
    return overstay
  }

  private constructor(after: number, place: Place) {
    this.#after = after
    this.#place = place
  }

  /**
   * The flow was interrupted. If the interrupt was for another future that the task runs itself, the time starts anew
   * when the task itself is interrupted.
   */
  begin(): void {
    const { task } = this.#place
    if (task === undefined || this.#isStray || (this.#isMeant && this.#task === task)) return
    this.#timer?.cancel()
    this.#task = task
    this.#isMeant = this.#hasToEnd(task)
    // Keeps the process alive: tasks and callers may wait for the place.
    this.#timer = new Timer(this.#after, false, () => this.#timeIsUp(task))
  }

  /** The task that was awaited has ended. False if it was abandoned before. */
  ended(): boolean {
    if (this.#isStray) this.#place.strayEnded()
    else if (this.#timer !== undefined) this.#forget()
    return !this.#isStray
  }

  #forget(): void {
    this.#timer?.cancel()
    this.#timer = this.#task = undefined
    this.#isMeant = false
  }

  #timeIsUp(task: Runnable): void {
    this.#forget()
    const { thread } = this.#place
    if (this.#place.task !== task || !this.#hasToEnd(task)) return
    this.#isStray = true
    const why = `The task on thread "${thread.name}" was abandoned: it did not stop within ${this.#after} ms`
    const error = new ThreadDeathError(why)
    // Not the flow of the task: that is interrupted, and the task may still want to know.
    const flow = new Flow()
    flow.owner = thread
    flow.run(() => {
      if (task instanceof FutureTask) guarded(() => task[FAIL](error)) // does nothing if it is done
      this.#place.giveFree(task, error)
    })
  }

  #hasToEnd(task: Runnable): boolean {
    return this.#place.isStopped || (task instanceof FutureTask && isOver(task))
  }
}

/** A carrier only runs the future that its caller knows. */
function isOver(task: FutureTask<unknown>): boolean {
  return task.isDone || (task instanceof Carrier && task.future.isDone)
}
