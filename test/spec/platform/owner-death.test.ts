/** A pool whose thread has ended, for those who have it too. Rules: docs/spec/platform.md. */
import { RejectedExecutionError, ThreadDeathError } from "corepool"
import assert from "node:assert/strict"
import { after, test } from "node:test"
import { runProgram } from "../../support/child.ts"
import { eventually, rejectionOf, thrownBy } from "../../support/harness.ts"
import { closeLandlord, guestOfPool } from "./landlord.ts"

after(closeLandlord)

test("[PL34] when the thread that made a pool ends, the pool has terminated, and what is pending fails", async () => {
  const pool = await guestOfPool(2)
  assert.equal(await pool.submit(() => 7), 7)
  const running = pool.submit(() => new Promise<never>(() => undefined))
  const ended = pool.awaitTermination()
  await eventually(() => pool.activeCount === 1)
  await closeLandlord()
  assert.ok((await rejectionOf(running)) instanceof ThreadDeathError)
  assert.equal(await ended, true)
  assert.deepEqual([pool.isShutdown, pool.isTerminated, pool.poolSize, pool.activeCount], [true, true, 0, 0])
  assert.ok(thrownBy(() => pool.submit(() => 1)) instanceof RejectedExecutionError)
  assert.deepEqual(pool.shutdownNow(), [])
  await pool.close()
})

test("[PL34] nobody need have waited for it", async () => {
  const pool = await guestOfPool(1)
  await closeLandlord()
  pool.shutdown()
  assert.equal(await pool.awaitTermination(), true)
})

test("[PL34] no process stays for it", async () => {
  const { code, stdout } = await runProgram(`
    import { Executors } from "corepool"
    const landlord = Executors.newFixedThreadPool(1)
    const pool = await landlord.submit(async () => {
      const { Executors } = await import("corepool")
      return Executors.newFixedThreadPool(1)
    })
    pool.submit(() => new Promise(() => {})).then(undefined, (error) => console.log(error.name))
    await landlord.close()
    pool.shutdown()
  `)
  assert.deepEqual([code, stdout], [0, "ThreadDeathError\n"])
})
