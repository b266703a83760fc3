import { UnsupportedOperationError } from "../../errors.ts"
import type { Flow } from "../../memory/flow/flow.ts"
import type { Handle, Shared } from "../../memory/shared/shared-memory.ts"
import type { Steps } from "../../memory/flow/waiting.ts"
import type { Comparator } from "../local/heap.ts"
import type { Cursor } from "../local/iteration.ts"
import type { End } from "./queue-core.ts"

/**
 * Where the elements of a queue are if not in the heap of its thread: in the memory of a shared queue
 * (shared-queue.ts), or in that of a pool, for the queue of its tasks. The methods are those that the kinds of queues
 * are made of; see QueueCore.
 */
export interface QueueBackend<E> {
  /** The queue that has taken this on, when it is shared for the first time: for thread dumps. */
  noteFace?(queue: object): void
  readonly handle: Handle
  readonly size: number
  readonly capacity: number
  /** How many flows wait to take. */
  readonly takers: number
  readonly isClosed: boolean
  close(): void

  insert(e: E, end: End): boolean
  /** Gives the element to a waiting taker; false if there is none. */
  hand(e: E): boolean
  extract(end: End): E | undefined
  peek(end: End): E | undefined

  inserting(e: E, end: End, flow: Flow): Steps<boolean>
  /** Waits until the element has been received. */
  transferring(e: E, flow: Flow): Steps<boolean>
  taking(end: End, flow: Flow): Steps<E | undefined>

  /** A test for elements equal to this one. */
  equalTo(sought: unknown): (e: unknown) => boolean
  /** A test for elements equal to one of these. */
  equalToAny(sought: Iterable<unknown>): (e: unknown) => boolean

  clear(): void
  toArray(): E[]
  cursor(backwards?: boolean): Cursor<E>
  removeWhere(test: (e: E) => boolean): number
  drain(accept: (e: E) => void, max: number): number
}

/** The order of a queue's elements, if it is not that of insertion: by a comparator, or by the time they are due. */
export type Ordering = Comparator<unknown> | "due"

export interface SharedSettings {
  readonly capacity: number
  readonly latestFirst?: boolean
  readonly ordering?: Ordering
  /** For tests: how much memory there is. */
  readonly words?: number
}

/** The new backend of a queue that no other thread knows yet. */
export interface EmptyBackend<E> extends QueueBackend<E> {
  filledWith(elements: Cursor<E>): QueueBackend<E>
}

/** Makes the shared backends of queues. `type` is the name of the queue's class, as in its handle. */
export interface SharedBackends {
  create<E>(type: string, settings: SharedSettings): EmptyBackend<E>
  /** The backend of a queue that another thread has posted. */
  open<E>(type: string, shared: Shared, ordering?: Ordering): QueueBackend<E>
}

let provided: (() => SharedBackends) | undefined

/**
 * Shared backends need shared memory and the codec, which are larger than the queues themselves. So the kinds of queues
 * do not import them: `corepool` and `corepool/queue` provide them with the classes that they export
 * (shareable-queues.ts), and a program that uses `corepool/virtual` only has none. `backends` is a function, since
 * naming them loads them, and most programs share no queue.
 */
export function provideSharedBackends(backends: () => SharedBackends): void {
  provided = backends
}

export function sharedBackends(): SharedBackends {
  if (provided !== undefined) return provided()
  throw new UnsupportedOperationError(
    "A queue of corepool/virtual is known to its own thread alone: import its class from corepool or corepool/queue to share it",
  )
}
