import { DUE, SIGNALLED, type Steps, TIMEOUT, WaitList } from "#src/memory/flow/waiting.js"
import { InterruptedError } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { atOnce, driven, once, times } from "./driven.ts"
import { FakeClock } from "../../support/fake-clock.ts"

test("[MW1] steps that need not wait are delivered before the driver returns", () => {
  const error = new Error("in vain")
  const throwing = (): never => {
    throw error
  }
  assert.deepEqual(driven(atOnce(() => "value")).outcome, { value: "value" })
  assert.deepEqual(driven(atOnce(throwing)).outcome, { error })
})

test("[MW1] an error thrown after a wait is delivered too", () => {
  const list = new WaitList()
  const error = new Error("in vain")
  const wait = driven(
    times(1, list, () => {
      throw error
    }),
  )
  list.signal()
  assert.deepEqual(wait.outcome, { error })
})

test("[MW2] signal() wakes the one who has waited longest, and says whether there was one", () => {
  const list = new WaitList()
  assert.equal(list.signal(), false)
  const waits = [1, 2, 3].map(() => driven(once(list)))
  assert.equal(list.length, 3)
  for (let woken = 1; woken <= 3; woken++) {
    assert.equal(list.signal(), true)
    assert.deepEqual(
      waits.map(({ outcome }) => outcome !== undefined),
      [1, 2, 3].map((n) => n <= woken),
    )
  }
  assert.deepEqual(waits[0]?.outcome, { value: SIGNALLED })
  assert.deepEqual([list.signal(), list.length], [false, 0])
})

test("[MW2] the woken steps run inside the call, and go to the end of the list if they wait again", () => {
  const list = new WaitList()
  const order: string[] = []
  driven(times(2, list, () => order.push("a")))
  driven(times(2, list, () => order.push("b")))
  list.signal()
  order.push("signal returned")
  list.signal()
  list.signal()
  list.signal()
  assert.deepEqual(order, ["a", "signal returned", "b", "a", "b"])
})

test("[MW2] who signals from inside woken steps wakes the next one", () => {
  const list = new WaitList()
  const order: number[] = []
  for (const n of [1, 2, 3]) {
    driven(
      times(1, list, () => {
        order.push(n)
        list.signal()
      }),
    )
  }
  list.signal()
  assert.deepEqual(order, [1, 2, 3])
})

test("[MW3] signalAll() wakes everybody who waits, in order", () => {
  const list = new WaitList()
  const order: number[] = []
  for (let n = 0; n < 100; n++) driven(times(1, list, () => order.push(n)))
  list.signalAll()
  assert.deepEqual(
    order,
    Array.from({ length: 100 }, (_, n) => n),
  )
  list.signalAll()
  assert.equal(order.length, 100)
})

test("[MW3] those who come back, or come new, meanwhile are not woken", () => {
  const list = new WaitList()
  const order: string[] = []
  for (const name of ["a", "b"]) {
    driven(
      times(2, list, () => {
        order.push(name)
        driven(times(1, list, () => order.push(`new from ${name}`)))
      }),
    )
  }
  list.signalAll()
  assert.deepEqual(order, ["a", "b"])
  assert.equal(list.length, 4)
  list.signalAll()
  assert.deepEqual(order.slice(2), ["new from a", "a", "new from b", "b"])
})

test("[MW3] one that goes meanwhile leaves nobody to be woken twice in its place", () => {
  const list = new WaitList()
  const order: string[] = []
  const goer: { flow?: { interrupt(): void } } = {}
  driven(
    times(2, list, () => {
      order.push("a")
      goer.flow?.interrupt()
    }),
  )
  const gone = driven(times(1, list, () => order.push("b")))
  goer.flow = gone.flow
  driven(times(1, list, () => order.push("c")))
  list.signalAll()
  assert.deepEqual(order, ["a", "c"])
  assert.ok((gone.outcome as { error: unknown }).error instanceof InterruptedError)
})

test("[MW4] when the whole limit is over the steps go on with TIMEOUT", () => {
  using clock = new FakeClock()
  const list = new WaitList()
  const wait = driven(once(list), { timeout: 10 })
  clock.advance(9.9)
  assert.equal(wait.outcome, undefined)
  clock.advance(1)
  assert.deepEqual(wait.outcome, { value: TIMEOUT })
  assert.deepEqual([list.length, clock.ticking], [0, 0])
})

test("[MW4] with a limit of zero or less the steps try once and stand in no list", () => {
  using clock = new FakeClock()
  const list = new WaitList()
  const lengths: number[] = []
  function* trying(): Steps<unknown> {
    lengths.push(list.length)
    const why = yield list
    lengths.push(list.length)
    return why
  }
  for (const timeout of [0, -1, -Infinity]) {
    assert.deepEqual(driven(trying(), { timeout }).outcome, { value: TIMEOUT })
  }
  assert.deepEqual(
    driven(
      atOnce(() => "at once"),
      { timeout: 0 },
    ).outcome,
    { value: "at once" },
  )
  assert.deepEqual([lengths, clock.delays], [[0, 0, 0, 0, 0, 0], []])
})

test("[MW5] the limit of a step ends the step, not the wait", () => {
  using clock = new FakeClock()
  const list = new WaitList()
  function* twice(): Steps<unknown[]> {
    return [yield { list, atMost: 5 }, yield { list, atMost: 5 }, yield list]
  }
  const wait = driven(twice(), { timeout: 100 })
  clock.advance(5)
  assert.equal(list.length, 1)
  list.signal()
  clock.advance(94)
  assert.equal(wait.outcome, undefined)
  clock.advance(1)
  assert.deepEqual(wait.outcome, { value: [DUE, SIGNALLED, TIMEOUT] })
})

test("[MW5] if the whole limit is over first, or at the same time, it is that one", () => {
  using clock = new FakeClock()
  const list = new WaitList()
  const earlier = driven(once({ list, atMost: 20 }), { timeout: 10 })
  const same = driven(once({ list, atMost: 10 }), { timeout: 10 })
  const none = driven(once({ list, atMost: 10 }))
  const endless = driven(once({ list, atMost: Infinity }))
  clock.advance(30)
  assert.deepEqual(
    [earlier.outcome, same.outcome, none.outcome, endless.outcome],
    [{ value: TIMEOUT }, { value: TIMEOUT }, { value: DUE }, undefined],
  )
})

test("[MW6] the whole limit counts from the start, however often the steps are woken", () => {
  using clock = new FakeClock()
  const list = new WaitList()
  const wait = driven(times(5, list), { timeout: 10 })
  for (let i = 0; i < 3; i++) {
    clock.advance(3)
    list.signal()
  }
  assert.equal(wait.outcome, undefined)
  clock.advance(1)
  // The fourth time it waited until the limit; the fifth time there was nothing left to wait.
  assert.deepEqual(wait.outcome, { value: [SIGNALLED, SIGNALLED, SIGNALLED, TIMEOUT, TIMEOUT] })
})
