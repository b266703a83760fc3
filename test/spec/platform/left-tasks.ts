/** Tasks of threads that have left, and run on. */
import { task, Thread } from "corepool"
import { words } from "../../support/shared-words.ts"

function waitAt(gate: number): void {
  Atomics.add(words, gate, 1)
  while (Atomics.load(words, gate + 1) === 0) Atomics.wait(words, gate + 1, 0)
}

export const pass = task(import.meta.url, function pass(gate: number): string {
  waitAt(gate)
  return Thread.currentThread().name
})

/** Ends its thread by an error of a microtask. Another one, which runs all the same in Node, waits at the gate `after`; then this goes on. */
export const leaveAndGoOn = task(
  import.meta.url,
  async function leaveAndGoOn(gate: number, after: number): Promise<string> {
    waitAt(gate)
    queueMicrotask(() => {
      throw new Error("own")
    })
    queueMicrotask(() => waitAt(after))
    await Promise.resolve()
    return "went on"
  },
)

export const count = task(import.meta.url, function count(index: number): string {
  Atomics.add(words, index, 1)
  return Thread.currentThread().name
})
