/**
 * What is measured: a contest has bouts, a bout is one piece of work done by several contenders.
 *
 * A contender runs in a process of its own (sampling.ts). The modules of all contests are loaded there, so what a
 * contender needs it must load itself, in `run`; the first run is not counted.
 */

/** One way to do the work of a bout. */
export interface Contender {
  readonly name: string
  /** Does the work for `n` elements and fails if what comes out is wrong. */
  run(n: number): Promise<void>
}

/** A ratio to be told: how many times as fast, or as small, ours is. */
export interface Pair {
  readonly ours: Contender
  readonly rival: Contender
  /** What the ratio should be, if we have promised something. */
  readonly target?: number
}

export interface Bout {
  readonly title: string
  readonly n: number
  readonly pairs: readonly Pair[]
}

export interface Contest {
  readonly name: string
  /** The time of a run, or the memory that is held when it is over. */
  readonly measures: "time" | "memory"
  readonly bouts: readonly Bout[]
}

/** Everybody in the bout, ours first. */
export function contendersOf<C>({
  pairs,
}: {
  readonly pairs: readonly { readonly ours: C; readonly rival: C }[]
}): C[] {
  return [...new Set([...pairs.map((pair) => pair.ours), ...pairs.map((pair) => pair.rival)])]
}

/** Each of ours against each rival. */
export function pairsOf(
  ours: readonly Contender[],
  rivals: readonly { readonly rival: Contender; readonly target?: number }[],
): Pair[] {
  return ours.flatMap((our) => rivals.map((rival) => ({ ours: our, ...rival })))
}

export function requireEqual(what: string, actual: number, expected: number): void {
  if (actual !== expected) throw new Error(`Expected ${what} to be ${expected}, got ${actual}`)
}

/** The sum of 0 … n − 1: what the results of n tasks or elements add up to if none is lost or done twice. */
export function sumBelow(n: number): number {
  return (n * (n - 1)) / 2
}

export function sum(values: Iterable<number>): number {
  let total = 0
  for (const value of values) total += value
  return total
}
