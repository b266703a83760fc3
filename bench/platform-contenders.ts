/**
 * How contenders of the platform contests are made: from what corepool does with its pool, and from what all rivals do with
 * theirs. A pool is opened by the first run, which is not counted, and stays.
 */
import { named, type PlatformContender, type PlatformPair, type Sample } from "./platform-contest.ts"
import { type Ours, openCorepool } from "./platform-corepool.ts"
import type { Rival, RivalPool } from "./platform-rivals.ts"

/** As many as the machine that the targets were set on has cores. */
export const THREADS = 2

function lazily<P>(open: () => Promise<P>): () => Promise<P> {
  let opened: Promise<P> | undefined
  return () => (opened ??= open())
}

/** One of ours. */
export function ours(
  name: string,
  sample: (ours: Ours, n: number) => Promise<Sample>,
  threads: number = THREADS,
): PlatformContender {
  const open = lazily(() => openCorepool(threads))
  return { name, share: 1, sample: async (n) => sample(await open(), n) }
}

/** The same work done by each rival. */
export function theirs(
  rivals: readonly Rival[],
  share: number,
  sample: (pool: RivalPool, n: number) => Promise<Sample>,
  threads: number = THREADS,
): PlatformContender[] {
  return rivals.map((rival) => {
    const open = lazily(() => rival.open(threads))
    return { name: named(rival.name, share), share, sample: async (n) => sample(await open(), n) }
  })
}

/** One of ours against each rival. */
export function against(
  our: PlatformContender,
  rivals: readonly PlatformContender[],
  targets: Sample = {},
): PlatformPair[] {
  return rivals.map((rival) => ({ ours: our, rival, targets }))
}

export function times<T>(n: number, make: (i: number) => T): T[] {
  const made: T[] = []
  for (let i = 0; i < n; i++) made.push(make(i))
  return made
}
