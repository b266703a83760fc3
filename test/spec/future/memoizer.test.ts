import { InterruptedError, Thread } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { Memoizer } from "../../../examples/support/memoizer.ts"
import { Gate, rejectionOf, turns } from "../../support/harness.ts"
import { Threads } from "../thread/threads.ts"

/** A memoizer whose n-th computation is held by the n-th gate. */
function gated(count: number): { gates: Gate[]; keys: string[]; memoizer: Memoizer<string, unknown> } {
  const gates = Array.from({ length: count }, () => new Gate())
  const keys: string[] = []
  const memoizer = new Memoizer((key: string) => {
    const gate = gates[keys.length]
    assert.ok(gate, "computed too often")
    keys.push(key)
    return gate.interruptible()
  })
  return { gates, keys, memoizer }
}

function gateOf(gates: readonly Gate[], n: number): Gate {
  const gate = gates[n]
  assert.ok(gate)
  return gate
}

test("[MZ1] a thousand callers at the same time compute once and get the same value", async () => {
  await using threads = new Threads()
  const { gates, keys, memoizer } = gated(1)
  const callers = Array.from({ length: 1000 }, () => threads.call(() => memoizer.get("key")))
  await gateOf(gates, 0).entered()
  await turns()
  const value = { the: "value" }
  gateOf(gates, 0).open(value)
  const values = await Promise.all(callers.map(({ outcome }) => outcome))
  assert.deepEqual([new Set(values).size, values[0] === value, keys], [1, true, ["key"]])
})

test("[MZ1] whoever comes later gets the remembered value, also undefined", async () => {
  let computed = 0
  const memoizer = new Memoizer<string, unknown>(() => {
    computed++
    return undefined
  })
  assert.equal(await memoizer.get("key"), undefined)
  assert.equal(await memoizer.get("key"), undefined)
  assert.equal(computed, 1)
})

test("[MZ2] the first caller computes, in its own thread and inside its call", async () => {
  await using threads = new Threads()
  const memoizer = new Memoizer((_: string) => Thread.currentThread())
  const { thread, outcome } = threads.call(() => memoizer.get("key"))
  assert.equal(await outcome, thread)

  let computed = false
  const direct = new Memoizer((_: string) => (computed = true))
  const getting = direct.get("key")
  assert.equal(computed, true)
  await getting
})

test("[MZ3] keys do not wait for each other", async () => {
  const { gates, keys, memoizer } = gated(2)
  const [a, b] = [memoizer.get("a"), memoizer.get("b")]
  gateOf(gates, 1).open("value of b")
  assert.equal(await b, "value of b")
  gateOf(gates, 0).open("value of a")
  assert.equal(await a, "value of a")
  assert.deepEqual([keys, memoizer.size], [["a", "b"], 2])
})

test("[MZ3] a computation may ask for other keys of the same memoizer", async () => {
  const fibonacci: Memoizer<number, number> = new Memoizer(async (n: number): Promise<number> =>
    n < 2 ? n : (await fibonacci.get(n - 1)) + (await fibonacci.get(n - 2)),
  )
  assert.equal(await fibonacci.get(40), 102_334_155)
  assert.equal(fibonacci.size, 41)
})

test("[MZ3] keys are compared as in a Map", async () => {
  let computed = 0
  const memoizer = new Memoizer<unknown, number>(() => ++computed)
  const object = {}
  const seen = [NaN, NaN, 0, -0, object, object, {}].map((key) => memoizer.get(key))
  assert.deepEqual(await Promise.all(seen), [1, 1, 2, 2, 3, 3, 4])
})

test("[MZ4] a cancelled computation is started anew, once, and all who wait get its value", async () => {
  await using threads = new Threads()
  const { gates, keys, memoizer } = gated(2)
  const callers = Array.from({ length: 100 }, () => threads.call(() => memoizer.get("key")))
  await gateOf(gates, 0).entered()
  await turns()
  assert.equal(memoizer.cancel("key"), true)
  await gateOf(gates, 1).entered()
  gateOf(gates, 0).open("too late")
  await turns()
  gateOf(gates, 1).open("value")
  const values = await Promise.all(callers.map(({ outcome }) => outcome))
  assert.deepEqual([...new Set(values)], ["value"])
  assert.deepEqual([keys, memoizer.size], [["key", "key"], 1])
})

test("[MZ4] cancelling again and again only makes it start again", async () => {
  const rounds = 10
  const { gates, keys, memoizer } = gated(rounds + 1)
  const value = memoizer.get("key")
  for (let i = 0; i < rounds; i++) {
    assert.equal(memoizer.cancel("key"), true)
    await gateOf(gates, i + 1).entered()
  }
  for (const gate of gates) gate.open("value")
  assert.equal(await value, "value")
  assert.equal(keys.length, rounds + 1)
  assert.equal(memoizer.cancel("key"), false)
  assert.equal(memoizer.cancel("unknown"), false)
})

test("[MZ5] a computation that was forgotten and then fails does not remove its successor", async () => {
  const { gates, keys, memoizer } = gated(2)
  const first = memoizer.get("key")
  assert.equal(memoizer.forget("key"), true)
  const second = memoizer.get("key")
  gateOf(gates, 0).fail(new Error("in vain"))
  assert.deepEqual(await rejectionOf(first), new Error("in vain"))
  const third = memoizer.get("key")
  gateOf(gates, 1).open("value")
  assert.deepEqual(await Promise.all([second, third]), ["value", "value"])
  assert.deepEqual([keys.length, memoizer.size], [2, 1])
})

test("[MZ5] nothing is left of a computation that failed or was cancelled", async () => {
  const { gates, memoizer } = gated(3)
  const failing = memoizer.get("failing")
  gateOf(gates, 0).fail(new Error("in vain"))
  await rejectionOf(failing)
  assert.equal(memoizer.size, 0)

  const cancelled = memoizer.get("cancelled")
  memoizer.cancel("cancelled")
  assert.equal(memoizer.size, 0)
  await gateOf(gates, 2).entered()
  for (const gate of gates) gate.open("value")
  assert.equal(await cancelled, "value")
})

test("[MZ6] an interrupted caller goes; the computation and the others stay", async () => {
  await using threads = new Threads()
  const { gates, keys, memoizer } = gated(1)
  const computing = threads.call(() => memoizer.get("key"))
  const leaving = threads.call(() => memoizer.get("key"))
  const staying = threads.call(() => memoizer.get("key"))
  await gateOf(gates, 0).entered()
  await turns()
  leaving.thread.interrupt()
  assert.ok((await rejectionOf(leaving.outcome)) instanceof InterruptedError)
  gateOf(gates, 0).open("value")
  assert.deepEqual(await Promise.all([computing.outcome, staying.outcome]), ["value", "value"])
  assert.equal(keys.length, 1)
})

test("[MZ7] the interrupt of the caller that computes is its own; one of the others computes anew", async () => {
  await using threads = new Threads()
  const { gates, keys, memoizer } = gated(2)
  const computing = threads.call(() => memoizer.get("key"))
  await gateOf(gates, 0).entered()
  const others = Array.from({ length: 10 }, () => threads.call(() => memoizer.get("key")))
  await turns()
  computing.thread.interrupt()
  assert.ok((await rejectionOf(computing.outcome)) instanceof InterruptedError)
  await gateOf(gates, 1).entered()
  gateOf(gates, 1).open("value")
  const values = await Promise.all(others.map(({ outcome }) => outcome))
  assert.deepEqual([...new Set(values)], ["value"])
  assert.equal(keys.length, 2)
  assert.equal(gateOf(gates, 1).threads[0], others[0]?.thread)
})

test("[MZ8] a failure reaches all who waited and is not remembered", async () => {
  const { gates, keys, memoizer } = gated(2)
  const unlucky = Array.from({ length: 100 }, () => memoizer.get("key"))
  const error = new Error("in vain")
  gateOf(gates, 0).fail(error)
  for (const result of await Promise.allSettled(unlucky)) {
    assert.ok(result.status === "rejected" && result.reason === error)
  }
  assert.equal(keys.length, 1)

  const next = memoizer.get("key")
  gateOf(gates, 1).open("value")
  assert.equal(await next, "value")
  assert.equal(keys.length, 2)
})

test("[MZ8] a computation that throws at once is a failure like any other", async () => {
  let computed = 0
  const memoizer = new Memoizer((_: string) => {
    if (++computed === 1) throw new Error("in vain")
    return "value"
  })
  assert.deepEqual(await rejectionOf(memoizer.get("key")), new Error("in vain"))
  assert.equal(await memoizer.get("key"), "value")
})
