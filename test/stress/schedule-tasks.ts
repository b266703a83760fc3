/** What the threads of schedule.test.ts run. Each task has a few words of its own, in which it writes down how it fares. */
import { task } from "corepool"
import { sharedNow } from "#src/time/shared-clock.js"
import { CLOCKS_AGREE } from "../support/shared-words.ts"

export const WORD = { RUNS: 0, INSIDE: 1, EARLY: 2, CLASHES: 3, SIZE: 4 } as const

/** When a task is due, in ms: for the first time, and then every so often, at the earliest. */
export interface Times {
  readonly first: number
  readonly period: number
}

function enter(words: Int32Array, at: number, { first, period }: Times): number {
  const run = Atomics.add(words, at + WORD.RUNS, 1)
  if (sharedNow() + CLOCKS_AGREE / 1000 < first + run * period) Atomics.add(words, at + WORD.EARLY, 1)
  if (Atomics.add(words, at + WORD.INSIDE, 1) !== 0) Atomics.add(words, at + WORD.CLASHES, 1)
  return run + 1
}

function leave(words: Int32Array, at: number): void {
  Atomics.sub(words, at + WORD.INSIDE, 1)
}

export const run = task(import.meta.url, function run(words: Int32Array, at: number, times: Times): number {
  const runs = enter(words, at, times)
  leave(words, at)
  return runs
})

export const runLater = task(
  import.meta.url,
  async function runLater(words: Int32Array, at: number, times: Times): Promise<number> {
    const runs = enter(words, at, times)
    await new Promise((resolve) => setImmediate(resolve))
    leave(words, at)
    return runs
  },
)

/** Ends its thread in the third run of a series, or the only one of another task. */
export const die = task(import.meta.url, function die(words: Int32Array, at: number, times: Times): void {
  if (enter(words, at, times) >= (times.period === 0 ? 1 : 3)) process.exit(7)
  leave(words, at)
})

/** Is deaf to interrupts in the second run of a series, or the only one of another task. */
export const spin = task(import.meta.url, function spin(words: Int32Array, at: number, times: Times): void {
  if (enter(words, at, times) >= (times.period === 0 ? 1 : 2)) for (;;);
  leave(words, at)
})

export const fail = task(import.meta.url, function fail(words: Int32Array, at: number, times: Times): void {
  const runs = enter(words, at, times)
  leave(words, at)
  if (runs >= (times.period === 0 ? 1 : 4)) throw new RangeError("own")
})
