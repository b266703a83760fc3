import { IllegalStateError } from "../../errors.ts"
import type { Settle } from "../../memory/flow/waiting.ts"

/** An iterator that can take what it has just shown out of the queue, as Java's can. */
export interface QueueIterator<E> extends IterableIterator<E> {
  /**
   * Removes the element that `next()` returned last; nothing happens if it has left the queue already.
   * IllegalStateError before the first `next()` and if called twice for one element.
   */
  remove(): void
}

/** A way through a queue's elements that survives every change of the queue. */
export interface Cursor<E> {
  /** Steps on to the next element; undefined at the end. */
  next(): E | undefined
  /** Removes the element that `next` returned last; false if it is no longer there. */
  remove(): boolean
}

/** A cursor over a snapshot. `remove` gets the element that was shown last, and its place in the snapshot. */
export function cursorOver<E>(snapshot: readonly E[], remove: (e: E, place: number) => boolean): Cursor<E> {
  let place = -1
  return {
    next: () => {
      const e = snapshot[place + 1]
      if (e !== undefined) place++
      return e
    },
    remove: () => {
      const e = snapshot[place]
      return e !== undefined && remove(e, place)
    },
  }
}

/** The public iterator over a cursor. Calls `removed` for each element that the iterator removes. */
export function iterate<E>(cursor: Cursor<E>, removed: () => void): QueueIterator<E> {
  let removable = false
  const iterator: QueueIterator<E> = {
    next: () => {
      const value = cursor.next()
      if (value === undefined) return { done: true, value }
      removable = true
      return { done: false, value }
    },
    remove: () => {
      if (!removable) throw new IllegalStateError("No element to remove: call next() first")
      removable = false
      if (cursor.remove()) removed()
    },
    [Symbol.iterator]: () => iterator,
  }
  return iterator
}

/** Takes one element after the other with `take`, which gives undefined when no more will come. */
export function iterateAsync<E>(take: (settle: Settle<E | undefined>) => void): AsyncIterableIterator<E> {
  let over = false
  const end: IteratorReturnResult<undefined> = { done: true, value: undefined }
  const iterator: AsyncIterableIterator<E, undefined> = {
    next: () =>
      // One promise per element: an async function that awaits would need three.
      new Promise((resolve, reject) => {
        if (over) resolve(end)
        else take({ resolve: (value) => resolve(value === undefined ? end : { done: false, value }), reject })
      }),
    return: () => {
      over = true
      return Promise.resolve(end)
    },
    [Symbol.asyncIterator]: () => iterator,
  }
  return iterator
}
