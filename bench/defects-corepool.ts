/** Pools of worker threads for the setups of test/defects. */
import type { NewPool } from "../test/defects/setup.ts"
import { corepool } from "./corepool.ts"

export async function withPlatformPools(run: (newPool: NewPool) => Promise<void>): Promise<void> {
  const { platformThreads, ThreadPoolExecutor } = await corepool()
  await run((options, threads = {}) => new ThreadPoolExecutor({ ...options, threadFactory: platformThreads(threads) }))
}
