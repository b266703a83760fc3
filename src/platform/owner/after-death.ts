import { isPaused } from "../../core/control-word.ts"
import type { PoolCore } from "../../core/pool-core.ts"
import { guarded, type Report } from "../../memory/flow/guard.ts"
import type { PoolMemory } from "../memory/pool-memory.ts"

/**
 * For the owner of a pool. A thread has died, perhaps after it had resumed the pool or raised the core size, and before
 * it had made the threads for that. `tell` gets the error of the factory. [PZ23]
 */
export function growAfterDeath(core: PoolCore<number>, { state }: PoolMemory, tell: Report): void {
  if (!isPaused(state.control.snapshot)) guarded(() => core.grow(), tell)
}
