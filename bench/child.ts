/** The process of one contender (sampling.ts). A sample is a number: milliseconds, or bytes per element. */
import { setImmediate } from "node:timers/promises"
import type { Contender } from "./contest.ts"
import { contests } from "./contests.ts"
import { answerWith, collectGarbage, contenderIn, contestName } from "./sampling.ts"

/**
 * How large a run goes before memory is measured, so that code which is loaded or compiled on first use does not
 * count.
 */
const REHEARSAL = 1_000

const contender: Contender = contenderIn(contests)
const isTimed = contests.find(({ name }) => name === contestName)?.measures === "time"

/** In ms. What this run leaves is its own to clear. */
async function time(n: number): Promise<number> {
  collectGarbage()
  const start = performance.now()
  await contender.run(n)
  return performance.now() - start
}

/** In bytes per element: what is held when the run is over, on the heap and outside of it, where typed arrays lie. */
async function memory(n: number): Promise<number> {
  await contender.run(REHEARSAL)
  const before = await memoryInUse()
  await contender.run(n)
  return ((await memoryInUse()) - before) / n
}

async function memoryInUse(): Promise<number> {
  // Promise jobs that are still to be done may hold something.
  await setImmediate()
  // Twice: a finalizer frees in the second pass what the first one found.
  collectGarbage()
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

answerWith(isTimed ? time : memory)
