import { requireFunction, requireIterable, typeError } from "../checks.ts"
import type { PoolInfo } from "../observing.ts"
import { infoOfPool } from "../pool/live-pools.ts"
import { sharedNow } from "../time/shared-clock.ts"
import type { EventSource, Listening, PoolEvent, RunningFuture } from "./event-source.ts"
import { hub } from "./hub.ts"

/** What happens in the pools of this thread. */
export const eventSource: EventSource = {
  listen(callback: (events: readonly PoolEvent[]) => void, pools?: Iterable<object>): Listening {
    requireFunction("callback", callback)
    const wanted = pools === undefined ? undefined : new Set([...requireIterable("pools", pools)].map(requireInfo))
    const sink = (events: readonly PoolEvent[]): void => {
      const heard = wanted === undefined ? events : events.filter(({ pool }) => wanted.has(pool))
      if (heard.length > 0) callback(heard)
    }
    const { dropped } = hub()
    hub().add(sink)
    let lost: number | undefined
    return {
      drain: () => hub().drain(),
      stop(): void {
        if (lost !== undefined) return
        hub().remove(sink)
        lost = hub().dropped - dropped
      },
      get dropped(): number {
        return lost ?? hub().dropped - dropped
      },
    }
  },
  now: sharedNow,
  futureOf(task: number): RunningFuture | undefined {
    hub().drain() // the last of what is known here may have been read long ago
    return hub().futureOf(task)
  },
}

function requireInfo(pool: object): PoolInfo {
  const info = infoOfPool(pool)
  if (info === undefined) throw typeError("pools", "pools that this thread has made", pool)
  return info
}
