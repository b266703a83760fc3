import { InterruptedError } from "../errors.ts"
import type { Flow } from "../memory/flow/flow.ts"
import { drive, driveLingering, type Settle, type Steps, TIMEOUT } from "../memory/flow/waiting.ts"
import { ACQUIRED_SHARED, CANCELLED } from "../memory/thread/node-pool.ts"
import { SHARED, type WaitQueue } from "../memory/wait/wait-queue.ts"

/** What a pool tells its {@link Pacing}. */
export interface PacedPool<R> {
  readonly queue: { readonly isEmpty: boolean; poll(): R | undefined }
  /** How a worker waits until a task can be taken, and leaves it in its place; false if time ran out. */
  looking(flow: Flow, isPatient: boolean): Steps<boolean>
  /** Whether the task is over before it has begun. */
  isOver(task: R): boolean
  /** Takes out the first task if it is over. */
  takeOver(): R | undefined
  /** Whether there is at most one worker, which cannot leave while tasks wait. */
  isLast(): boolean
  /** A worker has no task, and is about to wait. */
  sleeps(): void
  /** How long a worker blocks before it lets its event loop run, in ms; 0 if it must not block. */
  readonly linger: number
}

/** The limiter, as a pool needs it. */
export interface Pace {
  /** Waits for a permit, without a time limit; an interrupt ends the wait, and no permit is taken. */
  passing(flow: Flow): Steps<unknown>
  /** The permit was not used. */
  giveBack(): void
}

/**
 * How the workers of a pool with a rate limiter get their tasks.
 *
 * Idle workers stand in line, in `turn`. The first of them waits until a task can be taken, then for the limiter, then
 * takes the task and leaves the line, and so wakes the next. All others just wait to be first. So at most one worker of
 * the pool waits for the limiter, and what waits for it is in the queue: it can be removed, overtaken by a task of
 * higher priority, or handed back by shutdownNow().
 *
 * A worker that waits here is idle in every respect. A pause, a shutdown and a change of sizes interrupt it, and then
 * it looks at everything again. No worker is appointed to be the first. If that one dies, its permit may be lost, but
 * the death wakes all others, and one of them is first.
 */
export class Pacing<R> {
  readonly #pool: PacedPool<R>
  readonly #pace: Pace
  readonly #turn: WaitQueue
  /** Tasks that have a permit, and have not begun. */
  readonly #paid = new Set<R>()

  constructor(pool: PacedPool<R>, pace: Pace, turn: WaitQueue) {
    this.#pool = pool
    this.#pace = pace
    this.#turn = turn
  }

  get isEmpty(): boolean {
    return this.#pool.queue.isEmpty
  }

  /** Nothing: a task can be had only by {@link receive}. */
  poll(): undefined {
    return undefined
  }

  /** Delivers a task, or undefined if the time is up. */
  receive(settle: Settle<R | undefined>, flow: Flow, timeout: number): void {
    this.#pool.sleeps()
    // As in the queues of scheduled pools: the last worker would come back again and again to find that it must stay.
    const isPatient = timeout !== Infinity && !this.isEmpty && this.#pool.isLast()
    const limit = isPatient ? Infinity : timeout
    const steps = this.#receiving(flow, isPatient)
    const { linger } = this.#pool
    if (linger === 0) drive(steps, settle, flow, limit)
    else driveLingering(steps, settle, flow, limit, linger)
  }

  *#receiving(flow: Flow, isPatient: boolean): Steps<R | undefined> {
    const node = this.#turn.enter(flow, SHARED, true)
    let how: number = CANCELLED
    try {
      for (;;) {
        // A worker that is woken though not the first was woken by a death: the line may need a pass.
        if (!this.#turn.isFirst(node)) this.#turn.tend(node.index)
        if (this.#turn.isFirst(node)) break
        if ((yield node) === TIMEOUT) return undefined
      }
      for (;;) {
        if (!(yield* this.#pool.looking(flow, isPatient))) return undefined
        const task = this.#pool.takeOver() ?? (yield* this.#taking(flow))
        if (task !== undefined) {
          how = ACQUIRED_SHARED
          return task
        }
        if (isPatient) throw new InterruptedError("Nothing is left to wait for")
      }
    } finally {
      this.#turn.leave(node, how)
    }
  }

  /** Waits for the limiter, and takes a task. The permit goes back if the task is gone, or over. */
  *#taking(flow: Flow): Steps<R | undefined> {
    yield* this.#pace.passing(flow)
    const task = this.#pool.queue.poll()
    if (task === undefined || this.#pool.isOver(task)) this.#pace.giveBack()
    else this.#paid.add(task)
    return task
  }

  /** The task is about to begin. If it was cancelled after it was taken, it does not. */
  begins(task: R): void {
    if (this.#paid.delete(task) && this.#pool.isOver(task)) this.#pace.giveBack()
  }
}
