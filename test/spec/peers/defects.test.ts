/** Defects of other pools, as things that must not happen on worker threads. Ids such as [PD4] refer to docs/spec/peers.md. */
import { platformThreads, ThreadPoolExecutor } from "corepool"
import test from "node:test"
import {
  cancelComputing,
  cancelDeaf,
  cancelWaiting,
  endWhileRunning,
  nextAfterCancel,
} from "../../defects/cancelling.ts"
import { deathBeforeMany, deathBesideOthers, everyDeath, exit } from "../../defects/death.ts"
import {
  afterTheEnd,
  capacity,
  closing,
  order,
  orderWithSignals,
  priorityWithSignals,
  refusal,
} from "../../defects/queueing.ts"
import type { Setup } from "../../defects/setup.ts"
import { functionAsResult, manyOutstanding, thrownThings } from "../../defects/values.ts"
import { eventually } from "../../support/harness.ts"
import { requireMemoryLimits } from "../../support/memory-limits.ts"

/** Puts worker threads through a setup; at the end nothing of them is left, also if it failed. */
async function pass(setup: Setup): Promise<void> {
  const pools: ThreadPoolExecutor[] = []
  try {
    await setup.run((options, threads = {}) => {
      const pool = new ThreadPoolExecutor({ ...options, threadFactory: platformThreads(threads) })
      pools.push(pool)
      return pool
    })
  } finally {
    for (const pool of pools) pool.shutdownNow()
    await eventually(() => pools.every((pool) => pool.isTerminated))
  }
}

test("[PD1] close() runs everything that was accepted, on any number of worker threads", () => pass(closing))
test("[PD2] the capacity of the queue holds for tasks with a signal", () => pass(capacity))
test("[PD3] a task that was refused does not run", () => pass(refusal))
test("[PD4] one worker thread runs tasks in the order of their submission", () => pass(order))
test("[PD5] a signal does not change a task's place", () => pass(orderWithSignals))
test("[PD5] a signal does not lead past a priority queue", () => pass(priorityWithSignals))
test("[PD6] after the end nothing is accepted and no thread is made", () => pass(afterTheEnd))
test("[PD20] a function as result fails its own task with NotSerializableError, and the thread goes on", () =>
  pass(functionAsResult))
test("[PD8] a task that ends its thread fails, and what waits behind it runs", () => pass(exit))
test("[PD9] exit, an uncaught error and a full heap each fail the running task only", async () => {
  await requireMemoryLimits()
  await pass(everyDeath)
})
test("[PD10] a task that computes hears of its cancellation", () => pass(cancelComputing))
test("[PD10] a task that waits hears of its cancellation, and its body ends", () => pass(cancelWaiting))
test("[PD21] a task that listens to nobody is stopped with its thread", () => pass(cancelDeaf))
test("[PD11] close() waits for what runs; after shutdownNow() every future settles", () => pass(endWhileRunning))
test("[PD12] the thread of a cancelled task runs the next one, and is not replaced", () => pass(nextAfterCancel))
test("[PD13] whatever is thrown arrives, and its thread goes on", () => pass(thrownThings))
test("[PD14] a thread that dies hangs neither its task nor the tasks of others", () => pass(deathBesideOthers))
test("[PD15] 70,000 outstanding tasks each get their own result", () => pass(manyOutstanding))
test("[PD9][PD15] a thread that dies loses nothing that waits", () => pass(deathBeforeMany))
