import { currentFlow, Flow, mainFlow } from "#src/memory/flow/flow.js"
import { WaitList } from "#src/memory/flow/waiting.js"
import { InterruptedError } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { setImmediate as turn } from "node:timers/promises"
import { driven, once } from "./driven.ts"

test("[MW16] outside of all flows the current one is the main flow, with the id 1", () => {
  assert.equal(currentFlow(), mainFlow)
  assert.equal(mainFlow.id, 1)
})

test("[MW16] ids are given in order", () => {
  const ids = [new Flow(), new Flow(), new Flow()].map(({ id }) => id)
  assert.deepEqual(
    ids.map((id) => id - (ids[0] ?? 0)),
    [0, 1, 2],
  )
})

test("[MW16] inside a body, and in what it awaits, the flow is the current one", async () => {
  const [outer, inner] = [new Flow(), new Flow()]
  const seen = await outer.run(async () => {
    const before = currentFlow()
    await turn()
    const nested = inner.run(() => currentFlow())
    return [before, nested, currentFlow()]
  })
  assert.deepEqual(seen, [outer, inner, outer])
  assert.equal(currentFlow(), mainFlow)
})

test("[MW16] an error of the body leaves the flow and is passed on", () => {
  const error = new Error("in vain")
  assert.throws(
    () =>
      new Flow().run(() => {
        throw error
      }),
    error,
  )
  assert.equal(currentFlow(), mainFlow)
})

test("[MW17] renew() clears the flag and lets go of the signal", () => {
  const flow = new Flow()
  const first = flow.signal
  flow.renew()
  const second = flow.signal
  assert.notEqual(second, first)
  flow.interrupt()
  assert.deepEqual([first.aborted, second.aborted, flow.isInterrupted], [false, true, true])
  flow.renew()
  assert.deepEqual([flow.isInterrupted, flow.signal.aborted, flow.consumeInterrupt()], [false, false, false])
})

test("[MW17] renew() leaves the flow's waits alone", () => {
  const list = new WaitList()
  const wait = driven(once(list))
  wait.flow.renew()
  assert.deepEqual([list.length, wait.outcome], [1, undefined])
  wait.flow.interrupt()
  assert.ok((wait.outcome as { error?: unknown } | undefined)?.error instanceof InterruptedError)
})
