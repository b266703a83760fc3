import { Executors } from "corepool"
import { inMs, say, type Stage } from "./stage.ts"
import { countPrimes } from "./tasks.ts"

const TASKS = 10_000
const BUSY = 300

export const busyMain: Stage = {
  title: "A pool that does not need the main thread",
  about: "Tasks wait in shared memory, and threads fetch them there. The main thread may be as busy as it likes.",
  file: "busy-main.ts",

  async run(): Promise<void> {
    await using pool = Executors.newFixedThreadPool(1)
    await pool.submit(countPrimes, 0, 100) // the thread is there
    const futures = Array.from({ length: TASKS }, (_, i) => pool.submit(countPrimes, i, i + 10))

    const until = performance.now() + BUSY
    while (performance.now() < until); // no event, no timer, no message gets through
    const done = futures.filter((future) => future.isDone).length
    say(`the main thread computed for ${inMs(BUSY)} without a pause; then ${done} of ${TASKS} tasks were done`)

    // It may even block for a result, in code that cannot await.
    say(`getSync(): ${pool.submit(countPrimes, 0, 10_000).getSync()} primes below 10,000, without an await`)
    await Promise.all(futures)
  },
}
