/**
 * All classes whose objects can be passed to a task. They are half of corepool, and most tasks need none of them: so a worker
 * loads this when the first such object comes.
 */
import { ThreadPoolExecutor } from "../pool/thread-pool-executor.ts"
import { registerKnownClasses, registerPools } from "./known-classes.ts"

export function registerAll(): void {
  registerKnownClasses()
  registerPools((handle) => ThreadPoolExecutor.from(handle))
}
