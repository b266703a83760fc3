/** A lock, a condition of it, and workers that wait on it. */
import { type Condition, ReentrantLock } from "corepool"
import { eventually } from "../../support/harness.ts"
import type { WorkerHand, Workers } from "../../support/workers.ts"
import type { Wait } from "./condition.workers.ts"

const JOBS = new URL("condition.workers.js", import.meta.url)

/** A lock and a condition of it. */
export interface Pair {
  readonly lock: ReentrantLock
  readonly condition: Condition
}

export function pair(): Pair {
  const lock = new ReentrantLock()
  return { lock, condition: lock.newCondition() }
}

/** How many wait. */
export function waiting({ lock, condition }: Pair): number {
  using _ = lock.lockSync()
  return condition.waitQueueLength
}

/** A worker that waits on the condition. */
export async function waiter(workers: Workers, both: Pair, form: Wait, ms?: number): Promise<WorkerHand> {
  const count = waiting(both)
  const hand = workers.run(JOBS, "waitOnce", both, form, ms)
  await eventually(() => hand.words.length === 1 && waiting(both) === count + 1)
  return hand
}

/** What a waiting worker said of the end of its wait. */
export async function outcomeOf(hand: WorkerHand | undefined): Promise<unknown> {
  await eventually(() => hand?.words.length === 2)
  return hand?.words[1]
}

export const SIGNALLED = { outcome: true, raised: false, holdCount: 3, wasAbandoned: false }
