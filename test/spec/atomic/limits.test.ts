/** What the two kinds hold, and what becomes of the rest. */
import { AtomicInteger, AtomicLong } from "#src/atomic/index.js"
import assert from "node:assert/strict"
import test from "node:test"
import { CALLS, INTEGER, type Kind, LONG, UPDATES } from "./kinds.ts"

const { min: MIN, max: MAX } = INTEGER

function refuses({ create }: Kind, value: unknown, error: string): void {
  const bad = value as number
  const atomic = create(3)
  for (const [name, call] of Object.entries(CALLS)) {
    assert.throws(() => call(atomic, bad), { name: error, message: /^Expected `\w+` to be an integer from / }, name)
  }
  assert.throws(() => create(bad), { name: error, message: /^Expected `initial` to be an integer from / })
  assert.equal(atomic.get(), 3)
}

test("[AI1] sums wrap around at 32 bits", () => {
  const atomic = new AtomicInteger(MAX)
  assert.equal(atomic.incrementAndGet(), MIN)
  assert.equal(atomic.decrementAndGet(), MAX)
  assert.equal(atomic.getAndIncrement(), MAX)
  assert.equal(atomic.getAndDecrement(), MIN)
  assert.equal(atomic.get(), MAX)
  assert.equal(atomic.addAndGet(MAX), -2)
  assert.equal(atomic.addAndGet(MIN), MAX - 1)
  assert.equal(atomic.getAndAdd(2), MAX - 1)
  assert.equal(atomic.get(), MIN)
})

test("[AI2] what is no integer of 32 bits is refused", () => {
  for (const value of [MAX + 1, MIN - 1, 0.5, NaN, Infinity, -Infinity, 2 ** 53]) refuses(INTEGER, value, "RangeError")
})

test("[AI2] what is no number is refused", () => {
  for (const value of ["1", 1n, null, {}, true]) refuses(INTEGER, value, "TypeError")
  assert.throws(() => new AtomicInteger().set(undefined as unknown as number), TypeError)
})

test("[AI3] results of functions wrap around", () => {
  const atomic = new AtomicInteger(MAX)
  assert.equal(
    atomic.updateAndGet((value) => value + 1),
    MIN,
  )
  assert.equal(
    atomic.updateAndGet((value) => value - 2),
    MAX - 1,
  )
  assert.equal(
    atomic.accumulateAndGet(2 ** 21, (value, operand) => value * operand),
    -(2 ** 22),
  )
  assert.equal(
    atomic.getAndUpdate(() => Number.MAX_SAFE_INTEGER),
    -(2 ** 22),
  )
  assert.equal(atomic.get(), -1)
  assert.ok(
    Object.is(
      atomic.updateAndGet(() => -0),
      0,
    ),
  )
})

test("[AI3] results that are no exact integers are refused", () => {
  const atomic = new AtomicInteger(3)
  for (const update of Object.values(UPDATES)) {
    for (const result of [0.5, NaN, Infinity, 2 ** 53]) assert.throws(() => update(atomic, result), RangeError)
  }
  assert.equal(atomic.get(), 3)
})

test("[AL1] integers of up to 53 bits are held exactly", () => {
  const atomic = new AtomicLong()
  for (let bits = 0; bits <= 53; bits++) {
    for (const value of [2 ** bits - 1, 2 ** (bits - 1) + 1, -(2 ** bits) + 1].filter(Number.isSafeInteger)) {
      atomic.set(value)
      assert.equal(atomic.get(), value)
      assert.equal(atomic.compareAndSet(value, 0), true)
      assert.equal(atomic.getAndSet(value), 0)
      assert.equal(atomic.addAndGet(-value), 0)
      assert.equal(atomic.addAndGet(value), value)
    }
  }
  atomic.set(-0)
  assert.ok(Object.is(atomic.get(), 0))
  assert.ok(
    Object.is(
      atomic.updateAndGet(() => -0),
      0,
    ),
  )
})

test("[AL1] sums carry beyond 32 bits in both directions", () => {
  const atomic = new AtomicLong(2 ** 32 - 1)
  assert.equal(atomic.incrementAndGet(), 2 ** 32)
  assert.equal(atomic.getAndDecrement(), 2 ** 32)
  assert.equal(atomic.addAndGet(-(2 ** 33)), -(2 ** 32) - 1)
  assert.equal(atomic.getAndAdd(2 ** 50), -(2 ** 32) - 1)
  assert.equal(atomic.get(), 2 ** 50 - 2 ** 32 - 1)
})

test("[AL2] a sum beyond 53 bits is refused and changes nothing", () => {
  for (const sign of [1, -1]) {
    const end = sign * Number.MAX_SAFE_INTEGER
    const atomic = new AtomicLong(end - sign)
    assert.equal(atomic.addAndGet(sign), end)
    const calls: (() => number)[] = [
      () => atomic.addAndGet(sign),
      () => atomic.getAndAdd(sign),
      () => atomic.addAndGet(end),
      () => (sign > 0 ? atomic.incrementAndGet() : atomic.decrementAndGet()),
      () => (sign > 0 ? atomic.getAndIncrement() : atomic.getAndDecrement()),
    ]
    for (const call of calls) assert.throws(call, { name: "RangeError", message: /^Expected `sum` to be an integer/ })
    assert.equal(atomic.get(), end)
    assert.equal(atomic.addAndGet(-end), 0)
  }
})

test("[AL3] what is no integer of 53 bits is refused", () => {
  for (const value of [2 ** 53, -(2 ** 53), 0.5, NaN, Infinity, -Infinity]) refuses(LONG, value, "RangeError")
  for (const value of ["1", 1n, null, {}, true]) refuses(LONG, value, "TypeError")
})

test("[AL3] and so is such a result of a function", () => {
  const atomic = new AtomicLong(3)
  for (const update of Object.values(UPDATES)) {
    for (const result of [0.5, NaN, Infinity, 2 ** 53]) assert.throws(() => update(atomic, result), RangeError)
  }
  assert.equal(atomic.get(), 3)
})
