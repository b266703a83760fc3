import { ArrayBlockingQueue, CallerRunsPolicy, platformThreads, ThreadPoolExecutor } from "corepool"
import { say, type Stage } from "./stage.ts"
import { countPrimes } from "./tasks.ts"

const TASKS = 400
const ROOM = 8

export const backPressure: Stage = {
  title: "Back-pressure",
  about: `One thread, and a queue for ${ROOM} tasks. With CallerRunsPolicy, a submitter that is too fast runs the task itself.`,
  file: "back-pressure.ts",

  async run(): Promise<void> {
    await using pool = new ThreadPoolExecutor({
      corePoolSize: 1,
      maximumPoolSize: 1,
      workQueue: new ArrayBlockingQueue(ROOM),
      threadFactory: platformThreads(),
      handler: CallerRunsPolicy,
    })
    await pool.submit(countPrimes, 0, 100) // the thread is there

    let fullest = 0
    const futures = Array.from({ length: TASKS }, (_, i) => {
      const future = pool.submit(countPrimes, i * 1000, (i + 1) * 1000)
      fullest = Math.max(fullest, pool.queue.size)
      return future
    })
    const counts = await Promise.all(futures)
    await pool.close()
    const byPool = pool.completedTaskCount - 1
    say(
      `${counts.reduce((sum, count) => sum + count, 0)} primes from ${TASKS} tasks, never more than ${fullest} in the queue` +
        (fullest > ROOM ? `: ${ROOM}, and one that the thread was about to take` : ""),
    )
    say(`the pool's thread ran ${byPool} of them, the submitting thread ran ${TASKS - byPool}`)
  },
}
