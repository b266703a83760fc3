/**
 * What holds for every ExecutorService, whatever its threads, its queue and its policy are.
 *
 *     testExecutorService({ name: "a fixed pool", threads: 2, open: (factory) => Executors.newFixedThreadPool(2, factory) })
 *
 * An executor that lacks an ability says why; the tests that need it are then skipped with that reason.
 */
import { testInvocations } from "./executor-service/invoke.ts"
import { testShutdown } from "./executor-service/shutdown.ts"
import type { ExecutorUnderTest } from "./executor-service/subject.ts"
import { testTasks } from "./executor-service/tasks.ts"

export type { Ability, ExecutorUnderTest } from "./executor-service/subject.ts"

export function testExecutorService(subject: ExecutorUnderTest): void {
  testTasks(subject)
  testShutdown(subject)
  testInvocations(subject)
}
