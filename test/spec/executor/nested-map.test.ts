/** Tasks that map over the pool in which they run. */
import assert from "node:assert/strict"
import test from "node:test"
import { Executors, type ExecutorService } from "corepool"

for (const [what, options] of [
  ["as many items in a task as map chooses", {}],
  ["one item in a task", { chunk: 1 }],
  ["in any order", { ordered: false }],
] as const) {
  test(`[MP31] more tasks than a pool has threads map over that pool: ${what}`, async () => {
    await using pool = Executors.newFixedThreadPool(2)
    const sum = async (it: ExecutorService, how: object): Promise<number> => {
      let total = 0
      for await (const n of it.map((item: number) => item + 1, [0, 1, 2, 3], how)) total += n
      return total
    }
    const outer = [1, 2, 3, 4].map(() => pool.submit(sum, pool, options))
    for (const each of outer) assert.equal(await each, 10)
  })
}
