/** Timers that are cancelled before their time, as time limits mostly are. */
import { requireEqual } from "./contest.ts"
import {
  clocked,
  inTime,
  MAIN,
  named,
  onMain,
  type PlatformContender,
  type PlatformContest,
  WALL,
} from "./platform-contest.ts"
import { against, times } from "./platform-contenders.ts"
import { type Kind, nodeSchedule, platform, type Timers, timeouts, toad, virtual } from "./schedule-timers.ts"

/** So many wait meanwhile, in the second bout. */
const BACKLOG = 1_000

/** The limit that a request has, say. */
const LIMIT = 30_000

/** Times a piece of work on timers that stay open, each for itself. */
function timing(
  kind: Kind,
  share: number,
  backlog: number,
  work: (timers: Timers, n: number) => void,
): PlatformContender {
  let opened: Promise<Timers> | undefined
  return {
    name: named(kind.name, share),
    share,
    async sample(n) {
      const timers = await (opened ??= kind.open())
      const waiting = times(backlog, () => timers.set(LIMIT))
      const { sample } = await clocked(async () => work(timers, n))
      for (const timer of waiting) timers.clear(timer)
      return sample
    },
  }
}

function oneByOne(timers: Timers, n: number): void {
  for (let i = 0; i < n; i++) timers.clear(timers.set(LIMIT))
}

/** At different times; they are cancelled in the order of their creation. */
function allAtOnce(timers: Timers, n: number): void {
  const set = times(n, (i) => timers.set(LIMIT + ((i * 7919) % LIMIT)))
  requireEqual("the number of timers", new Set(set).size, n)
  for (const timer of set) timers.clear(timer)
}

function bout(
  n: number,
  title: string,
  backlog: number,
  work: (timers: Timers, n: number) => void,
): PlatformContest["bouts"][number] {
  const contender = (kind: Kind, share: number): PlatformContender => timing(kind, share, backlog, work)
  const plain = contender(timeouts, 1)
  const rivals = [contender(nodeSchedule, 0.05), contender(toad, 0.05)]
  return {
    n,
    metrics: [inTime(title), onMain(title)],
    pairs: [contender(virtual, 1), contender(platform, 1)].flatMap((our) =>
      against(our, [plain], { [WALL]: 1, [MAIN]: 1 }).concat(against(our, rivals)),
    ),
  }
}

export const cancelled: PlatformContest = {
  name: "schedule-cancel",
  bouts: [
    bout(1_000_000, "timers set and cancelled, one by one", 0, oneByOne),
    bout(
      1_000_000,
      `timers set and cancelled, one by one, while ${BACKLOG.toLocaleString("en")} wait`,
      BACKLOG,
      oneByOne,
    ),
    bout(100_000, "timers set, and then all cancelled", 0, allAtOnce),
  ],
}
