/** Counts, in what the thread was given by a task, the threads that have ended well. */
import { type Counters, scope } from "./ending-tasks.ts"

export default async function end(): Promise<void> {
  const counters: Counters | undefined = scope.counters
  await new Promise((resolve) => setTimeout(resolve, 1)) // it is awaited
  counters?.ended.incrementAndGet()
}
