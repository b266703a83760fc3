/**
 * What holds for every ExecutorService, whatever its threads, its queue and its policy are.
 *
 *     testExecutorService({ name: "a fixed pool", threads: 2, open: (factory) => Executors.newFixedThreadPool(2, factory) })
 *     testExecutorService({ name: "the same on platform threads", work: AWAITING, threads: 2, open: … })
 *
 * An executor that lacks an ability says why; the tests that need it are then skipped with that reason.
 */
import { testCancelling } from "./executor-service/cancelling.ts"
import { testCapturing } from "./executor-service/capturing.ts"
import { testClosing } from "./executor-service/closing.ts"
import { testInvocations } from "./executor-service/invoke.ts"
import { closeAfterwards } from "./executor-service/lab.ts"
import { testPausing } from "./executor-service/pausing.ts"
import { testShutdown } from "./executor-service/shutdown.ts"
import type { ExecutorUnderTest } from "./executor-service/subject.ts"
import { testTasks } from "./executor-service/tasks.ts"

export { AWAITING, BLOCKING } from "./executor-service/portable-work.ts"
export type { Ability, ExecutorUnderTest } from "./executor-service/subject.ts"

export function testExecutorService(subject: ExecutorUnderTest): void {
  closeAfterwards(subject)
  testTasks(subject)
  testCancelling(subject)
  testShutdown(subject)
  testClosing(subject)
  testInvocations(subject)
  testPausing(subject)
  testCapturing(subject)
}
