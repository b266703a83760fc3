import { Executors } from "corepool"
import { say, type Stage, THREADS } from "./stage.ts"
import { sumOfSquares } from "./tasks.ts"

const LIMIT = 64_000

export const nested: Stage = {
  title: "A task that submits to its own pool",
  about: "Each task gives away a half of its work and waits for it. A thread that would only wait runs a task instead.",
  file: "nested.ts",

  async run(): Promise<void> {
    for (const threads of [1, THREADS]) {
      const pool = Executors.newFixedThreadPool(threads)
      const sum = await pool.submit(sumOfSquares, 0, LIMIT, pool)
      await pool.close()
      say(`${threads} ${threads === 1 ? "thread: " : "threads:"} ${sum}, from ${pool.completedTaskCount} tasks`)
    }
  },
}
