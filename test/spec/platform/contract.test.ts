/** The contract of ExecutorService, put to executors of platform threads. */
import { ArrayBlockingQueue, CallerRunsPolicy, Executors, PriorityBlockingQueue, ThreadPoolExecutor } from "corepool"
import { AWAITING, BLOCKING, type ExecutorUnderTest, testExecutorService } from "../../contract/executor-service.ts"
import { after } from "node:test"
import { closeLandlord, guestOfPool } from "./landlord.ts"

const SUBJECTS: readonly ExecutorUnderTest[] = [
  {
    name: "fixed pool of platform threads",
    work: AWAITING,
    threads: 3,
    open: (factory) => Executors.newFixedThreadPool(3, factory),
  },
  {
    name: "pool of one platform thread",
    work: BLOCKING,
    threads: 1,
    open: (factory) => Executors.newFixedThreadPool(1, factory),
  },
  {
    name: "cached pool of platform threads",
    work: BLOCKING,
    threads: Infinity,
    open: (factory) => Executors.newCachedThreadPool(factory),
    lacks: { queue: "a SynchronousQueue holds nothing: every task has its thread at once" },
  },
  {
    name: "single platform thread",
    work: AWAITING,
    threads: 1,
    open: (factory) => Executors.newSingleThreadExecutor(factory),
  },
  {
    name: "wrapper of a bounded pool of platform threads with CallerRunsPolicy",
    work: BLOCKING,
    threads: 2,
    open: (threadFactory) =>
      Executors.unconfigurableExecutorService(
        new ThreadPoolExecutor({
          corePoolSize: 2,
          maximumPoolSize: 2,
          workQueue: new ArrayBlockingQueue(100),
          handler: CallerRunsPolicy,
          threadFactory,
        }),
      ),
    lacks: { refusal: "CallerRunsPolicy drops tasks after shutdown instead of refusing them" },
  },
  {
    name: "view of a pool of platform threads with priorities",
    work: AWAITING,
    threads: 1,
    open: (threadFactory) =>
      new ThreadPoolExecutor({
        corePoolSize: 1,
        maximumPoolSize: 1,
        workQueue: new PriorityBlockingQueue(),
        threadFactory,
      }).with({ priority: 1 }),
  },
  {
    name: "platform thread per task",
    work: AWAITING,
    threads: Infinity,
    open: (factory) => Executors.newThreadPerTaskExecutor(factory),
    lacks: { queue: "every task has its thread at once" },
  },
  {
    name: "pool of platform threads that another thread has made",
    work: AWAITING,
    threads: 2,
    open: () => guestOfPool(2),
    lacks: { handler: "the thread that has made the pool is told" },
  },
]

for (const subject of SUBJECTS) testExecutorService(subject)

after(closeLandlord)
