/** The executors that the contract of ExecutorService is put to. */
import { ArrayBlockingQueue, CallerRunsPolicy, Executors, ThreadPoolExecutor } from "corepool"
import { type ExecutorUnderTest, testExecutorService } from "../../contract/executor-service.ts"
import { SerialExecutor } from "./support.ts"

const SUBJECTS: readonly ExecutorUnderTest[] = [
  { name: "fixed pool", threads: 3, open: (factory) => Executors.newFixedThreadPool(3, factory) },
  { name: "pool of one", threads: 1, open: (factory) => Executors.newFixedThreadPool(1, factory) },
  {
    name: "cached pool",
    threads: Infinity,
    open: (factory) => Executors.newCachedThreadPool(factory),
    lacks: { queue: "a SynchronousQueue holds nothing: every task has its thread at once" },
  },
  {
    name: "bounded pool with CallerRunsPolicy",
    threads: 2,
    open: (threadFactory) =>
      new ThreadPoolExecutor({
        corePoolSize: 2,
        maximumPoolSize: 2,
        workQueue: new ArrayBlockingQueue(100),
        handler: CallerRunsPolicy,
        threadFactory,
      }),
    lacks: { refusal: "CallerRunsPolicy drops tasks after shutdown instead of refusing them" },
  },
  { name: "single-thread executor", threads: 1, open: (factory) => Executors.newSingleThreadExecutor(factory) },
  {
    name: "unconfigurable wrapper",
    threads: 2,
    open: (factory) => Executors.unconfigurableExecutorService(Executors.newFixedThreadPool(2, factory)),
  },
  {
    name: "view of a pool",
    threads: 2,
    open: (factory) => Executors.newFixedThreadPool(2, factory).with({ name: "view" }),
  },
  {
    name: "view of a wrapper",
    threads: 1,
    open: (factory) => Executors.newSingleThreadExecutor(factory).with({ timeout: 1_000_000 }).with({ name: "view" }),
  },
  {
    name: "thread per task",
    threads: Infinity,
    open: (factory) => Executors.newThreadPerTaskExecutor(factory),
    lacks: { queue: "every task has its thread at once" },
  },
  {
    name: "virtual thread per task",
    threads: Infinity,
    open: () => Executors.newVirtualThreadPerTaskExecutor(),
    lacks: {
      queue: "every task has its thread at once",
      handler: "its threads have the default handler, which prints; see [PT10]",
    },
  },
  {
    name: "subclass of AbstractExecutorService",
    threads: 1,
    open: (factory) => new SerialExecutor(factory),
    lacks: {
      "hand-back":
        "what to do with its unrun tasks is for the subclass to say; this one returns them unharmed, as the JDK does",
      "self-knowledge": "the base class does not know which threads run its tasks",
      pause: "the base class does not know which tasks run: see [PZ22]",
    },
  },
]

for (const subject of SUBJECTS) testExecutorService(subject)
