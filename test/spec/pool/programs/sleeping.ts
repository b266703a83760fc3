/** Program: ends while a task sleeps and another waits behind it. The process must live until both have run. */
import { Executors, Thread, virtualThreads } from "corepool"

const pool = Executors.newFixedThreadPool(1, virtualThreads())
pool.execute(async () => {
  await Thread.sleep(50)
  console.log("slept")
})
pool.execute(() => console.log("waited"))
