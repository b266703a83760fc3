/** What a run has measured, as the last line of its output has it and as the report shows it. */

export interface RatioResult {
  readonly ours: string
  readonly rival: string
  readonly target: number | undefined
  readonly median: number
  readonly min: number
  readonly max: number
}

export interface BoutRecord {
  readonly title: string
  readonly n: number
  /** By contender, a number for each round. */
  readonly samples: Readonly<Record<string, readonly number[]>>
  readonly ratios: readonly RatioResult[]
}

export interface ContestRecord {
  readonly name: string
  readonly unit: "ms" | "bytes per element"
  readonly bouts: readonly BoutRecord[]
}

/** How many, which have no ratio. */
export interface CountRecord {
  readonly name: string
  readonly title: string
  readonly n: number
  readonly samples: Readonly<Record<string, readonly number[]>>
}

export interface RunRecord {
  readonly node: string
  readonly platform: string
  readonly cores: number
  /** Of the processor. */
  readonly model: string
  /** The samples of each contender. */
  readonly rounds: number
  readonly rivals: Readonly<Record<string, string>>
  readonly quick: boolean
  readonly contests: readonly ContestRecord[]
  readonly counts: readonly CountRecord[]
}
