/**
 * What happens to a task for which there is no room.
 *
 * The pool has one thread and a queue for one task. Three tasks come: the first runs, the second waits, the third is
 * one too many. A policy decides, and whatever it decides, no future is left pending.
 */
import {
  AbortPolicy,
  ArrayBlockingQueue,
  CallerRunsPolicy,
  DiscardOldestPolicy,
  DiscardPolicy,
  type Future,
  RejectedExecutionError,
  type RejectedExecutionHandler,
  Thread,
  ThreadPoolExecutor,
  virtualThreads,
} from "corepool"

const work = (): string => Thread.currentThread().name
const slowWork = (): Promise<string> => Thread.sleep(5).then(work)

async function tryOut(name: string, handler: RejectedExecutionHandler): Promise<void> {
  await using pool = new ThreadPoolExecutor({
    corePoolSize: 1,
    maximumPoolSize: 1,
    workQueue: new ArrayBlockingQueue(1),
    threadFactory: virtualThreads({ name: "worker" }),
    handler,
  })
  try {
    const futures = [pool.submit(slowWork), pool.submit(work), pool.submit(work)]
    console.log(`${name}: ${(await Promise.all(futures.map(outcomeOf))).join(", ")}`)
  } catch (error) {
    if (!(error instanceof RejectedExecutionError)) throw error
    console.log(`${name}: the third submit threw ${error.code}`)
  }
}

async function outcomeOf(future: Future<string>): Promise<string> {
  return future.get().then(
    (thread) => `by ${thread}`,
    () => future.state,
  )
}

await tryOut("AbortPolicy", AbortPolicy)
await tryOut("CallerRunsPolicy", CallerRunsPolicy)
await tryOut("DiscardPolicy", DiscardPolicy)
await tryOut("DiscardOldestPolicy", DiscardOldestPolicy)

// A policy is a function. This one makes room.
await tryOut("a policy of one's own", (task, pool) => {
  pool.maximumPoolSize += 1
  pool.execute(task)
})

// Output:
// AbortPolicy: the third submit threw ERR_COREPOOL_REJECTED
// CallerRunsPolicy: by worker-1, by worker-1, by main
// DiscardPolicy: by worker-1, by worker-1, cancelled
// DiscardOldestPolicy: by worker-1, cancelled, by worker-1
// a policy of one's own: by worker-1, by worker-2, by worker-2
