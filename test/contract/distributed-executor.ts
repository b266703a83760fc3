/** The contracts of ExecutorService and ScheduledExecutorService on a distributed executor, with a node of virtual threads in the same process, on any engine. */
import { type ExecutorService, Executors, type ThreadFactory } from "corepool"
import { DistributedExecutor, type Engine, ExecutorNode } from "corepool/distributed"
import { randomUUID } from "node:crypto"
import { testExecutorService } from "./executor-service.ts"
import * as tasks from "./executor-service/named-tasks.ts"
import { NAMED, NAMED_SHARED } from "./executor-service/named-work.ts"
import { testScheduledExecutorService } from "./scheduled-executor-service.ts"

export interface DistributedKind {
  readonly name: string
  readonly threads: number
  /** Where the queues of a test are. */
  readonly engine: () => Engine
  /** Whether to open an executor takes so long that tests share one. */
  readonly isSlow?: boolean
}

export function testDistributedExecutor({ name, threads, engine: newEngine, isSlow = false }: DistributedKind): void {
  testExecutorService({
    name: `a distributed executor on ${name}, with a node of ${threads}`,
    threads,
    work: isSlow ? NAMED_SHARED : NAMED,
    cancelsOnShutdown: true,
    lacks: {
      handler: "the node that runs a command tells its own `onError` of the error: ND18",
      "self-knowledge": "a task on another machine does not know the executor that has submitted it",
      pause: "what other machines have taken is theirs; close a node instead",
      capture: "what a task writes on another machine stays there: DX15",
    },
    open: (factory) => open(newEngine(), threads, factory),
  })
}

/** The same for ScheduledExecutorService. */
export function testDistributedSchedules({ name, threads, engine, isSlow = false }: DistributedKind): void {
  testScheduledExecutorService({
    name: `a distributed executor on ${name}`,
    work: NAMED,
    tolerance: isSlow ? 25 : 1,
    cancelTravels: true,
    open: (factory) => open(engine(), threads, factory),
  })
}

async function open(engine: Engine, threads: number, factory: ThreadFactory): Promise<DistributedExecutor> {
  const queue = `contract-${randomUUID()}`
  const executor = Executors.newFixedThreadPool(threads, factory)
  const node = await ExecutorNode.start({ name: queue, engine, tasks, executor })
  const fleet = new DistributedExecutor({ name: queue, engine, tasks })
  void fleet.awaitTermination().then(() => close(node, executor))
  return fleet
}

async function close(node: ExecutorNode, executor: ExecutorService): Promise<void> {
  await node.close()
  await executor.close()
}
