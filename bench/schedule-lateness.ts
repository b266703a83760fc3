/** How late delayed tasks start, while the main thread has nothing else to do and while it is busy half of the time. */
import { setImmediate, setTimeout as sleep } from "node:timers/promises"
import type { Metric, PlatformContender, PlatformContest, PlatformPair, Sample } from "./platform-contest.ts"
import { against } from "./platform-contenders.ts"
import { type Kind, platform, rivalTimers, timeouts, type Timers, virtual } from "./schedule-timers.ts"
import { clock } from "./tasks/work.ts"

/** Delays are between these, in ms. */
const SHORTEST = 200
const LONGEST = 2_000

/** So many ms the main thread works, and as many it has free. */
const SPELL = 10

/** So many timers are set in one turn of the event loop: setTimeout counts from the beginning of the turn. */
const BATCH = 20

/** In ms: less is told as this, lest ratios become infinite. */
const LEAST = 0.001

const P50 = "p50"
const P99 = "p99"

type Main = "idle" | "busy"

function waiting(kind: Kind, main: Main, mayBeEarly: boolean): PlatformContender {
  let opened: Promise<Timers> | undefined
  return {
    name: `${kind.name}, main thread ${main}`,
    share: 1,
    async sample(n) {
      const timers = await (opened ??= kind.open())
      const measured = measure(timers, n)
      const end = main === "busy" ? workBySpells() : undefined
      const sorted = (await measured).sort((a, b) => a - b)
      end?.()
      const earliest = sorted[0] as number
      if (earliest < 0 && !mayBeEarly) throw new Error(`A task ran ${-earliest} ms before its time`)
      return { [P50]: percentile(sorted, 0.5), [P99]: percentile(sorted, 0.99) }
    },
  }
}

/** By setting all timers, and waiting until the last one has told. */
async function measure(timers: Timers, n: number): Promise<number[]> {
  const values: number[] = []
  for (let i = 0; i < n; i++) {
    if (i % BATCH === 0) await setImmediate()
    timers.tell(SHORTEST + Math.floor(Math.random() * (LONGEST - SHORTEST)), (lateness) => values.push(lateness))
  }
  while (values.length < n) await sleep(SHORTEST)
  return values
}

/** Occupies half of the main thread until the returned function is called. */
function workBySpells(): () => void {
  let timer: NodeJS.Timeout
  const work = (): void => {
    const end = clock() + SPELL
    while (clock() < end);
    timer = setTimeout(work, SPELL)
  }
  timer = setTimeout(work, SPELL)
  return () => clearTimeout(timer)
}

/** An early run is not late: libuv's timers, which count whole milliseconds, are early by a fraction of one at times. */
function percentile(sorted: readonly number[], part: number): number {
  return Math.max(sorted[Math.ceil(sorted.length * part) - 1] as number, LEAST)
}

const metrics: readonly Metric[] = [
  { key: P50, title: "tasks with delays of up to 2 s: how late they start, median", measures: "time" },
  { key: P99, title: "tasks with delays of up to 2 s: how late they start, 99th percentile", measures: "time" },
]

/** The targets are those of platform threads against setTimeout: virtual ones have no other timers than that. */
function pairs(main: Main, targets: Sample): PlatformPair[] {
  const rivals = rivalTimers.map((kind) => ({ kind, contender: waiting(kind, main, true) }))
  return [platform, virtual].flatMap((ours) => {
    const our = waiting(ours, main, false)
    return rivals.map(({ kind, contender }) => ({
      ours: our,
      rival: contender,
      targets: ours === platform && kind === timeouts ? targets : {},
    }))
  })
}

const quietly = waiting(platform, "idle", false)
const meanwhile = waiting(platform, "busy", false)

export const lateness: PlatformContest = {
  name: "schedule-lateness",
  bouts: [
    { n: 5_000, rounds: 5, metrics, pairs: pairs("idle", { [P99]: 2 }) },
    { n: 5_000, rounds: 5, metrics, pairs: pairs("busy", {}) },
    { n: 5_000, rounds: 5, metrics, pairs: against(meanwhile, [quietly], { [P50]: 0.9, [P99]: 0.9 }) },
  ],
}
