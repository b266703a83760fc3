/** Tasks in a module that does not load the storage. */
import { type ExecutorService, task, tasksOf } from "corepool"

const { lookNow } = tasksOf<typeof import("./propagate-tasks.ts")>(new URL("propagate-tasks.js", import.meta.url))

export const relay = task(import.meta.url, async function relay(pool: ExecutorService): Promise<string> {
  return await pool.submit(lookNow, 3, 4)
})
