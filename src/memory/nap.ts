/** To wait for nothing but the time. */
import type { Flow } from "./flow.ts"
import type { Addressee } from "./here.ts"
import { here } from "./this-thread.ts"
import { INTERRUPTED } from "./wait-list.ts"

/** No mail reaches a flow that sleeps. */
const NOBODY: Addressee = {
  index: 0,
  isVital: false,
  unpark: () => undefined,
  takePermit: () => false,
}

/**
 * Blocks the thread for so long at most; true if its flow was interrupted. It sleeps on the thread's park word, where others
 * can wake it, and sees to its bells meanwhile.
 */
export function nap(flow: Flow, ms: number): boolean {
  return here().block(NOBODY, flow, ms) === INTERRUPTED
}
