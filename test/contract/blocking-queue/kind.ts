import type { BlockingQueue } from "corepool"

/** What the contract has to know about a kind of queue. */
export interface QueueKind<E> {
  readonly name: string
  /** An empty queue; if it is bounded, with this capacity. */
  readonly create: (capacity: number) => BlockingQueue<E>
  /** The n-th element: one that can be taken at once. */
  readonly element: (n: number) => E
  readonly numberOf: (e: E) => number
  readonly isBounded: boolean
  /** Whether elements are copies: then a pool cannot keep its tasks in it. */
  readonly isShared?: boolean
  /** Whether insertions and removals are made by another thread: then who waits goes on a moment later. */
  readonly isRemote?: boolean
  /** Whether iteration goes from head to tail. */
  readonly isOrdered: boolean
  /** Which operations notice an interrupt even if they need not wait. */
  readonly noticesInterrupt: {
    readonly put: boolean
    readonly timedOffer: boolean
    readonly take: boolean
    readonly timedPoll: boolean
  }
  /** What a full or closed queue is called in messages. */
  readonly noun: "Queue" | "Deque"
}

/** A queue with the elements 1 to `count`; if it is bounded, with this capacity. */
export function filled<E>({ create, element }: QueueKind<E>, count: number, capacity = count): BlockingQueue<E> {
  const queue = create(capacity)
  for (let n = 1; n <= count; n++) queue.add(element(n))
  return queue
}

/** The numbers of elements, sorted if iteration promises no order. */
export function shown<E>({ isOrdered, numberOf }: QueueKind<E>, elements: Iterable<E>): number[] {
  const numbers = [...elements].map(numberOf)
  return isOrdered ? numbers : numbers.sort((a, b) => a - b)
}

/** The numbers of what is left, taken out. */
export function drained<E>({ numberOf }: QueueKind<E>, queue: BlockingQueue<E>): number[] {
  const rest: E[] = []
  queue.drainTo(rest)
  return rest.map(numberOf)
}
