/** Stores of AsyncLocalStorage in tasks on platform threads. */
import {
  ExecutorCompletionService,
  Executors,
  ForkJoinPool,
  FutureTask,
  IllegalStateError,
  NotSerializableError,
  propagate,
  type PropagateOptions,
  type PropagatedStorage,
} from "corepool"
import assert from "node:assert/strict"
import { AsyncLocalStorage } from "node:async_hooks"
import { test } from "node:test"
import { thrownBy } from "../../support/harness.ts"
import { late, look, lookForked, lookFrom, lookLate, lookNow, user } from "./propagate-tasks.ts"
import { relay } from "./propagate-relay.ts"

test("[CX7] a propagated store is in effect in tasks on platform threads, as a copy", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const ada = { name: "Ada", roles: new Set(["admin"]) }
  await user.run(ada, async () => {
    assert.deepEqual(await pool.submit(look), [ada, ada])
    assert.equal(await pool.submit(lookNow, 1, 2), "Ada 3")
    assert.equal(await pool.with({ timeout: 1_000_000 }).submit(lookNow, 1, 2), "Ada 3")
    const [future] = await pool.invokeAll([() => undefined, look].slice(1))
    assert.deepEqual(future?.resultNow(), [ada, ada])
    assert.deepEqual(await pool.invokeAny([look]), [ada, ada])
    const mapped: unknown[] = []
    for await (const result of pool.map(look, [1, 2, 3])) mapped.push(result)
    assert.deepEqual(
      mapped,
      [1, 2, 3].map(() => [ada, ada]),
    )
    const byHand = new FutureTask(look)
    pool.execute(byHand)
    assert.deepEqual(await byHand, [ada, ada])
    const service = new ExecutorCompletionService<unknown>(pool)
    service.submit(look)
    assert.deepEqual((await service.take()).future.resultNow(), [ada, ada])
    assert.equal(user.getStore(), ada)
  })
  assert.deepEqual(await pool.submit(look), [undefined, undefined])
  assert.equal(await pool.submit(lookNow, 1, 2), "undefined 3")
})

test("[CX7] shared and moved arguments arrive beside a store", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const bytes = new Uint8Array([1, 2, 3])
  await user.run({ name: "Ada" }, async () => {
    const moving = pool.with({ transfer: [bytes.buffer] })
    assert.deepEqual(await moving.submit(look, bytes), [{ name: "Ada" }, { name: "Ada" }])
    assert.equal(bytes.byteLength, 0)
  })
})

test("[CX7] a task that is handed back has its arguments and no others", async () => {
  const pool = Executors.newFixedThreadPool(1)
  const tasks = user.run({ name: "Ada" }, () => {
    pool.submit(look)
    pool.submit(lookNow, 1, 2)
    return pool.shutdownNow()
  })
  await using other = Executors.newFixedThreadPool(1)
  const last = tasks.at(-1) as FutureTask<unknown>
  user.run({ name: "Bob" }, () => other.execute(last))
  assert.equal(await last, "Bob 3")
  await pool.awaitTermination()
})

test("[CX8] the tasks of a task have its stores, also if it does not know the storage", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  await using other = Executors.newFixedThreadPool(1)
  await user.run({ name: "Ada" }, async () => {
    assert.equal(await pool.submit(lookFrom, other), "Ada 3")
    assert.equal(await pool.submit(relay, other), "Ada 7")
  })
})

test("[CX9] a storage that a thread gets to know during a task takes the store that came with it", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  propagate(late, { name: "late" })
  assert.deepEqual(await late.run("store", () => pool.submit(lookLate)), [undefined, "store"])
  assert.deepEqual(await late.run("next", () => pool.submit(lookLate)), ["next", "next"])
})

test("[CX10] a store that cannot be copied is an error at submission, which names the storage", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const error = user.run({ name: "Ada", close: () => undefined } as never, () => thrownBy(() => pool.submit(look)))
  assert.ok(error instanceof NotSerializableError)
  assert.match(error.message, /AsyncLocalStorage "user"/)
  assert.deepEqual(await pool.submit(look), [undefined, undefined])
})

test("[CX11] a name stands for one storage; wrong arguments are TypeErrors", () => {
  propagate(user, { name: "user" })
  const other = new AsyncLocalStorage<never>()
  assert.ok(thrownBy(() => propagate(other, { name: "user" })) instanceof IllegalStateError)
  for (const wrong of [undefined, null, 1, {}, { getStore() {} }]) {
    assert.throws(() => propagate(wrong as unknown as PropagatedStorage<unknown>, { name: "x" }), TypeError)
  }
  for (const wrong of [undefined, {}, { name: 1 }, { nam: "x" }]) {
    assert.throws(() => propagate(other, wrong as PropagateOptions), TypeError)
  }
})

test("[CX7] each run of a periodic task on a platform thread has the stores with which it was scheduled", async () => {
  await using pool = Executors.newScheduledThreadPool(1)
  assert.equal(await user.run({ name: "Ada" }, () => pool.schedule(lookNow, 1, 1, 2)), "Ada 3")
})

test("[CX8] the tasks that a task forks have its stores, whichever thread runs them", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  const run = (name: string): Promise<unknown> => user.run({ name }, () => pool.invoke(lookForked, 2000))
  assert.deepEqual(await Promise.all([run("Ada"), run("Bob")]), [{ Ada: 2000 }, { Bob: 2000 }])
  assert.deepEqual(await pool.invoke(lookForked, 2000), { undefined: 2000 })
})
