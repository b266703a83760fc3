/**
 * How a flow acquires a resource that others hold: the one algorithm under all locks, semaphores and latches. Its steps
 * are run blocking or awaiting.
 */
import { currentFlow, type Flow } from "../memory/flow/flow.ts"
import { ACQUIRED, ACQUIRED_SHARED, CANCELLED } from "../memory/thread/node-pool.ts"
import type { WaitNode } from "../memory/wait/wait-node.ts"
import { SHARED, type WaitQueue } from "../memory/wait/wait-queue.ts"
import { type Steps, TIMEOUT } from "../memory/flow/waiting.ts"

/** Takes the resource if that needs no wait. */
type Attempt = () => boolean

/**
 * What a thread does before it blocks: throws if it would never go on, or takes the resource out of turn and returns
 * true. Flows that await do not stop others, so they do not need it.
 */
export type LastResort = () => unknown

/** Waits in the queue until the attempt succeeds; false if the time is up before. */
export function* acquiring(
  queue: WaitQueue,
  flow: Flow,
  mode: number,
  interruptible: boolean,
  attempt: Attempt,
  lastResort?: LastResort,
  priority = 0,
): Steps<boolean> {
  const node = queue.enter(flow, mode, interruptible, priority)
  let how: number = CANCELLED
  try {
    for (;;) {
      // The last resort also while others are before this flow: one of them may have become a holder that cannot go on.
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
 * Waits in the queue, with a node that is already in it, until the attempt succeeds. Neither time nor interrupts end
 * the wait.
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
 * A flow that is woken but not first was woken by a death: the queue may need a pass, perhaps in place of a dead
 * combiner.
 */
function isTurnOf(node: WaitNode, queue: WaitQueue): boolean {
  if (queue.isFirst(node)) return true
  queue.tend()
  return queue.isFirst(node)
}

/**
 * The steps run inside the call of the flow that wakes them, which may be another one; the attempt runs as the waiter's
 * flow.
 */
function attemptAs(flow: Flow, attempt: Attempt): boolean {
  return currentFlow() === flow ? attempt() : flow.runInside(attempt)
}
