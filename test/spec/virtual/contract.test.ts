/** The contract of ExecutorService, put to the executors of `corepool/virtual`. */
import { Executors, ThreadPoolExecutor } from "corepool/virtual"
import assert from "node:assert/strict"
import test from "node:test"
import { type ExecutorUnderTest, testExecutorService } from "../../contract/executor-service.ts"

const QUEUE = "every task has its thread at once"
const HANDLER = "its threads have the default handler, which prints"

/** By the function that makes it. */
const SUBJECTS: Readonly<Record<string, Omit<ExecutorUnderTest, "name">>> = {
  newFixedThreadPool: { threads: 3, open: (factory) => Executors.newFixedThreadPool(3, factory) },
  newSingleThreadExecutor: { threads: 1, open: (factory) => Executors.newSingleThreadExecutor(factory) },
  newCachedThreadPool: {
    threads: Infinity,
    open: (factory) => Executors.newCachedThreadPool(factory),
    lacks: { queue: QUEUE },
  },
  newScheduledThreadPool: {
    threads: 2,
    open: (factory) => Executors.newScheduledThreadPool(2, factory),
    lacks: { handler: "what an executed command throws is in a future that nobody has; see [SC5]" },
  },
  newSingleThreadScheduledExecutor: {
    threads: 1,
    open: (factory) => Executors.newSingleThreadScheduledExecutor(factory),
    lacks: { handler: "what an executed command throws is in a future that nobody has; see [SC5]" },
  },
  newThreadPerTaskExecutor: {
    threads: Infinity,
    open: (factory) => Executors.newThreadPerTaskExecutor(factory),
    lacks: { queue: QUEUE },
  },
  newVirtualThreadPerTaskExecutor: {
    threads: Infinity,
    open: () => Executors.newVirtualThreadPerTaskExecutor(),
    lacks: { queue: QUEUE, handler: HANDLER },
  },
  "new ThreadPoolExecutor, by default": {
    threads: 2,
    open: () => new ThreadPoolExecutor({ corePoolSize: 2, maximumPoolSize: 2 }),
    lacks: { handler: HANDLER },
  },
}

test("[VE4] the contract is put to what every function of Executors makes", () => {
  const makers = Object.keys(Executors).filter((name) => name.startsWith("new"))
  assert.deepEqual(
    makers.filter((name) => !(name in SUBJECTS)),
    [],
  )
})

for (const [name, subject] of Object.entries(SUBJECTS)) {
  const lacks = { ...subject.lacks, capture: "it needs the entry `corepool`: OC14" }
  testExecutorService({ name: `${name} of corepool/virtual`, ...subject, lacks })
}
