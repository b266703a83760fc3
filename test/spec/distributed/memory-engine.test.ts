/** The engine in memory, on which most tests of executors and nodes stand, keeps the contract of an engine: docs/spec/distributed-engine.md. */
import { testQueueEngine } from "../../contract/queue-engine.ts"
import { MemoryEngine } from "../../support/memory-engine.ts"

const engine = new MemoryEngine()

testQueueEngine({ name: "the engine in memory", open: () => Promise.resolve(engine) })
