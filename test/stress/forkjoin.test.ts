/** Trees of tasks with errors, cancellations and deaths at random. Rules: docs/spec/forkjoin.md. */
import { ForkJoinPool } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { setEnvironmentData } from "node:worker_threads"
import { SEED, STRESS } from "../support/stress.ts"
import { KEY } from "./forkjoin-key.ts"

const NODES = 20_000 * STRESS
/** About so many threads die. */
const DEATHS = 4

const runs = new Int32Array(new SharedArrayBuffer(NODES * 4))
setEnvironmentData(KEY, runs.buffer)

async function grow(parallelism: number, oneDeathIn: number): Promise<number> {
  setEnvironmentData("deaths", oneDeathIn)
  const { tree } = await import("./forkjoin-tasks.ts")
  await using pool = new ForkJoinPool({ parallelism })
  const outcomes = new Map<string, number>()
  const roots = 20
  const size = NODES / roots
  const futures = Array.from({ length: roots }, (_, i) => pool.submit(tree, i * size, (i + 1) * size, SEED + i))
  for (const future of futures) {
    const outcome = await future.then(
      () => "a result",
      (error: unknown) => (error as Error).name,
    )
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  }
  assert.ok(await pool.awaitQuiescence())
  assert.deepEqual([pool.queuedTaskCount, pool.queuedSubmissionCount, pool.activeThreadCount], [0, 0, 0])
  for (const name of outcomes.keys()) {
    assert.ok(["a result", "RangeError", "ThreadDeathError", "CancellationError"].includes(name), name)
  }
  const twice = runs.findIndex((count) => count > 1)
  assert.equal(twice, -1, `seed ${SEED}: node ${twice} ran ${runs[twice]} times`)
  return runs.reduce((sum, count) => sum + count, 0)
}

for (const parallelism of [1, 2, 4]) {
  test(`[FJ6][FJ14][FJ16] trees on ${parallelism} threads: every node runs at most once, every join ends`, async () => {
    runs.fill(0)
    assert.ok((await grow(parallelism, 0)) > 0, `seed ${SEED}`)
  })
}

test("[FJ6][FJ30][FJ31] the same while threads die", async () => {
  runs.fill(0)
  assert.ok((await grow(2, NODES / DEATHS)) > 0, `seed ${SEED}`)
})
