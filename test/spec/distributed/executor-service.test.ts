/** A distributed executor is an ExecutorService as any: the contract of docs/spec/executor.md, on the engine in memory. */
import { type ExecutorService, Executors } from "corepool"
import { DistributedExecutor, ExecutorNode } from "corepool/distributed"
import { testExecutorService } from "../../contract/executor-service.ts"
import * as tasks from "../../contract/executor-service/named-tasks.ts"
import { NAMED } from "../../contract/executor-service/named-work.ts"
import { MemoryEngine } from "../../support/memory-engine.ts"

for (const threads of [1, 2]) {
  testExecutorService({
    name: `a distributed executor with a node of ${threads}`,
    threads,
    work: NAMED,
    cancelsOnShutdown: true,
    lacks: {
      handler: "errors of commands are told by the node that runs them, on another machine: see docs/spec/node.md",
      "self-knowledge": "a task on another machine does not know the executor that has submitted it",
    },
    async open(factory) {
      const engine = new MemoryEngine()
      const executor = Executors.newFixedThreadPool(threads, factory)
      const node = await ExecutorNode.start({ name: "contract", engine, tasks, executor })
      const fleet = new DistributedExecutor({ name: "contract", engine, tasks })
      void fleet.awaitTermination().then(() => close(node, executor))
      return fleet
    },
  })
}

async function close(node: ExecutorNode, executor: ExecutorService): Promise<void> {
  await node.close()
  await executor.close()
}
