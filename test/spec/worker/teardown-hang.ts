/** Does not end before the test allows it: it waits, or it computes, as the tasks of the thread have said. */
import { scope } from "./ending-tasks.ts"

export default async function end(): Promise<void> {
  scope.counters?.begun.incrementAndGet()
  while (scope.computes === true);
  while (scope.counters?.ended.get() !== -1) await new Promise((resolve) => setTimeout(resolve, 1))
}
