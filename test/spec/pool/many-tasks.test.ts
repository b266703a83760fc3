/** invokeAll and invokeAny on a pool. Ids such as [TP100] refer to docs/spec/pool.md. */
import { TimeoutError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"

test("[TP100] invokeAll gives a done future for each task, in order", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(2)
  const error = new Error("the second")
  const futures = await pool.invokeAll<string>([
    async () => {
      await turns(2)
      return "first"
    },
    () => {
      throw error
    },
    () => "third",
  ])
  assert.deepEqual(
    futures.map((future) => future.state),
    ["success", "failed", "success"],
  )
  assert.deepEqual([futures[0]?.resultNow(), futures[2]?.resultNow()], ["first", "third"])
  assert.equal(futures[1]?.exceptionNow(), error)
  assert.deepEqual(await pool.invokeAll([]), [])
  assert.deepEqual(await pool.invokeAll([], 0), [])
  assert.equal(await (await pool.invokeAll([() => 1], 1_000_000))[0], 1)
})

test("[TP100] what is not done when the time is up is cancelled", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(2)
  const gate = pools.gate()
  const [quick, slow] = await pool.invokeAll<unknown>([() => "quick", gate.interruptible], 200)
  assert.equal(quick?.resultNow(), "quick")
  assert.equal(slow?.state, "cancelled")
  await eventually(() => gate.passed === 1)
})

test("[TP100] what is no collection of tasks is refused, and the tasks before it are cancelled", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(2)
  const gate = pools.gate()
  for (const wrong of [null, undefined, 3, { length: 1 }]) {
    assert.ok((await rejectionOf(pool.invokeAll(wrong as never))) instanceof TypeError)
    assert.ok((await rejectionOf(pool.invokeAll(wrong as never, 10))) instanceof TypeError)
  }
  assert.ok((await rejectionOf(pool.invokeAll([gate.interruptible, null as never]))) instanceof TypeError)
  await eventually(() => pool.activeCount === 0)
  assert.equal(gate.inside, 0)
  assert.ok((await rejectionOf(pool.invokeAll([gate.body, null as never], 1000))) instanceof TypeError)
  assert.ok((await rejectionOf(pool.invokeAll([() => 1], NaN))) instanceof RangeError)
})

test("[TP101] invokeAny gives the value of a task that succeeded and cancels the others", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(3)
  const gate = pools.gate()
  const fails = (): never => {
    throw new Error("fails")
  }
  const succeeds = async (): Promise<string> => {
    await turns(2)
    return "succeeds"
  }
  assert.equal(await pool.invokeAny<unknown>([fails, gate.interruptible, succeeds]), "succeeds")
  await eventually(() => pool.activeCount === 0)
  assert.equal(gate.inside, 0)
  assert.equal(await pool.invokeAny([succeeds, succeeds], 1_000_000), "succeeds")
})

test("[TP101] invokeAny rejects if all fail, if none is done in time, and if there is none", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(2)
  const gate = pools.gate()
  const error = new Error("all fail")
  const fails = (): never => {
    throw error
  }
  assert.equal(await rejectionOf(pool.invokeAny([fails, fails])), error)
  assert.equal(await rejectionOf(pool.invokeAny([fails], 1_000_000)), error)
  assert.ok((await rejectionOf(pool.invokeAny([gate.interruptible], 5))) instanceof TimeoutError)
  await eventually(() => gate.inside === 0)
  assert.ok((await rejectionOf(pool.invokeAny([]))) instanceof RangeError)
  for (const wrong of [null, undefined, 3]) {
    assert.ok((await rejectionOf(pool.invokeAny(wrong as never))) instanceof TypeError)
  }
  assert.ok((await rejectionOf(pool.invokeAny([gate.interruptible, null as never]))) instanceof TypeError)
  await eventually(() => pool.activeCount === 0)
})
