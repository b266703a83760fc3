/** Runs a bout of a platform contest: a process per contender, and rounds in which each has its turn, as measure.ts does. */
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Settings } from "./measure.ts"
import type { PlatformAnswer, PlatformRequest } from "./platform-child.ts"
import {
  contendersIn,
  type PlatformBout,
  type PlatformContender,
  type PlatformContest,
  type Sample,
} from "./platform-contest.ts"

const CHILD = fileURLToPath(new URL("./platform-child.js", import.meta.url))

/** No sample takes a tenth of it: whoever needs longer hangs. */
const PATIENCE = 30_000

class PlatformProcess {
  readonly #child: ChildProcess

  constructor(contest: string, bout: number, contender: string) {
    this.#child = fork(CHILD, [contest, String(bout), contender], { execArgv: ["--expose-gc"] })
  }

  /** One at a time. */
  sample(n: number): Promise<Sample> {
    return new Promise((resolve, reject) => {
      const settle = (end: () => void): void => {
        clearTimeout(timer)
        this.#child.removeAllListeners()
        end()
      }
      const timer = setTimeout(() => settle(() => reject(new Error(`no answer in ${PATIENCE / 1000} s`))), PATIENCE)
      this.#child.once("message", (answer: PlatformAnswer) =>
        settle(() => ("sample" in answer ? resolve(answer.sample) : reject(new Error(answer.error)))),
      )
      this.#child.once("exit", (code, signal) =>
        settle(() => reject(new Error(`its process ended (${signal ?? code})`))),
      )
      const request: PlatformRequest = { n }
      this.#child.send(request)
    })
  }

  [Symbol.dispose](): void {
    this.#child.kill("SIGKILL")
  }
}

export interface PlatformResult {
  readonly bout: PlatformBout
  readonly n: number
  /** A sample for each round, of those who got through all of them. */
  readonly samples: ReadonlyMap<PlatformContender, readonly Sample[]>
  /** Why the others did not. */
  readonly failures: ReadonlyMap<PlatformContender, string>
}

export async function measurePlatform(
  contest: PlatformContest,
  bout: PlatformBout,
  { rounds: wanted, divisor }: Settings,
): Promise<PlatformResult> {
  const n = Math.ceil(bout.n / divisor)
  const rounds = Math.min(wanted, bout.rounds ?? wanted)
  const samples = new Map<PlatformContender, Sample[]>(contendersIn(bout).map((contender) => [contender, []]))
  const failures = new Map<PlatformContender, string>()
  const processes = new Map<PlatformContender, PlatformProcess>()

  const sample = async (contender: PlatformContender): Promise<Sample | undefined> => {
    let process = processes.get(contender)
    if (process === undefined) {
      process = new PlatformProcess(contest.name, contest.bouts.indexOf(bout), contender.name)
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
    if (bout.fresh !== true) for (const contender of contendersIn(bout)) await sample(contender)
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
