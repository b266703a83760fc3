/** A thread that makes pools for others, so that a test has a pool which is not its own. */
import { Executors, platformThreads, type ThreadPoolExecutor } from "corepool"
import { fixedPool } from "./landlord-tasks.ts"

let landlord: ThreadPoolExecutor | undefined

/** A pool of so many threads, that another thread has made. */
export function guestOfPool(size: number): Promise<ThreadPoolExecutor> {
  landlord ??= Executors.newFixedThreadPool(1, platformThreads())
  return landlord.submit(fixedPool, size).get()
}

/** Ends the thread, and with it every pool that is left. */
export async function closeLandlord(): Promise<void> {
  const it = landlord
  landlord = undefined
  await it?.close()
}
