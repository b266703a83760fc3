/** The queues of suite "queue" and what is in them: integers, or in a DelayQueue objects that stand for integers. */
import {
  ArrayBlockingQueue,
  type BlockingQueue,
  DelayQueue,
  LinkedBlockingDeque,
  LinkedBlockingQueue,
  LinkedTransferQueue,
  PriorityBlockingQueue,
  SynchronousQueue,
} from "corepool"
import { flag, type JsonObject, maybeInteger, ScenarioError, string } from "../json.ts"

/**
 * Due at once and for ever, or an hour after it was made; ordered by delay and then by number; equal if the values
 * are.
 */
export class DelayedElement {
  readonly value: number
  readonly #delayMs: number
  readonly #number: number
  readonly #due: number

  constructor(value: number, delayMs: number, number: number) {
    this.value = value
    this.#delayMs = delayMs
    this.#number = number
    this.#due = performance.now() + delayMs
  }

  get delay(): number {
    return this.#delayMs === 0 ? 0 : this.#due - performance.now()
  }

  compareTo(other: DelayedElement): number {
    return this.#delayMs - other.#delayMs || this.#number - other.#number
  }

  equals(other: unknown): boolean {
    return other instanceof DelayedElement && other.value === this.value
  }
}

export type Element = number | DelayedElement

export function valueOf(element: Element | undefined): number | undefined {
  return element instanceof DelayedElement ? element.value : element
}

export function makeQueue(spec: JsonObject): BlockingQueue<Element> {
  const capacity = maybeInteger(spec, "capacity")
  const fair = flag(spec, "fair")
  switch (string(spec, "queue")) {
    case "ArrayBlockingQueue":
      return new ArrayBlockingQueue(capacity ?? 2 ** 31 - 1, { fair })
    case "LinkedBlockingQueue":
      return capacity === undefined ? new LinkedBlockingQueue() : new LinkedBlockingQueue(capacity)
    case "LinkedBlockingDeque":
      return capacity === undefined ? new LinkedBlockingDeque() : new LinkedBlockingDeque(capacity)
    case "SynchronousQueue":
      return new SynchronousQueue({ fair })
    case "LinkedTransferQueue":
      return new LinkedTransferQueue()
    case "PriorityBlockingQueue":
      // Java's first parameter; there is none like it here, so a number in its place is refused whatever it is.
      if ("initialCapacity" in spec) return new PriorityBlockingQueue(spec["initialCapacity"] as never)
      return flag(spec, "reverse")
        ? new PriorityBlockingQueue<Element>((a, b) => Number(valueOf(b)) - Number(valueOf(a)))
        : new PriorityBlockingQueue<Element>()
    case "DelayQueue":
      return new DelayQueue<DelayedElement>()
    default:
      throw new ScenarioError(`No such queue: ${JSON.stringify(spec)}`)
  }
}
