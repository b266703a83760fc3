import { currentFlow, Flow } from "#src/memory/flow/flow.js"
import { awaiting, type Steps, TIMEOUT, WaitList, type WaitOptions } from "#src/memory/flow/waiting.js"
import { InterruptedError } from "corepool"
import assert from "node:assert/strict"
import { getEventListeners } from "node:events"
import { test } from "node:test"
import { rejectionOf } from "../../support/harness.ts"
import { atOnce, driven, once, times } from "./driven.ts"
import { FakeClock } from "../../support/fake-clock.ts"

function errorOf(wait: { outcome?: object }): unknown {
  return (wait.outcome as { error: unknown } | undefined)?.error
}

test("[MW7] an interrupt throws into the steps and clears the flag", () => {
  const list = new WaitList()
  const wait = driven(once(list))
  wait.flow.interrupt()
  assert.ok(errorOf(wait) instanceof InterruptedError)
  assert.equal(wait.flow.isInterrupted, false)
})

test("[MW7] steps of a flow with a raised flag do not wait, and the flag is cleared", () => {
  const list = new WaitList()
  for (const timeout of [Infinity, 0, -1]) {
    const flow = new Flow()
    flow.interrupt()
    const wait = driven(once(list), { flow, timeout })
    assert.ok(errorOf(wait) instanceof InterruptedError)
    assert.deepEqual([flow.isInterrupted, list.length], [false, 0])
  }
})

test("[MW7] steps that need not wait do not look at the flag", () => {
  const flow = new Flow()
  flow.interrupt()
  assert.deepEqual(
    driven(
      atOnce(() => "at once"),
      { flow },
    ).outcome,
    { value: "at once" },
  )
  assert.equal(flow.isInterrupted, true)
})

test("[MW7] a flow that interrupts itself inside its steps does not wait", () => {
  const list = new WaitList()
  const flow = new Flow()
  const wait = driven(
    times(2, list, () => flow.interrupt()),
    { flow },
  )
  list.signal()
  assert.ok(errorOf(wait) instanceof InterruptedError)
})

test("[MW8] an abort throws the reason into the steps", () => {
  const list = new WaitList()
  const controller = new AbortController()
  const wait = driven(once(list), { signal: controller.signal })
  const reason = { any: "reason" }
  controller.abort(reason)
  assert.equal(errorOf(wait), reason)
})

test("[MW8] with a signal that has aborted the steps do not begin", async () => {
  let began = false
  const begin = (): boolean => (began = true)
  const reason = new Error("aborted before")
  assert.equal(await rejectionOf(awaiting(atOnce(begin), { signal: AbortSignal.abort(reason) })), reason)
  assert.equal(began, false)
})

test("[MW8] steps that abort the signal themselves do not wait", () => {
  const list = new WaitList()
  const reason = new Error("aborted inside")
  const controller = new AbortController()
  const wait = driven(
    times(2, list, () => controller.abort(reason)),
    { signal: controller.signal },
  )
  list.signal()
  assert.equal(errorOf(wait), reason)
  assert.equal(list.length, 0)
})

test("[MW9] steps may clean up after what is thrown into them", () => {
  const list = new WaitList()
  const order: string[] = []
  function* tidy(): Steps<unknown> {
    try {
      return yield list
    } finally {
      order.push("cleaned up")
    }
  }
  const wait = driven(tidy())
  wait.flow.interrupt()
  assert.deepEqual(order, ["cleaned up"])
  assert.ok(errorOf(wait) instanceof InterruptedError)
})

test("[MW9] steps may catch what is thrown into them and wait on", () => {
  const list = new WaitList()
  function* stubborn(): Steps<unknown> {
    for (let interrupts = 0; ; interrupts++) {
      try {
        return [interrupts, yield list]
      } catch (error) {
        assert.ok(error instanceof InterruptedError)
      }
    }
  }
  const wait = driven(stubborn())
  wait.flow.interrupt()
  wait.flow.interrupt()
  assert.equal(list.length, 1)
  list.signal()
  assert.deepEqual(wait.outcome, { value: [2, "signalled"] })
})

/** Every road by which a wait ends. */
const roads: Readonly<
  Record<string, (on: { list: WaitList; flow: Flow; clock: FakeClock; abort: () => void }) => void>
> = {
  "a signal": ({ list }) => void list.signal(),
  "its limit": ({ clock }) => clock.advance(100),
  "an interrupt": ({ flow }) => flow.interrupt(),
  "an abort": ({ abort }) => abort(),
}

for (const [road, end] of Object.entries(roads)) {
  test(`[MW10] a wait ended by ${road} leaves nothing behind`, () => {
    using clock = new FakeClock()
    const [list, flow, controller] = [new WaitList(), new Flow(), new AbortController()]
    const { signal } = controller
    const wait = driven(once(list), { flow, timeout: 100, signal })
    const next = driven(once(list))
    const ended = { ...wait.outcome }
    assert.deepEqual([ended, list.length, clock.ticking], [{}, 2, 1])

    end({ list, flow, clock, abort: () => controller.abort() })
    assert.ok(wait.outcome)
    assert.deepEqual([list.length, clock.ticking, next.outcome], [1, 0, undefined])
    // However often the other roads are taken now: the first outcome stands, and nobody else is touched.
    const first = wait.outcome
    clock.advance(1000)
    controller.abort()
    flow.interrupt()
    assert.equal(wait.outcome, first)
    assert.equal(flow.isInterrupted, true)
    list.signal()
    assert.deepEqual(next.outcome, { value: "signalled" })
    assert.ok(getEventListeners(signal, "abort").length <= 1)
  })
}

test("[MW10] leaving from the middle keeps the order of the others", () => {
  const list = new WaitList()
  const order: number[] = []
  const waits = Array.from({ length: 9 }, (_, n) => driven(times(1, list, () => order.push(n))))
  for (const n of [0, 4, 8]) waits[n]?.flow.interrupt()
  assert.equal(list.length, 6)
  list.signalAll()
  assert.deepEqual(order, [1, 2, 3, 5, 6, 7])
})

test("[MW10] of a flow's many waits each can end by itself", () => {
  const flow = new Flow()
  const lists = Array.from({ length: 5 }, () => new WaitList())
  const waits = lists.map((list) => driven(once(list), { flow }))
  for (const n of [2, 0, 4]) lists[n]?.signal()
  assert.deepEqual(
    waits.map(({ outcome }) => outcome !== undefined),
    [true, false, true, false, true],
  )
  flow.interrupt()
  assert.ok(errorOf(waits[1] ?? {}) instanceof InterruptedError)
  assert.ok(errorOf(waits[3] ?? {}) instanceof InterruptedError)
  assert.equal(flow.isInterrupted, false)
})

test("[MW11] wait options are a number, nothing, or an object", async () => {
  using clock = new FakeClock()
  const list = new WaitList()
  const { signal } = new AbortController()
  const good: WaitOptions[] = [5, {}, { timeout: 5 }, { signal }, { timeout: 5, signal }, { timeout: Infinity }]
  const waits = [undefined, ...good].map((options) => awaiting(once(list), options))
  assert.equal(list.length, 7)
  clock.advance(5)
  assert.equal(list.length, 4)
  list.signalAll()
  const wakes = await Promise.all(waits)
  assert.equal(wakes.filter((wake) => wake === TIMEOUT).length, 3)
})

test("[MW11] anything else is refused before the steps begin", async () => {
  for (const wrong of [null, "5", true, () => 5, { timeout: "5" }, { timeout: NaN }, { signal: {} }, NaN]) {
    const error = await rejectionOf(
      awaiting(
        atOnce(() => assert.fail("began")),
        wrong as unknown as WaitOptions,
      ),
    )
    assert.ok(error instanceof TypeError || error instanceof RangeError)
    assert.match(error.message, /^Expected `(timeout|signal)` to be .*, got /)
  }
})

test("[MW12] the patience of an idle flow does not keep the process alive; what it knows to be due does", () => {
  using clock = new FakeClock()
  const list = new WaitList()
  const idle = new Flow()
  idle.idle = true
  driven(once(list), { flow: idle, timeout: 10 })
  assert.deepEqual([clock.ticking, clock.foreground], [1, 0])
  driven(once({ list, atMost: 5 }), { flow: idle, timeout: 10 })
  assert.deepEqual([clock.ticking, clock.foreground], [2, 1])
  driven(once(list), { timeout: 10 })
  assert.deepEqual([clock.ticking, clock.foreground], [3, 2])
  clock.advance(10)
})

test("[MW7] awaiting() waits as the current flow", async () => {
  const list = new WaitList()
  const flow = new Flow()
  const waiting = flow.run(() => awaiting(once(list)))
  currentFlow().interrupt()
  assert.equal(list.length, 1)
  assert.equal(currentFlow().consumeInterrupt(), true)
  flow.interrupt()
  assert.ok((await rejectionOf(waiting)) instanceof InterruptedError)
})
