/** Any sequence of operations, beside a plain variable. */
import fc from "fast-check"
import assert from "node:assert/strict"
import test from "node:test"
import { type Atomic, INTEGER, type Kind, LONG } from "./kinds.ts"

/** A step on the atomic number and on the variable: what it tells, and what the variable is then. */
interface Step {
  readonly name: string
  readonly run: (atomic: Atomic) => unknown
  readonly plain: (value: number) => readonly [told: unknown, next: number]
}

function steps(kind: Kind, wrap: (value: number) => number): fc.Arbitrary<Step> {
  const value = fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.integer({ min: kind.min, max: kind.max }),
    fc.constantFrom(kind.min, kind.max, kind.min + 1, kind.max - 1),
  )
  const alone: Step[] = [
    { name: "get", run: (atomic) => atomic.get(), plain: (is) => [is, is] },
    { name: "getAndIncrement", run: (atomic) => atomic.getAndIncrement(), plain: (is) => [is, wrap(is + 1)] },
    { name: "getAndDecrement", run: (atomic) => atomic.getAndDecrement(), plain: (is) => [is, wrap(is - 1)] },
    { name: "incrementAndGet", run: (atomic) => atomic.incrementAndGet(), plain: (is) => [wrap(is + 1), wrap(is + 1)] },
    { name: "decrementAndGet", run: (atomic) => atomic.decrementAndGet(), plain: (is) => [wrap(is - 1), wrap(is - 1)] },
    {
      name: "negate",
      run: (atomic) => atomic.updateAndGet((is) => 0 - is),
      plain: (is) => [wrap(0 - is), wrap(0 - is)],
    },
  ]
  const plus = (is: number, by: number): number => wrap(is + by)
  return fc.oneof(
    fc.constantFrom(...alone),
    value.map((v): Step => ({ name: `set ${v}`, run: (atomic) => atomic.set(v), plain: () => [undefined, v] })),
    value.map((v): Step => ({ name: `getAndSet ${v}`, run: (atomic) => atomic.getAndSet(v), plain: (is) => [is, v] })),
    value.map((v): Step => ({
      name: `getAndAdd ${v}`,
      run: (atomic) => atomic.getAndAdd(v),
      plain: (is) => [is, plus(is, v)],
    })),
    value.map((v): Step => {
      return { name: `addAndGet ${v}`, run: (atomic) => atomic.addAndGet(v), plain: (is) => [plus(is, v), plus(is, v)] }
    }),
    fc.tuple(value, value).map(([expected, v]): Step => {
      return {
        name: `compareAndSet ${expected}, ${v}`,
        run: (atomic) => atomic.compareAndSet(expected, v),
        plain: (is) => [is === expected, is === expected ? v : is],
      }
    }),
    value.map((v): Step => {
      const next = (is: number): number => Math.max(is, v)
      return { name: `max ${v}`, run: (atomic) => atomic.getAndAccumulate(v, next), plain: (is) => [is, next(is)] }
    }),
  )
}

/** Thrown by the plain variable where the atomic number refuses. */
const REFUSED = new RangeError("refused")

function check(kind: Kind, wrap: (value: number) => number): void {
  fc.assert(
    fc.property(fc.array(steps(kind, wrap), { maxLength: 40, size: "max" }), (sequence) => {
      const atomic = kind.create(1)
      let variable = 1
      for (const { name, run, plain } of sequence) {
        let expected: readonly [unknown, number]
        try {
          expected = plain(variable)
        } catch (error) {
          assert.equal(error, REFUSED)
          assert.throws(() => run(atomic), RangeError, name)
          assert.equal(atomic.get(), variable)
          continue
        }
        assert.equal(run(atomic), expected[0], name)
        variable = expected[1]
        assert.equal(atomic.get(), variable, name)
      }
    }),
    { numRuns: 300 },
  )
}

test("[AN12][AI1] an AtomicInteger does what a variable of 32 bits does", () => {
  check(INTEGER, (value) => value | 0)
})

test("[AN12][AL2] an AtomicLong does what a variable does, up to 53 bits", () => {
  check(LONG, (value) => {
    if (!Number.isSafeInteger(value)) throw REFUSED
    return value
  })
})
