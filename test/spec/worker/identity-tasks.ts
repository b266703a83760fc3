/** Tasks that ask whether what they are given is of the classes that their module imports. */
import {
  ArrayBlockingQueue,
  CorepoolError,
  CountDownLatch,
  ExecutorCompletionService,
  type ExecutorService,
  ReentrantLock,
  Semaphore,
  task,
  Thread,
  ThreadPoolExecutor,
  TimeoutError,
} from "corepool"
import { ReentrantLock as LockOfLocks } from "corepool/lock"
import { ArrayBlockingQueue as QueueOfQueues } from "corepool/queue"
import { CountDownLatch as LatchOfSync } from "corepool/sync"

export const kinds = task(
  import.meta.url,
  function kinds(given: {
    lock: unknown
    queue: unknown
    latch: unknown
    semaphore: unknown
    pool: unknown
    error: unknown
  }) {
    return {
      lock: [given.lock instanceof ReentrantLock, given.lock instanceof LockOfLocks],
      queue: [given.queue instanceof ArrayBlockingQueue, given.queue instanceof QueueOfQueues],
      latch: [given.latch instanceof CountDownLatch, given.latch instanceof LatchOfSync],
      semaphore: given.semaphore instanceof Semaphore,
      pool: given.pool instanceof ThreadPoolExecutor,
      error: [given.error instanceof TimeoutError, given.error instanceof CorepoolError],
      thread: Thread.currentThread() instanceof Thread,
    }
  },
)

export const double = task(import.meta.url, function double(n: number) {
  return 2 * n
})

/** Submits to the pool that it runs in, by a service and by a pool of its own making. */
export const useThePool = task(import.meta.url, async function useThePool(pool: ExecutorService) {
  const service = new ExecutorCompletionService<number>(pool)
  service.submit(double, 4)
  const taken = await (await service.take()).future
  const same = ThreadPoolExecutor.from(pool as ThreadPoolExecutor)
  return [taken, await same.submit(double, 5)]
})
