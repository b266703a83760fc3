/** How a thread that may not block enters a critical section: docs/spec/browser.md. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { UnsupportedOperationError } from "corepool"
import { polling } from "#src/memory/flow/polling.js"
import { SIGNALLED, type Steps, TIMEOUT } from "#src/memory/flow/waiting.js"
import type { BlockedWake, ParkPlace } from "#src/memory/flow/wait-list.js"

/** A place that signals at the given look. */
function place(signalledAt: number, limits: number[]): ParkPlace {
  let looks = 0
  const block = (_flow: unknown, ms: number): BlockedWake => {
    limits.push(ms)
    return ++looks === signalledAt ? SIGNALLED : TIMEOUT
  }
  return { interruptible: false, limited: false, append: () => false, unlink: () => undefined, block }
}

test("[BR17] it looks again and again, and never blocks", () => {
  const limits: number[] = []
  function* steps(): Steps<string> {
    yield place(3, limits)
    yield { list: place(1, limits), atMost: 1000 }
    return "inside"
  }
  assert.equal(polling(steps()), "inside")
  assert.deepEqual(limits, [0, 0, 0, 0])
})

test("[BR17] after its patience the steps restore what they have changed, and there is an error", () => {
  let isRestored = false
  function* steps(): Steps<void> {
    try {
      for (;;) yield place(0, [])
    } finally {
      isRestored = true
    }
  }
  assert.throws(() => polling(steps(), 0), UnsupportedOperationError)
  assert.ok(isRestored)
})
