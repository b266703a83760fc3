/** Runs a bout of a platform contest: a process per contender, and rounds in which each has its turn, as measure.ts does. */
import { ContenderProcess } from "./contender-process.ts"
import { contendersOf } from "./contest.ts"
import type { Settings } from "./measure.ts"
import type { PlatformBout, PlatformContender, PlatformContest, Sample } from "./platform-contest.ts"

/** No sample takes a tenth of it. */
const PATIENCE = 30_000

export interface PlatformResult {
  readonly bout: PlatformBout
  readonly n: number
  /** A sample for each round, of those who got through all of them. */
  readonly samples: ReadonlyMap<PlatformContender, readonly Sample[]>
  /** Why the others did not, and who it is. */
  readonly failures: ReadonlyMap<PlatformContender, string>
}

export async function measurePlatform(
  contest: PlatformContest,
  bout: PlatformBout,
  { rounds: wanted, divisor }: Settings,
): Promise<PlatformResult> {
  const n = Math.ceil(bout.n / divisor)
  const rounds = Math.min(wanted, bout.rounds ?? wanted)
  const samples = new Map<PlatformContender, Sample[]>(contendersOf(bout).map((contender) => [contender, []]))
  const failures = new Map<PlatformContender, string>()
  const processes = new Map<PlatformContender, ContenderProcess<Sample>>()

  const sample = async (contender: PlatformContender): Promise<Sample | undefined> => {
    let process = processes.get(contender)
    if (process === undefined) {
      const number = contest.bouts.indexOf(bout)
      const role = {
        program: "platform-child",
        contest: contest.name,
        bout: number,
        contender: contender.name,
      } as const
      process = new ContenderProcess<Sample>(role, PATIENCE)
      processes.set(contender, process)
    }
    const part = Math.ceil(n * contender.share)
    try {
      return inProportion(bout, await process.sample(part), n / part)
    } catch (error) {
      failures.set(contender, error instanceof Error ? error.message : String(error))
      samples.delete(contender)
      return undefined
    } finally {
      if (bout.fresh === true || failures.has(contender)) {
        process[Symbol.dispose]()
        processes.delete(contender)
      }
    }
  }

  try {
    // One round more than counts, for what stays: in the first, threads are started, code is loaded and compiled.
    if (bout.fresh !== true) for (const contender of contendersOf(bout)) await sample(contender)
    for (let round = 0; round < rounds; round++) {
      for (const [contender, taken] of [...samples]) {
        const one = await sample(contender)
        if (one !== undefined) taken.push(one)
      }
    }
  } finally {
    for (const process of processes.values()) process[Symbol.dispose]()
  }
  return { bout, n, samples, failures }
}

/** Times as they would be for all of the work. */
function inProportion({ metrics }: PlatformBout, sample: Sample, factor: number): Sample {
  const times = new Set(metrics.filter(({ measures }) => measures === "time").map(({ key }) => key))
  return Object.fromEntries(
    Object.entries(sample).map(([key, value]) => [key, times.has(key) ? value * factor : value]),
  )
}
