/** To wait for nothing but the time. */
import { block } from "#atomics"
import { perThread } from "../../per-thread.ts"
import type { Flow } from "../flow/flow.ts"

/** Blocks the thread for so long at most; true if its flow was interrupted. */
type BlockFor = (flow: Flow, ms: number) => boolean

/**
 * How this thread naps. A thread that shares no memory with others cannot be reached by them: it just blocks. As soon
 * as it does share some, this-thread.ts provides a way by which others can wake it. A program of virtual threads alone
 * never needs that.
 */
const way = perThread<{ blockFor: BlockFor }>("nap", () => ({
  blockFor: (_flow, ms) => {
    block(ms)
    return false
  },
}))

export function setBlockFor(given: BlockFor): void {
  way.blockFor = given
}

export function blockFor(flow: Flow, ms: number): boolean {
  return way.blockFor(flow, ms)
}
