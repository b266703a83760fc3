/** Defects 7, 13 and 15: what comes back. */
import { NotSerializableError, type ThreadPoolExecutor } from "corepool"
import assert from "node:assert/strict"
import { eventually, rejectionOf } from "../support/harness.ts"
import { count, fixed, type Setup, SharedWords, work } from "./setup.ts"

/** The thread is the same one after it as before it. */
async function survived(pool: ThreadPoolExecutor, trial: () => Promise<void>): Promise<void> {
  const before = await pool.submit(work.thread)
  await trial()
  assert.equal(await pool.submit(work.thread), before, "the thread was replaced")
}

export const functionAsResult: Setup = {
  defect: 7,
  title: "a result that cannot travel fails its own task, and says so",
  async run(newPool) {
    const pool = newPool(fixed(1))
    await survived(pool, async () => {
      const error = await rejectionOf(pool.submit(work.giveFunction))
      assert.ok(error instanceof NotSerializableError, String(error))
      assert.notEqual(error.message, "")
    })
    await pool.close()
  },
}

export const thrownThings: Setup = {
  defect: 13,
  title: "whatever is thrown arrives, and its thread goes on",
  async run(newPool) {
    const pool = newPool(fixed(1))
    await survived(pool, async () => {
      const circle = (await rejectionOf(pool.submit(work.throwCircle))) as Error & { self?: unknown }
      assert.ok(circle instanceof Error)
      assert.equal(circle.message, "with a circle")
      assert.equal(circle.self, circle)
      const withBigInt = (await rejectionOf(pool.submit(work.throwBigInt))) as RangeError & { amount?: unknown }
      assert.ok(withBigInt instanceof RangeError)
      assert.equal(withBigInt.message, "with a BigInt")
      assert.equal(withBigInt.amount, 4n)
      assert.equal(await rejectionOf(pool.submit(work.throwUndefined)), undefined)
    })
    await pool.close()
  },
}

/** More than any table of 65,536 can hold. */
const MANY = 70_000

export const manyOutstanding: Setup = {
  defect: 15,
  title: "70,000 outstanding tasks each get their own result",
  async run(newPool) {
    const pool = newPool(fixed(2))
    const shared = new SharedWords()
    for (let i = 0; i < 2; i++) pool.submit(work.hold, shared.words)
    await eventually(() => shared.counter === 2)
    const futures = count(MANY, (i) => pool.submit(work.add, i, 1))
    shared.open()
    await pool.close()
    const wrong = futures.findIndex((future, i) => future.resultNow() !== i + 1)
    assert.equal(wrong, -1)
  },
}
