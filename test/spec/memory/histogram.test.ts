/** How long things take. */
import fc from "fast-check"
import assert from "node:assert/strict"
import test from "node:test"
import { sharedWords } from "#src/memory/atomics.js"
import { Histogram, HISTOGRAM_WORDS } from "#src/memory/structures/histogram.js"

function histogramOf(times: readonly number[]): Histogram {
  const histogram = new Histogram(sharedWords(HISTOGRAM_WORDS + 3), 3)
  for (const time of times) histogram.record(time)
  return histogram
}

/** As a word of 32 bits keeps it. */
const kept = Math.fround

test("[HG1] quantiles, mean and extremes", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0.001, max: 1_000_000, noNaN: true }), { minLength: 1 }), (times) => {
      const { count, mean, min, p50, p90, p99, max } = histogramOf(times).times
      const sorted = [...times].sort((a, b) => a - b)
      const isNear = (told: number, q: number): boolean => {
        const right = sorted[Math.ceil(sorted.length * q) - 1] as number
        return told >= right * 0.95 && told <= right * 1.05
      }
      const sum = times.reduce((total, time) => total + time, 0)
      return (
        count === times.length &&
        Math.abs(mean - sum / count) <= 0.001 &&
        isNear(p50, 0.5) &&
        isNear(p90, 0.9) &&
        isNear(p99, 0.99) &&
        min === kept(sorted[0] as number) &&
        max === kept(sorted.at(-1) as number) &&
        min <= p50 &&
        p50 <= p90 &&
        p90 <= p99 &&
        p99 <= max
      )
    }),
  )
})

test("[HG2] two views over the same words count together", () => {
  const words = sharedWords(HISTOGRAM_WORDS)
  const [one, other] = [new Histogram(words, 0), new Histogram(words, 0)]
  one.record(1)
  other.record(2)
  assert.deepEqual([one.times.count, one.times.min, one.times.max], [2, 1, 2])
  assert.deepEqual(one.times, other.times)
})

test("[HG3] the edges", () => {
  assert.deepEqual(histogramOf([]).times, { count: 0, mean: 0, min: 0, p50: 0, p90: 0, p99: 0, max: 0 })
  const { count, min, p50, max } = histogramOf([-5, 0, 1e12]).times
  assert.deepEqual([count, min, p50 <= 0.001, max], [3, 0, true, kept(1e12)])
})
