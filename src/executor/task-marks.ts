/** Options that a task itself carries to its executor: its priority, and which of its arguments are to be moved. */
import { typeError } from "../checks.ts"
import { PRIORITY } from "../queue/local/order.ts"

/** The list of the objects among a task's arguments that are to be moved. */
export const TRANSFER: unique symbol = Symbol("transfer")

/** A task that may have such a list. */
export interface Marked {
  [TRANSFER]?: readonly object[]
}

export function setTransfer(task: object, list: readonly object[]): void {
  ;(task as Marked)[TRANSFER] = list
}

const SEQUENCE: unique symbol = Symbol("sequence")

/** The properties of a task with a priority: enough for a PriorityBlockingQueue of natural order. */
interface Prioritized {
  [PRIORITY]: number
  [SEQUENCE]: number
  compareTo(other: unknown): number
}

/** The priority of a task, if it has one. */
export function priorityOf(task: object): number | undefined {
  return (task as Partial<Prioritized>)[PRIORITY]
}

let lastSequence = 0

/** Gives a task an order: higher priority first, then the order of submission. */
export function prioritize(task: object & Partial<Prioritized>, priority: number): void {
  if (task[PRIORITY] !== undefined) return
  task[PRIORITY] = priority
  task[SEQUENCE] = ++lastSequence
  task.compareTo = compareByPriority
}

function compareByPriority(this: Prioritized, other: unknown): number {
  const { [PRIORITY]: priority, [SEQUENCE]: sequence } = other as Partial<Prioritized>
  if (priority === undefined || sequence === undefined) {
    throw typeError("task", "submitted with a priority, as the others in the queue are", other)
  }
  return priority - this[PRIORITY] || this[SEQUENCE] - sequence
}
