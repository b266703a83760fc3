/** An engine in memory, with executors and nodes of it, as many as a test wants; at the end nothing of them. */
import { type ExecutorService, Executors, virtualThreads } from "corepool"
import { DistributedExecutor, type DistributedExecutorOptions, ExecutorNode } from "corepool/distributed"
import { MemoryEngine, type MemoryEngineOptions } from "../../support/memory-engine.ts"
import * as tasks from "./lab.tasks.ts"

export class FleetLab implements AsyncDisposable {
  readonly engine: MemoryEngine
  readonly errors: unknown[] = []
  readonly #fleets: DistributedExecutor[] = []
  readonly #nodes: ExecutorNode[] = []
  readonly #pools: ExecutorService[] = []

  constructor(options?: MemoryEngineOptions) {
    this.engine = new MemoryEngine(options)
    tasks.reset()
  }

  /** An executor, as if in a process of its own. */
  fleet(options: Partial<DistributedExecutorOptions> = {}): DistributedExecutor {
    const fleet = new DistributedExecutor({
      name: "q",
      engine: this.engine,
      tasks,
      onError: (error) => this.errors.push(error),
      ...options,
    })
    this.#fleets.push(fleet)
    return fleet
  }

  async node(nodeName = "node", concurrency = 2): Promise<ExecutorNode> {
    const executor = Executors.newFixedThreadPool(concurrency, virtualThreads())
    this.#pools.push(executor)
    const onError = (error: unknown): unknown => this.errors.push(error)
    const node = await ExecutorNode.start({ name: "q", engine: this.engine, tasks, executor, nodeName, onError })
    this.#nodes.push(node)
    return node
  }

  /** The ids of the jobs that the engine has, with their states. */
  get jobs(): Record<string, string> {
    return Object.fromEntries(this.engine.jobs("q").map(({ order, state }) => [order.id, state]))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.engine.acceptAdds()
    this.engine.beReachable()
    this.engine.recover()
    tasks.open()
    for (const fleet of this.#fleets) await fleet.shutdownNow()
    for (const node of this.#nodes) await node.close()
    for (const pool of this.#pools) await pool.close()
    for (const fleet of this.#fleets) if (this.#nodes.length > 0) await fleet.close()
  }
}
