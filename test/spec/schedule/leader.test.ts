/**
 * Who waits for the first task of a pool of platform threads, and who is woken when another one becomes the first. A wake-up
 * that is lost shows as a task that never runs. Ids such as [SC9] refer to docs/spec/schedule.md.
 */
import { Executors, type ScheduledFuture, type ScheduledThreadPoolExecutor } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually, turns } from "../../support/harness.ts"
import { Dice, SEED, STRESS } from "../../support/stress.ts"

const FAR = 3_600_000

const number = (n: number): number => n

/** A pool of so many worker threads, all started. */
async function open(threads: number): Promise<ScheduledThreadPoolExecutor> {
  const pool = Executors.newScheduledThreadPool(threads)
  pool.removeOnCancel = true
  await Promise.all(Array.from({ length: threads }, () => pool.submit(number, 0)))
  return pool
}

test("[SC9] what is due sooner than all that waits is not late for it, whoever was cancelled before", async () => {
  const dice = new Dice(SEED)
  const pool = await open(2)
  try {
    for (let round = 0; round < 150 * STRESS; round++) {
      const waiting: ScheduledFuture<number>[] = []
      for (let i = dice.roll(4); i > 0; i--) waiting.push(pool.schedule(number, FAR + dice.roll(1000), i))
      // The one that the leader waits for goes away, and another comes that is due later, or sooner, or at once.
      const gone = pool.schedule(number, 5 + dice.roll(10), -1)
      if (dice.roll(2) === 0) await turns(1)
      gone.cancel()
      const soon = Array.from({ length: 1 + dice.roll(3) }, (_, i) => pool.schedule(number, dice.roll(4), i))
      if (dice.roll(3) > 0) for (const future of waiting) future.cancel()
      assert.deepEqual(
        await Promise.all(soon),
        soon.map((_, i) => i),
        `seed ${SEED}`,
      )
      for (const future of waiting) future.cancel()
    }
    assert.equal(pool.queue.size, 0)
  } finally {
    pool.shutdownNow()
    assert.ok(await pool.awaitTermination())
  }
})

test("[SC9] who leads after the one that got the last task is told of the next one", async () => {
  const pool = await open(2)
  try {
    // Long enough for the other thread to fall asleep, first in line, with nothing to wait for.
    for (let round = 0; round < 10; round++) {
      assert.equal(await pool.schedule(number, 25, round), round)
      assert.equal(await pool.schedule(number, 5, round), round)
    }
  } finally {
    pool.shutdownNow()
    assert.ok(await pool.awaitTermination())
  }
})

test("[SC9] a leader that dies, or is interrupted, is not waited for", async () => {
  const pool = await open(2)
  try {
    for (let round = 0; round < 3; round++) {
      const far = pool.schedule(number, FAR, 1)
      // Both threads end, one after the other, and so does whoever leads.
      for (let i = 0; i < 2; i++) {
        await assert.rejects(
          Promise.resolve(
            pool.schedule(() => {
              process.exit(0)
            }, 1),
          ),
          { name: "ThreadDeathError" },
        )
      }
      assert.equal(await pool.schedule(number, 2, round), round)
      far.cancel()
      pool.corePoolSize = 1
      await eventually(() => pool.poolSize <= 1 || pool.activeCount === 0)
      assert.equal(await pool.schedule(number, 2, round), round)
      pool.corePoolSize = 2
    }
  } finally {
    pool.shutdownNow()
    assert.ok(await pool.awaitTermination())
  }
})

test("[SC40] the last thread of a pool of core size 0 goes when the last task is cancelled", async () => {
  const pool = Executors.newScheduledThreadPool(0)
  pool.removeOnCancel = true
  try {
    for (let round = 0; round < 3; round++) {
      const [first, second] = [pool.schedule(number, FAR, 1), pool.schedule(number, FAR + 1, 2)]
      await eventually(() => pool.poolSize === 1)
      assert.equal(await pool.submit(number, round), round)
      first.cancel()
      assert.equal(await pool.schedule(number, 2, round), round)
      assert.equal(pool.poolSize, 1)
      second.cancel()
      await eventually(() => pool.poolSize === 0)
    }
  } finally {
    pool.shutdownNow()
    assert.ok(await pool.awaitTermination())
  }
})
