/** A pool that has no room for another task. */
import { ArrayBlockingQueue, type RejectedExecutionHandler, type ThreadPoolExecutor } from "corepool"
import type { Gate } from "../../support/harness.ts"
import type { Pools } from "../../support/pools.ts"

/** A pool of one thread and one place in the queue, both taken. */
export function saturated(pools: Pools, handler: RejectedExecutionHandler): { pool: ThreadPoolExecutor; gate: Gate } {
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, workQueue: new ArrayBlockingQueue(1), handler })
  const gate = pools.gate()
  pool.execute(gate.body)
  pool.execute(gate.body)
  return { pool, gate }
}
