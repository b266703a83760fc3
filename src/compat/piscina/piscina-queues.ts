import { LinkedBlockingDeque } from "../../queue/linked-blocking-deque.ts"

/** The property of a value with the options that a task queue of the user's own gets with the task. */
export const queueOptionsSymbol: unique symbol = Symbol.for("corepool.compat.queueOptions")

/** A task that waits, as a task queue sees it. */
export interface PiscinaTask {
  /** What the value has under {@link queueOptionsSymbol}; null if it has nothing there. */
  readonly [queueOptionsSymbol]: object | null
}

/** Where the tasks of a `Piscina` wait. */
export interface PiscinaTaskQueue {
  /** How many tasks wait. */
  readonly size: number
  /** Takes the next task out; null if there is none. */
  shift(): PiscinaTask | null
  /** Takes this task out. */
  remove(task: PiscinaTask): void
  /** Adds a task. */
  push(task: PiscinaTask): void
}

/** Tasks in the order in which they came. The default, and as fast with many tasks as with few. */
export class FixedQueue implements PiscinaTaskQueue {
  readonly #tasks = new LinkedBlockingDeque<PiscinaTask>()

  /** How many tasks wait. */
  get size(): number {
    return this.#tasks.size
  }

  /** Whether no task waits. */
  isEmpty(): boolean {
    return this.#tasks.size === 0
  }

  /** Takes the next task out; null if there is none. */
  shift(): PiscinaTask | null {
    return this.#tasks.pollFirst() ?? null
  }

  /** Takes this task out. */
  remove(task: PiscinaTask): void {
    this.#tasks.removeFirstOccurrence(task)
  }

  /** Adds a task at the end. */
  push(task: PiscinaTask): void {
    this.#tasks.addLast(task)
  }

  /** Adds a task at the front. */
  unshift(task: PiscinaTask): void {
    this.#tasks.addFirst(task)
  }
}

/** The same under the name of piscina's older queue. */
export class ArrayTaskQueue extends FixedQueue {}

/** Whether it has the methods of a task queue. */
export function isTaskQueue(value: unknown): value is PiscinaTaskQueue {
  if (typeof value !== "object" || value === null) return false
  const queue = value as Partial<PiscinaTaskQueue>
  return (
    "size" in queue &&
    typeof queue.shift === "function" &&
    typeof queue.remove === "function" &&
    typeof queue.push === "function"
  )
}
