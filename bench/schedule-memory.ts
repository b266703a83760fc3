/** What a timer costs while it waits. */
import { setImmediate } from "node:timers/promises"
import { named, type PlatformContender, type PlatformContest } from "./platform-contest.ts"
import { against, times } from "./platform-contenders.ts"
import { HEAP, memory, RESIDENT } from "./platform-memory.ts"
import { type Kind, nodeSchedule, platform, rivalTimers, virtual } from "./schedule-timers.ts"

/** How many are set and cancelled before the first measurement, so that code compiled on first use does not count. */
const REHEARSAL = 1_000

/** From now, in ms: none runs before the process is over. */
const FAR = 3_600_000

/** Nothing may be collected before it is measured. */
const kept: unknown[] = []

function pending(kind: Kind, share: number): PlatformContender {
  return {
    name: named(kind.name, share),
    share,
    async sample(n) {
      const timers = await kind.open()
      for (const timer of times(REHEARSAL, (i) => timers.set(FAR + i))) timers.clear(timer)
      await setImmediate()
      const before = await memory()
      // The caller keeps what it would cancel them with.
      kept.push(times(n, (i) => timers.set(FAR + ((i * 7919) % FAR))))
      const after = await memory()
      return { [RESIDENT]: (after.rss - before.rss) / n, [HEAP]: (after.heap - before.heap) / n }
    },
  }
}

/** node-schedule needs half a minute for all of them. */
const rivals = rivalTimers.map((kind) => pending(kind, kind === nodeSchedule ? 0.1 : 1))

export const pendingMemory: PlatformContest = {
  name: "schedule-memory",
  bouts: [
    {
      n: 100_000,
      rounds: 3,
      fresh: true,
      metrics: [
        { key: RESIDENT, title: "timers that wait: resident memory of the process", measures: "memory" },
        { key: HEAP, title: "timers that wait: heap of the main thread and what it holds outside", measures: "memory" },
      ],
      pairs: [virtual, platform].flatMap((kind) => against(pending(kind, 1), rivals)),
    },
  ],
}
