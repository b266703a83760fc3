/** The contract of ExecutorService, put to the scheduled executors. */
import { Executors } from "corepool"
import { AWAITING, type ExecutorUnderTest, testExecutorService } from "../../contract/executor-service.ts"

const HANDLER = "what an executed command throws is in a future that nobody has; see [SC5]"

const SUBJECTS: readonly ExecutorUnderTest[] = [
  {
    name: "scheduled pool",
    threads: 3,
    open: (factory) => Executors.newScheduledThreadPool(3, factory),
    lacks: { handler: HANDLER },
  },
  {
    name: "scheduled pool without core threads",
    threads: 1,
    open: (factory) => Executors.newScheduledThreadPool(0, factory),
    lacks: { handler: HANDLER },
  },
  {
    name: "single-thread scheduled executor",
    threads: 1,
    open: (factory) => Executors.newSingleThreadScheduledExecutor(factory),
    lacks: { handler: HANDLER },
  },
  {
    name: "view of a scheduled pool",
    threads: 2,
    open: (factory) => Executors.newScheduledThreadPool(2, factory).with({ name: "view" }),
  },
  {
    name: "scheduled pool of platform threads",
    work: AWAITING,
    threads: 2,
    open: (factory) => Executors.newScheduledThreadPool(2, factory),
    lacks: { handler: HANDLER },
  },
]

for (const subject of SUBJECTS) testExecutorService(subject)
