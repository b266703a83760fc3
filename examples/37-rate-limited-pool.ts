/**
 * A pool at the pace of a rate limiter.
 *
 * At most three tasks run at a time, and no more than two begin in 100 ms. What waits for the limiter is in the queue
 * and occupies no thread: here the clock is one of a test, so that it takes no time.
 */
import { RateLimiter, ThreadPoolExecutor, virtualThreads } from "corepool"
import { ManualClock } from "corepool/testing"

const clock = new ManualClock()
const rateLimiter = new RateLimiter({ permits: 2, per: 100, window: "sliding", clock })
await using pool = new ThreadPoolExecutor({
  corePoolSize: 3,
  maximumPoolSize: 3,
  rateLimiter,
  threadFactory: virtualThreads(),
})

const futures = ["a", "b", "c", "d", "e"].map((name) => pool.submit(() => console.log(`${name} at ${clock.now}`)))
await clock.advance(150)
console.log(`${pool.queue.size} queued, ${pool.activeCount} active`)
await clock.advance(50)
await Promise.all(futures)

// Output:
// a at 0
// b at 0
// c at 100
// d at 100
// 1 queued, 0 active
// e at 200
