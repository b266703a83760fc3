/** The tasks of contention-child.ts. */
import { type CountDownLatch, task } from "corepool"
import { type Counts, counts } from "../counting-atomics.ts"

/** What this thread has counted. Waits until as many threads as the latch asks for are here: so each worker gives its own. */
export const countsHere = task(import.meta.url, function countsHere(all: CountDownLatch): Counts {
  const here = structuredClone(counts)
  all.countDown()
  all.awaitSync()
  return here
})

export const add = task(import.meta.url, function add(a: number, b: number): number {
  return a + b
})
