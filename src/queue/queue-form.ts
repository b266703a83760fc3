/**
 * What a queue can be made of instead of elements in the heap of its thread: the form it has once threads share it
 * (shared-queue.ts), or as the queue of a pool whose tasks lie in shared memory. The methods are those that the kinds of
 * queues are made of; see QueueCore.
 */
import type { Flow } from "../memory/flow.ts"
import type { Handle } from "../memory/shared-memory.ts"
import type { Steps } from "../memory/waiting.ts"
import type { Cursor } from "./iteration.ts"
import type { End } from "./queue-core.ts"

export interface QueueForm<E> {
  readonly handle: Handle
  readonly size: number
  /** Whether what comes out is a copy of what went in. */
  readonly givesCopies: boolean
  readonly capacity: number
  /** How many wait to take. */
  readonly takers: number
  readonly isClosed: boolean
  close(): void

  insert(e: E, end: End): boolean
  /** Gives the element to somebody who is waiting for one; false if nobody is. */
  hand(e: E): boolean
  extract(end: End): E | undefined
  peek(end: End): E | undefined

  inserting(e: E, end: End, flow: Flow): Steps<boolean>
  /** Waits until the element has been received. */
  transferring(e: E, flow: Flow): Steps<boolean>
  taking(end: End, flow: Flow): Steps<E | undefined>

  clear(): void
  toArray(): E[]
  cursor(backwards?: boolean): Cursor<E>
  removeWhere(test: (e: E) => boolean): number
  drain(accept: (e: E) => void, max: number): number
}
