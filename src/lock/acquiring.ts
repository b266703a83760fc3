/**
 * How to get what others hold: the one algorithm under all locks, semaphores and latches. Its steps are run blocking or
 * awaiting.
 */
import { currentFlow, type Flow } from "../memory/flow/flow.ts"
import { ACQUIRED, ACQUIRED_SHARED, CANCELLED } from "../memory/thread/node-pool.ts"
import type { WaitNode } from "../memory/wait/wait-node.ts"
import { SHARED, type WaitQueue } from "../memory/wait/wait-queue.ts"
import { type Steps, TIMEOUT } from "../memory/flow/waiting.ts"

/** Takes it if it can be had, without waiting. */
type Attempt = () => boolean

/**
 * What a thread does before it blocks: throws if it would never go on, or takes it out of turn and gives true. Flows
 * that await do not stop others, so they have no need of it.
 */
export type LastResort = () => unknown

/** Stands in the queue until the attempt succeeds; false if the time is up before. */
export function* acquiring(
  queue: WaitQueue,
  flow: Flow,
  mode: number,
  interruptible: boolean,
  attempt: Attempt,
  lastResort?: LastResort,
): Steps<boolean> {
  const node = queue.enter(flow, mode, interruptible)
  let how: number = CANCELLED
  try {
    for (;;) {
      // The second also while others are before us: one of them may have become a holder that cannot go on.
      if ((isTurnOf(node, queue) && attemptAs(flow, attempt)) || lastResort?.() === true) {
        how = mode === SHARED ? ACQUIRED_SHARED : ACQUIRED
        return true
      }
      if ((yield node) === TIMEOUT) return false
    }
  } finally {
    queue.leave(node, how)
  }
}

/**
 * Stands in the queue with a node that is in there already until the attempt succeeds; neither time nor interrupts end
 * it.
 */
export function* reacquiring(
  queue: WaitQueue,
  flow: Flow,
  node: WaitNode,
  attempt: Attempt,
  lastResort?: LastResort,
): Steps<void> {
  node.interruptible = false
  node.limited = false
  let how: number = CANCELLED
  try {
    for (;;) {
      if ((isTurnOf(node, queue) && attemptAs(flow, attempt)) || lastResort?.() === true) break
      yield node
    }
    how = ACQUIRED
  } finally {
    queue.leave(node, how)
  }
}

/**
 * One that is woken but not first was woken by a death: the queue may need tending, perhaps in the dead one's place.
 */
function isTurnOf(node: WaitNode, queue: WaitQueue): boolean {
  if (queue.isFirst(node)) return true
  queue.tend()
  return queue.isFirst(node)
}

/**
 * The steps go on inside the call of whoever wakes them, which may be another flow; the attempt is always the waiter's.
 */
function attemptAs(flow: Flow, attempt: Attempt): boolean {
  return currentFlow() === flow ? attempt() : flow.runInside(attempt)
}
