import { WaitQueue } from "../../memory/wait/wait-queue.ts"
import { PACE } from "../../memory/flow/internals.ts"
import type { PacedPool, Pacing } from "../../sync/pacing.ts"
import type { RateLimiter } from "../../sync/rate-limiter.ts"
import { BASE } from "../memory/layout.ts"
import type { PoolMemory } from "../memory/pool-memory.ts"
import type { SharedWorker } from "../memory/workers/shared-worker.ts"
import { LINGER, type SlotQueue } from "./slot-queue.ts"

/** The line in which the idle workers of a pool with a rate limiter stand. */
export function turnIn({ threadContext, words }: PoolMemory): WaitQueue {
  return new WaitQueue(threadContext, words, BASE.TURN, { isShared: true })
}

/** How a worker of a pool of platform threads gets its tasks at the pace of a limiter. */
export function slotPacing(
  limiter: RateLimiter,
  memory: PoolMemory,
  queue: SlotQueue,
  self: SharedWorker,
  isOver: (slot: number) => boolean,
): Pacing<number> {
  const pool: PacedPool<number> = {
    queue,
    looking: (flow, isPatient) => queue.looking(flow, isPatient),
    isOver,
    takeOver: () => takeOver(queue, self, isOver),
    isLast: () => memory.state.control.workerCount <= 1,
    sleeps: () => memory.ringIfIdle(),
    linger: LINGER,
  }
  return limiter[PACE]<number>(pool, turnIn(memory))
}

/** Claims the slot first, so that the owner finds it if this thread dies. */
function takeOver(queue: SlotQueue, self: SharedWorker, isOver: (slot: number) => boolean): number | undefined {
  const first = queue.first()
  if (first === undefined || !isOver(first)) return undefined
  self.claimed = first
  const isOut = queue.pull(first)
  if (isOut && isOver(first)) return first
  if (isOut) queue.restore(first) // another thread was faster, and the slot has another task by now
  self.disclaim()
  return undefined
}

/** How many workers wait for a task. */
export function idleIn(memory: PoolMemory, queue: SlotQueue): number {
  return memory.limiter === undefined ? queue.idleWorkers : turnIn(memory).length
}

/**
 * The shortest and the longest time between two requests for a permit by a worker that waits for a task of its own
 * pool, in ms.
 */
const OFTEN = 1
const SELDOM = 100

/** When such a worker asks the next time. */
export function retryAfter(limiter: RateLimiter | undefined): number {
  if (limiter === undefined) return Infinity
  return Math.min(Math.max(limiter.per / limiter.permits, OFTEN), SELDOM)
}
