/** What the thread of landlord.ts runs. */
import { Executors, task, type ThreadPoolExecutor } from "corepool"
import { AWAITING } from "../../contract/executor-service/portable-work.ts"

/** Gives what it has thrown away to nobody: such an error fails the test, which does not see that a command has run. */
export const fixedPool = task(import.meta.url, function fixedPool(size: number): ThreadPoolExecutor {
  return Executors.newFixedThreadPool(size, AWAITING.threads({ uncaughtException: () => undefined }))
})
