import { type AtomicInteger, type CountDownLatch, task, type ThreadPoolExecutor } from "corepool"

export function turn(counter: AtomicInteger): number {
  return counter.incrementAndGet()
}

export async function pass(entered: CountDownLatch, gate: CountDownLatch): Promise<void> {
  entered.countDown()
  await gate.await()
}

/** Returns how many tasks wait then, and what a submission without a priority throws. */
export const submitThere = task(
  import.meta.url,
  function submitThere(pool: ThreadPoolExecutor, counter: AtomicInteger): [number, string] {
    pool.with({ priority: -1 }).execute(turn, counter)
    pool.with({ priority: 1 }).execute(turn, counter)
    try {
      pool.execute(turn, counter)
      return [pool.queue.size, "accepted"]
    } catch (error) {
      return [pool.queue.size, String(error)]
    }
  },
)
