import { Semaphore, type Shared } from "corepool"
import type { Voice } from "../../support/workers.ts"

/** Waits in so many flows at once, and counts them as they get through. */
export async function waitInFlows(this: Voice, shared: Shared, passed: Int32Array, flows: number): Promise<void> {
  const semaphore = Semaphore.from(shared)
  const waits = Array.from({ length: flows }, async () => {
    await semaphore.acquire()
    Atomics.add(passed, 0, 1)
  })
  this.say("waiting")
  await Promise.all(waits)
}
