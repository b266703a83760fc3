/** What both kinds of atomic numbers do, in one thread. */
import assert from "node:assert/strict"
import test from "node:test"
import { thrownBy } from "../../support/harness.ts"
import { type Atomic, type Kind, KINDS, UPDATES } from "./kinds.ts"

function forBoth(check: (kind: Kind) => void): () => void {
  return () => {
    for (const kind of KINDS) check(kind)
  }
}

test(
  "[AN1] a new one holds what it was given, 0 unless told",
  forBoth(({ create, min, max }) => {
    assert.equal(create().get(), 0)
    for (const value of [0, 1, -1, min, max]) assert.equal(create(value).get(), value)
  }),
)

test(
  "[AN1] set changes it",
  forBoth(({ create, min, max }) => {
    const atomic = create(1)
    for (const value of [2, -3, max, min, 0]) {
      atomic.set(value)
      assert.equal(atomic.get(), value)
    }
  }),
)

test(
  "[AN2] getAndSet sets it and tells what it was before",
  forBoth(({ create }) => {
    const atomic = create(1)
    assert.equal(atomic.getAndSet(0), 1)
    assert.equal(atomic.getAndSet(-10), 0)
    assert.equal(atomic.getAndSet(1), -10)
    assert.equal(atomic.get(), 1)
  }),
)

test(
  "[AN13] compareAndExchange tells what it held, and sets it if that was expected",
  forBoth(({ create }) => {
    const atomic = create(1)
    assert.equal(atomic.compareAndExchange(1, 2), 1)
    assert.equal(atomic.compareAndExchange(1, 3), 2)
    assert.equal(atomic.compareAndExchange(2, 0), 2)
    assert.equal(atomic.compareAndExchange(-0, -4), 0)
    assert.equal(atomic.get(), -4)
    assert.throws(() => atomic.compareAndExchange(0.5, 1), RangeError)
    assert.throws(() => atomic.compareAndExchange(-4, "1" as never), TypeError)
    assert.equal(atomic.get(), -4)
  }),
)

test(
  "[AN3] compareAndSet sets it only if it holds what is expected",
  forBoth(({ create }) => {
    const atomic = create(1)
    assert.equal(atomic.compareAndSet(1, 2), true)
    assert.equal(atomic.compareAndSet(2, -4), true)
    assert.equal(atomic.compareAndSet(-5, 7), false)
    assert.equal(atomic.get(), -4)
    assert.equal(atomic.compareAndSet(-4, 7), true)
    assert.equal(atomic.get(), 7)
  }),
)

test(
  "[AN4] adding tells what it was before, or what it is then",
  forBoth(({ create }) => {
    const atomic = create(1)
    assert.equal(atomic.getAndAdd(2), 1)
    assert.equal(atomic.get(), 3)
    assert.equal(atomic.getAndAdd(-4), 3)
    assert.equal(atomic.get(), -1)
    assert.equal(atomic.addAndGet(3), 2)
    assert.equal(atomic.addAndGet(-4), -2)
    assert.equal(atomic.addAndGet(0), -2)
    assert.equal(atomic.getAndAdd(0), -2)
    assert.equal(atomic.get(), -2)
  }),
)

test(
  "[AN4] incrementing and decrementing tell what it was before, or what it is then",
  forBoth(({ create }) => {
    const atomic = create(-2)
    assert.deepEqual([atomic.getAndIncrement(), atomic.getAndIncrement(), atomic.getAndIncrement()], [-2, -1, 0])
    assert.deepEqual([atomic.incrementAndGet(), atomic.incrementAndGet()], [2, 3])
    assert.deepEqual([atomic.getAndDecrement(), atomic.getAndDecrement()], [3, 2])
    assert.deepEqual([atomic.decrementAndGet(), atomic.decrementAndGet()], [0, -1])
    assert.equal(atomic.get(), -1)
  }),
)

test(
  "[AN5] an update sets it to what the function makes of it",
  forBoth(({ create }) => {
    const atomic = create(1)
    assert.equal(
      atomic.getAndUpdate((value) => value + 17),
      1,
    )
    assert.equal(
      atomic.getAndUpdate((value) => value * 2),
      18,
    )
    assert.equal(atomic.get(), 36)
    assert.equal(
      atomic.updateAndGet((value) => -value),
      -36,
    )
    assert.equal(atomic.get(), -36)
  }),
)

test(
  "[AN5] an accumulation sets it to what the function makes of it and of the operand, in this order",
  forBoth(({ create }) => {
    const atomic = create(10)
    assert.equal(
      atomic.getAndAccumulate(3, (value, operand) => value - operand),
      10,
    )
    assert.equal(
      atomic.accumulateAndGet(4, (value, operand) => value - operand),
      3,
    )
    assert.equal(atomic.accumulateAndGet(8, Math.max), 8)
    assert.equal(atomic.get(), 8)
  }),
)

test(
  "[AN6] the function is called again if the number was changed meanwhile",
  forBoth(({ create }) => {
    const atomic = create(0)
    const seen: number[] = []
    const doubling = (value: number): number => {
      seen.push(value)
      if (seen.length < 3) atomic.set(10 * seen.length)
      return value + 1
    }
    assert.equal(atomic.getAndUpdate(doubling), 20)
    assert.equal(atomic.get(), 21)
    assert.deepEqual(seen, [0, 10, 20])
    seen.length = 0
    assert.equal(atomic.updateAndGet(doubling), 21)
    assert.deepEqual(seen, [21, 10, 20])
  }),
)

test(
  "[AN7] a function that throws changes nothing, and its error passes through",
  forBoth(({ create }) => {
    const atomic = create(5)
    const error = new Error("mine")
    const failing = (): never => {
      throw error
    }
    const calls: ((atomic: Atomic) => unknown)[] = [
      (each) => each.getAndUpdate(failing),
      (each) => each.updateAndGet(failing),
      (each) => each.getAndAccumulate(1, failing),
      (each) => each.accumulateAndGet(1, failing),
    ]
    for (const call of calls)
      assert.equal(
        thrownBy(() => call(atomic)),
        error,
      )
    assert.equal(atomic.get(), 5)
  }),
)

test(
  "[AN7] what is no function is refused",
  forBoth(({ create }) => {
    const atomic = create(5)
    for (const nothing of [undefined, null, 1, {}] as unknown[] as (() => number)[]) {
      assert.throws(() => atomic.getAndUpdate(nothing), { name: "TypeError", message: /`update` to be a function/ })
      assert.throws(() => atomic.updateAndGet(nothing), TypeError)
      assert.throws(() => atomic.getAndAccumulate(1, nothing), { name: "TypeError", message: /`accumulate`/ })
      assert.throws(() => atomic.accumulateAndGet(1, nothing), TypeError)
    }
    assert.equal(atomic.get(), 5)
  }),
)

test(
  "[AN7] a function that returns no number changes nothing",
  forBoth(({ create }) => {
    const atomic = create(5)
    for (const update of Object.values(UPDATES)) {
      for (const result of [undefined, "1", Promise.resolve(1), 1n] as unknown[] as number[]) {
        assert.throws(() => update(atomic, result), { name: "TypeError", message: /result of the function/ })
      }
    }
    assert.equal(atomic.get(), 5)
  }),
)

test(
  "[AN8] it reads and counts like the number",
  forBoth(({ create }) => {
    for (const value of [0, 7, -12]) {
      const atomic = create(value)
      assert.equal(String(atomic), String(value))
      assert.equal(`${atomic}`, `${value}`)
      assert.equal(Number(atomic), value)
      assert.equal((atomic as unknown as number) + 1, value + 1)
      assert.equal((atomic as unknown as number) < 1, value < 1)
    }
  }),
)
