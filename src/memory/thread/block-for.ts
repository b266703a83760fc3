/** A sleep that only the time or an interrupt ends. */
import { block } from "#atomics"
import { perThread } from "../../per-thread.ts"
import type { Flow } from "../flow/flow.ts"

/** Blocks the thread for at most `ms`; true if its flow was interrupted. */
type BlockFor = (flow: Flow, ms: number) => boolean

/**
 * How this thread sleeps. A thread that shares no memory with others cannot be reached by them: it just blocks. As soon
 * as it does share memory, this-thread.ts provides a sleep from which other threads can wake it. A program of virtual
 * threads alone never needs that.
 */
const way = perThread<{ blockFor: BlockFor }>("wait", () => ({
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
