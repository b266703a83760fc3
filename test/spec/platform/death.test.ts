/** Workers that die where no code of the user's is thought to run. Rules: docs/spec/platform.md. */
import { Executors, ThreadDeathError } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"

test("[PL17] a worker that ends while its result is being written down fails the task with the reason", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const future = pool.submit(
    (code: number) => ({
      get property(): number {
        return process.exit(code)
      },
    }),
    3,
  )
  await assert.rejects(
    () => future.get(),
    (error) => error instanceof ThreadDeathError && error.message.includes("exit code 3"),
  )
  assert.equal(await pool.submit((a: number) => a + 1, 1), 2)
})
