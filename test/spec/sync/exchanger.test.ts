/** Flows of one thread that exchange values. */
import { FutureTask } from "corepool"
import { Exchanger } from "#src/sync/index.js"
import assert from "node:assert/strict"
import test from "node:test"
import { rejectionOf, turns } from "../../support/harness.ts"
import { Task, tasks, timeLimit } from "../lock/support.ts"
import { hallOf } from "./exchanger-support.ts"

/** Known to other threads, though none uses it. */
function shared<V>(): Exchanger<V> {
  const exchanger = new Exchanger<V>()
  structuredClone(exchanger)
  return exchanger
}

/** The same must hold whether other threads could come or not. */
const BOTH = [() => new Exchanger<unknown>(), () => shared<unknown>()]

test("[EX1] two who meet get each other's value, and the first has to wait", async () => {
  for (const create of BOTH) {
    const exchanger = create()
    const [one, other] = tasks(2) as [Task, Task]
    for (let round = 0; round < 3; round++) {
      const first = await one.waitIn(() => exchanger.exchange(`one ${round}`))
      const second = other.call(() => exchanger.exchange(`other ${round}`))
      assert.deepEqual([await first.ends(), await second.ends()], [`other ${round}`, `one ${round}`])
    }
  }
})

test("[EX1] with a time limit as without", async () => {
  for (const create of BOTH) {
    const exchanger = create()
    const first = exchanger.exchange(1, 60_000)
    const second = exchanger.exchange(2, { timeout: 60_000, signal: new AbortController().signal })
    assert.deepEqual([await first, await second], [2, 1])
  }
})

test("[EX1] one that blocks meets one that awaits", async () => {
  for (const create of BOTH) {
    const exchanger = create()
    const first = exchanger.exchange(1)
    assert.equal(exchanger.exchangeSync(2), 1)
    assert.equal(await first, 2)
  }
})

test("[EX2] all who come are paired, and one that is left over waits", async () => {
  for (const create of BOTH) {
    const exchanger = create()
    const got = new Map<number, number>()
    const calls = tasks(9).map((task, mine) =>
      task.call(async () => {
        got.set(mine, (await exchanger.exchange(mine)) as number)
      }),
    )
    await turns()
    assert.equal(got.size, 8)
    for (const [mine, theirs] of got) assert.equal(got.get(theirs), mine)
    assert.equal(calls.filter(({ isPending }) => isPending).length, 1)
    assert.equal(await exchanger.exchange(9), 8)
  }
})

test("[EX3] flows of one thread get the very same values, whatever they are", async () => {
  const values = [{ an: "object" }, () => "a function", Symbol("mine"), undefined, null, 0, new WeakMap(), NaN]
  const exchanger = new Exchanger()
  for (const [index, value] of values.entries()) {
    const other = values[(index + 1) % values.length]
    const first = exchanger.exchange(value)
    assert.ok(Object.is(await exchanger.exchange(other), value))
    assert.ok(Object.is(await first, other))
  }
})

test("[EX3] also if other threads know the exchanger", async () => {
  const exchanger = shared<object>()
  const [one, other] = [{ is: "one" }, { is: "other" }]
  const first = exchanger.exchange(one)
  assert.equal(await exchanger.exchange(other), one)
  assert.equal(await first, other)
})

test("[EX3] the second may bring what could not be cloned", async () => {
  const exchanger = shared<unknown>()
  const first = exchanger.exchange(1)
  const uncloneable = (): void => undefined
  assert.equal(await exchanger.exchange(uncloneable), 1)
  assert.equal(await first, uncloneable)
})

test("[EX4] a promise is refused", async () => {
  for (const create of BOTH) {
    const exchanger = create()
    for (const value of [Promise.resolve(1), new FutureTask(() => 1)]) {
      await assert.rejects(exchanger.exchange(value), {
        name: "TypeError",
        message: /^Expected `value` to be no promise/,
      })
      assert.throws(() => exchanger.exchangeSync(value, 1), TypeError)
    }
  }
})

test("[EX5] if the time is up, TimeoutError and not before", async () => {
  for (const create of BOTH) {
    const exchanger = create()
    const limit = timeLimit(10)
    const error = (await rejectionOf(exchanger.exchange(1, 10))) as Error
    assert.ok(limit.isOver)
    assert.equal(error.name, "TimeoutError")
    assert.match(error.message, /^No other task came to Exchanger@\d+ within 10 ms$/)
    const next = timeLimit(5)
    assert.throws(() => exchanger.exchangeSync(1, 5), { name: "TimeoutError" })
    assert.ok(next.isOver)
  }
})

test("[EX5] with no time a partner that waits is still found", async () => {
  for (const create of BOTH) {
    const exchanger = create()
    for (const none of [0, -1]) {
      await assert.rejects(exchanger.exchange(1, none), { name: "TimeoutError" })
      assert.throws(() => exchanger.exchangeSync(1, none), { name: "TimeoutError" })
      const first = exchanger.exchange("first")
      assert.equal(await exchanger.exchange("second", none), "first")
      assert.equal(await first, "second")
    }
  }
})

test("[EX6] an interrupt ends the wait and clears the flag", async () => {
  for (const create of BOTH) {
    for (const wait of [undefined, 60_000]) {
      const exchanger = create()
      const task = new Task()
      const call = await task.waitIn(() => exchanger.exchange(1, wait))
      task.interrupt()
      await call.failsWith("InterruptedError")
      assert.equal(task.isInterrupted, false)
    }
  }
})

test("[EX6] one that is pending is told even if a partner waits, and that one goes on waiting", async () => {
  for (const create of BOTH) {
    const exchanger = create()
    const [partner] = tasks(1) as [Task]
    const call = await partner.waitIn(() => exchanger.exchange("partner"))
    for (const attempt of [() => exchanger.exchange(1), async () => exchanger.exchangeSync(1, 60_000)]) {
      const task = Task.raised()
      await task.call(attempt).failsWith("InterruptedError")
      assert.equal(task.isInterrupted, false)
    }
    await call.waits()
    assert.equal(await exchanger.exchange(2), "partner")
    assert.equal(await call.ends(), 2)
  }
})

test("[EX7] a signal ends the wait with its reason", async () => {
  for (const create of BOTH) {
    const exchanger = create()
    const controller = new AbortController()
    const reason = new Error("enough")
    const call = exchanger.exchange(1, { signal: controller.signal })
    await turns()
    controller.abort(reason)
    assert.equal(await rejectionOf(call), reason)
    assert.equal(await rejectionOf(exchanger.exchange(1, { signal: controller.signal })), reason)
  }
})

test("[EX8] who gave up is not met by anybody", async () => {
  for (const create of BOTH) {
    const exchanger = create()
    const [interrupted, one, other] = tasks(3) as [Task, Task, Task]
    await assert.rejects(exchanger.exchange("late", 1), { name: "TimeoutError" })
    const call = await interrupted.waitIn(() => exchanger.exchange("interrupted"))
    interrupted.interrupt()
    await call.failsWith("InterruptedError")
    const controller = new AbortController()
    const aborted = exchanger.exchange("aborted", { signal: controller.signal })
    await turns()
    controller.abort()
    await rejectionOf(aborted)
    const first = await one.waitIn(() => exchanger.exchange(1))
    const second = other.call(() => exchanger.exchange(2))
    assert.deepEqual([await first.ends(), await second.ends()], [2, 1])
  }
})

test("[EX9] a thread does not block for ever", async () => {
  const exchanger = new Exchanger<number>()
  assert.throws(() => exchanger.exchangeSync(1), { name: "IllegalStateError", message: /block for ever/ })
  const first = exchanger.exchange(1)
  assert.equal(exchanger.exchangeSync(2), 1)
  assert.equal(await first, 2)
})

test("[EX10] a time limit is a number", async () => {
  const exchanger = new Exchanger<number>()
  const first = exchanger.exchange(1)
  for (const wait of ["1", { timeout: "1" }, { signal: {} }] as unknown as number[]) {
    await assert.rejects(exchanger.exchange(2, wait), TypeError)
  }
  await assert.rejects(exchanger.exchange(2, NaN), RangeError)
  assert.throws(() => exchanger.exchangeSync(2, NaN), RangeError)
  assert.throws(() => exchanger.exchangeSync(2, "1" as unknown as number), TypeError)
  assert.equal(await exchanger.exchange(3), 1)
  assert.equal(await first, 3)
})

test("[EX11] several objects in one thread are one exchanger", async () => {
  const exchanger = new Exchanger<number>()
  const same = Exchanger.from<number>(structuredClone(exchanger))
  const again = Exchanger.from<number>(exchanger)
  for (const [one, other] of [
    [exchanger, same],
    [same, again],
    [again, exchanger],
  ] as const) {
    const first = one.exchange(1)
    assert.equal(await other.exchange(2), 1)
    assert.equal(await first, 2)
  }
})

test("[EX14] what cannot be cloned is refused if another thread could come", async () => {
  const exchanger = shared<unknown>()
  for (const value of [() => 1, Symbol("mine"), { deep: [new WeakMap()] }]) {
    await assert.rejects(exchanger.exchange(value), { name: "NotSerializableError", message: /copied|sent/ })
    assert.throws(() => exchanger.exchangeSync(value), { name: "NotSerializableError" })
  }
  const thrown = new Error("from a getter")
  const hostile = {
    get value() {
      throw thrown
    },
  }
  const error = (await rejectionOf(exchanger.exchange(hostile))) as Error
  assert.equal(error.name, "NotSerializableError")
  assert.equal(error.cause, thrown)
  const first = exchanger.exchange(1)
  assert.equal(await exchanger.exchange(2), 1)
  assert.equal(await first, 2)
})

test("[EX14] and so is what is too large", () => {
  const hall = hallOf(new Exchanger())
  // Not made here, for it would take a while: how long it is decides.
  const large = { length: 2 ** 28 } as Uint8Array
  assert.ok(hall.tryEnter())
  assert.throws(() => hall.publish(large, 0), { name: "NotSerializableError", message: /268435456 bytes is too large/ })
  assert.equal(hall.hasOffer, false)
  hall.leave()
})

test("[EX14] shared memory is no exception", async () => {
  const exchanger = shared<unknown>()
  for (const value of [new SharedArrayBuffer(8), { deep: [new SharedArrayBuffer(8)] }]) {
    await assert.rejects(exchanger.exchange(value, 10), { name: "NotSerializableError" })
    assert.throws(() => exchanger.exchangeSync(value, 10), { name: "NotSerializableError" })
  }
})

test("[EX15] who waits when the exchanger becomes known to other threads waits on", async () => {
  const exchanger = new Exchanger<unknown>()
  const value = { by: "reference" }
  const first = exchanger.exchange(value)
  const same = Exchanger.from<unknown>(structuredClone(exchanger))
  assert.equal(await same.exchange(2), value)
  assert.equal(await first, 2)
})

test("[EX15] unless what it offers cannot be cloned", async () => {
  const exchanger = new Exchanger<unknown>()
  const [task] = tasks(1) as [Task]
  const call = await task.waitIn(() => exchanger.exchange(() => 1))
  structuredClone(exchanger)
  await call.failsWith("NotSerializableError")
  await assert.rejects(exchanger.exchange(1, 0), { name: "TimeoutError" })
})
