export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

export function spreadOf(samples: readonly number[]): Spread {
  const sorted = samples.toSorted((a, b) => a - b)
  const middle = sorted.length >>> 1
  const upper = at(sorted, middle)
  return {
    median: sorted.length % 2 === 1 ? upper : (at(sorted, middle - 1) + upper) / 2,
    min: at(sorted, 0),
    max: at(sorted, sorted.length - 1),
  }
}

/**
 * How many times as fast (or as small) `ours` is as `rival`. Rounds are compared one by one, so what slowed the
 * machine down for a while slowed both.
 */
export function ratioOf(ours: readonly number[], rival: readonly number[]): Spread {
  return spreadOf(ours.map((value, round) => at(rival, round) / value))
}

function at(samples: readonly number[], index: number): number {
  const sample = samples[index]
  if (sample === undefined) throw new Error(`There is no sample ${index}`)
  return sample
}
