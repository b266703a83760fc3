/** Code that tasks have left behind in threads of a ForkJoinPool. Ids such as [FJ81] refer to docs/spec/forkjoin.md. */
import { ForkJoinPool } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually } from "../../support/harness.ts"
import { endAndFork, forkLater, IS_OVER, RESULT, RUNS, type Way, WAYS } from "./stray-tasks.ts"

const newWords = (): Int32Array => new Int32Array(new SharedArrayBuffer(12))

for (const parallelism of [1, 2]) {
  for (const way of Object.keys(WAYS) as Way[]) {
    test(`[FJ81] a timer that a task has left behind forks and joins while its worker has nothing else to do: ${way}, parallelism ${parallelism}`, async () => {
      await using pool = new ForkJoinPool({ parallelism })
      const words = newWords()
      await pool.submit(forkLater, way, words)
      await eventually(() => Atomics.load(words, IS_OVER) === 1)
      assert.equal(Atomics.load(words, RESULT), 10)
      assert.equal(await pool.awaitQuiescence(), true)
    })
  }
}

/** After so many microtasks such code forks: before its worker leaves, while it does, and afterwards. */
const STEPS = [0, 1, 2, 3, 4, 5, 6] as const

for (const end of ["shutdown", "shutdownNow"] as const) {
  for (const joins of [false, true]) {
    test(`[FJ81] what is forked in the turn in which its worker leaves does not stay in the pool, and runs once at most: ${end}, ${joins ? "joined" : "not joined"}`, async () => {
      for (const steps of STEPS) {
        await using pool = new ForkJoinPool({ parallelism: 1 })
        const words = newWords()
        await pool.submit(endAndFork, pool, end, steps, joins, words)
        await eventually(() => pool.isTerminated) // which an idle pool would not keep the process for
        assert.equal(pool.queuedTaskCount, 0, `after ${steps} microtasks`)
        assert.ok(Atomics.load(words, RUNS) <= 1, `after ${steps} microtasks`)
      }
    })
  }
}
