/** The delays between attempts. */
import { delayAfter, requireRetry } from "#src/executor/retry/retry-options.js"
import fc from "fast-check"
import assert from "node:assert/strict"
import test from "node:test"

const settings = fc.record({
  attempts: fc.integer({ min: 1, max: 2000 }),
  delay: fc.oneof(fc.constant(0), fc.double({ min: 0.001, max: 1e6, noNaN: true })),
  factor: fc.double({ min: 1, max: 1e6, noNaN: true }),
  maxDelay: fc.double({ min: 0, noNaN: true }),
  jitter: fc.boolean(),
})

test("[RY2] delays are times that never shrink, between half and all of the computed one with jitter, up to the longest", () => {
  fc.assert(
    fc.property(settings, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (options, random) => {
      const retry = requireRetry(options)
      const plain = { ...retry, jitter: false }
      let before = 0
      for (let failures = 1; failures < Math.min(retry.attempts, 400); failures++) {
        const whole = delayAfter(failures, plain, () => random)
        const delay = delayAfter(failures, retry, () => random)
        assert.ok(Number.isFinite(whole) && whole >= before && whole <= options.maxDelay)
        if (whole < retry.maxDelay && failures > 1 && whole > 0)
          assert.ok(Math.abs(whole / (before * options.factor) - 1) < 1e-9)
        assert.ok(options.jitter ? delay >= whole / 2 && delay <= whole : delay === whole)
        before = whole
      }
    }),
  )
})
