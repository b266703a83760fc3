/** What is done to a pool right after it has handed a task over to an idle thread: by this thread, or by a task of the pool. */
import { type Future, RejectedExecutionError, task, type ThreadPoolExecutor } from "corepool"
import { words } from "../../support/shared-words.ts"

const count = task(import.meta.url, function count(index: number): number {
  return Atomics.add(words, index, 1) + 1
})

/** Each gives how many tasks it has found. */
export const operations = {
  shutdownNow: (pool) => pool.shutdownNow().length,
  remove: (pool, future) => (pool.remove(future) ? 1 : 0),
  purge: (pool) => {
    pool.purge()
    return 0
  },
  "queue.clear": (pool) => {
    const { size } = pool.queue
    pool.queue.clear()
    return size
  },
  "queue.remove": (pool, future) => (pool.queue.remove(future) ? 1 : 0),
  "queue.removeIf": (pool) => (pool.queue.removeIf(() => true) ? 1 : 0),
  "queue.retainAll": (pool) => (pool.queue.retainAll([]) ? 1 : 0),
  "queue.drainTo": (pool) => pool.queue.drainTo([]),
  "queue.poll": (pool) => (pool.queue.poll() === undefined ? 0 : 1),
  "queue.peek": (pool) => (pool.queue.peek() === undefined ? 0 : 1),
  "queue.toArray": (pool) => pool.queue.toArray().length + [...pool.queue].length,
} as const satisfies Record<string, (pool: ThreadPoolExecutor, future: Future<number>) => number>

export type Operation = keyof typeof operations

/** Hands over a task that counts, if a thread is idle, and then calls the method. Returns how many tasks it found. */
export function handOver(pool: ThreadPoolExecutor, operation: Operation, index: number): number | undefined {
  let future: Future<number>
  try {
    future = pool.submit(count, index)
  } catch (error) {
    if (error instanceof RejectedExecutionError) return undefined
    throw error
  }
  return operations[operation](pool, future)
}

/** The same as a task of the pool, as soon as a thread is idle. */
export const handOverFromInside = task(
  import.meta.url,
  function handOverFromInside(pool: ThreadPoolExecutor, operation: Operation, index: number): number {
    for (;;) {
      const found = handOver(pool, operation, index)
      if (found !== undefined) return found
    }
  },
)
