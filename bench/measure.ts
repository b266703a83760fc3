/**
 * Runs a bout: a process per contender, and rounds in which each has its turn. Only one works at a time; the others
 * wait for a message. A disturbance that lasts longer than a turn thus falls on all of them.
 */
import { type Bout, type Contest, contendersOf } from "./contest.ts"
import { ContenderProcess } from "./contender-process.ts"

export interface Settings {
  /** How many samples each contender gives. */
  readonly rounds: number
  /** What the size of each bout is divided by. */
  readonly divisor: number
}

export const FULL: Settings = { rounds: 7, divisor: 1 }
/** To see whether everything works. Its numbers mean little. */
export const QUICK: Settings = { rounds: 3, divisor: 10 }

/** Long: some of the work of some rivals takes minutes. */
const PATIENCE = 600_000

export interface BoutResult {
  readonly bout: Bout
  readonly n: number
  /** By contender: milliseconds of a run, or bytes per element, a sample for each round. */
  readonly samples: ReadonlyMap<string, readonly number[]>
}

export async function measure(contest: Contest, bout: Bout, { rounds, divisor }: Settings): Promise<BoutResult> {
  const n = Math.ceil(bout.n / divisor)
  const samples = new Map<string, number[]>(contendersOf(bout).map(({ name }) => [name, []]))
  const role = { program: "child", contest: contest.name, bout: contest.bouts.indexOf(bout) } as const
  const start = (contender: string): ContenderProcess<number> =>
    new ContenderProcess<number>({ ...role, contender }, PATIENCE)
  if (contest.measures === "time") await timeAll(samples, start, n, rounds)
  else await weighAll(samples, start, n, rounds)
  return { bout, n, samples }
}

type Start = (name: string) => ContenderProcess<number>

/** The same processes in all rounds, and one round more than counts: in the first, code is loaded and compiled. */
async function timeAll(samples: ReadonlyMap<string, number[]>, start: Start, n: number, rounds: number): Promise<void> {
  const processes = new Map([...samples.keys()].map((name) => [name, start(name)]))
  try {
    for (const process of processes.values()) await process.sample(n)
    for (let round = 0; round < rounds; round++) {
      for (const [name, process] of processes) samples.get(name)?.push(await process.sample(n))
    }
  } finally {
    for (const process of processes.values()) process[Symbol.dispose]()
  }
}

/** A process for each sample: what waits there waits for ever. */
async function weighAll(
  samples: ReadonlyMap<string, number[]>,
  start: Start,
  n: number,
  rounds: number,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const [name, values] of samples) {
      using process = start(name)
      values.push(await process.sample(n))
    }
  }
}
