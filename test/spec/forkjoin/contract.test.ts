/** The contract of ExecutorService, put to a ForkJoinPool. */
import { ForkJoinPool } from "corepool"
import { AWAITING, BLOCKING, type ExecutorUnderTest, testExecutorService } from "../../contract/executor-service.ts"

const RETURN = "shutdownNow cancels everything and returns nothing, as in Java; see [FJ45]"

const SUBJECTS: readonly ExecutorUnderTest[] = [
  {
    name: "fork/join pool",
    work: AWAITING,
    threads: 2,
    open: (threadFactory) => new ForkJoinPool({ parallelism: 2, threadFactory }),
    cancelsOnShutdown: true,
    lacks: { return: RETURN, "hand-back": RETURN },
  },
  {
    name: "view of a fork/join pool of one thread, in the order of arrival",
    work: BLOCKING,
    threads: 1,
    open: (threadFactory) =>
      new ForkJoinPool({ parallelism: 1, asyncMode: true, threadFactory }).with({ name: "view" }),
    cancelsOnShutdown: true,
    lacks: { return: RETURN, "hand-back": RETURN },
  },
]

for (const subject of SUBJECTS) testExecutorService(subject)
