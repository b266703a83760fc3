/** What the tests of shared queues have in common. */
import type { Handle, Shared } from "#src/memory/shared/shared-memory.js"
import { CONTROL, CONTROL_BASE, LIST } from "#src/queue/shared/shared-layout.js"

/** The queue, after it has taken on its shared form. */
export function shared<Q extends { readonly handle: object }>(queue: Q): Q {
  void queue.handle
  return queue
}

/** What arrives of a queue that is posted. */
export function posted(queue: { readonly handle: object }): Shared {
  return structuredClone(queue) as Shared
}

/** How many wait in a shared queue. */
export function waitersIn({ handle }: { readonly handle: Handle }): {
  readonly putters: number
  readonly takers: number
} {
  const words = new Int32Array(handle.memory)
  const count = (list: number): number => Atomics.load(words, CONTROL_BASE + list + LIST.COUNT)
  return { putters: count(CONTROL.PUTTERS), takers: count(CONTROL.TAKERS) }
}
