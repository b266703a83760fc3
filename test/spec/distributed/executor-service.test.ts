/** A distributed executor is an ExecutorService as any: the contract of docs/spec/executor.md, on the engine in memory. */
import { testDistributedExecutor, testDistributedSchedules } from "../../contract/distributed-executor.ts"
import { MemoryEngine } from "../../support/memory-engine.ts"

for (const threads of [1, 2]) {
  testDistributedExecutor({ name: "the engine in memory", threads, engine: () => new MemoryEngine() })
}

testDistributedSchedules({ name: "the engine in memory", threads: 2, engine: () => new MemoryEngine() })
