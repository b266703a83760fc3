/** Program: leaves pools of all kinds idle and ends. It prints what it did; the process must then exit by itself. */
import { LinkedBlockingQueue, type Runnable, SynchronousQueue, ThreadPoolExecutor, virtualThreads } from "corepool"

const threadFactory = virtualThreads()

// Core threads that wait for ever.
const fixed = new ThreadPoolExecutor({ corePoolSize: 2, maximumPoolSize: 2, threadFactory })
fixed.prestartAllCoreThreads()

// Threads whose keep-alive runs for longer than anybody would wait.
const workQueue = new SynchronousQueue<Runnable>()
const cached = new ThreadPoolExecutor({
  corePoolSize: 0,
  maximumPoolSize: 10,
  keepAliveTime: 3_600_000,
  workQueue,
  threadFactory,
})

// Core threads that will time out some time.
const timed = new ThreadPoolExecutor({
  corePoolSize: 3,
  maximumPoolSize: 3,
  keepAliveTime: 3_600_000,
  allowCoreThreadTimeOut: true,
  workQueue: new LinkedBlockingQueue<Runnable>(),
  threadFactory,
})

for (const pool of [fixed, cached, timed]) {
  for (let i = 0; i < 5; i++) pool.execute(() => undefined)
  await pool.submit(() => Promise.resolve())
}
console.log(fixed.poolSize > 0, cached.poolSize > 0, timed.poolSize > 0)
