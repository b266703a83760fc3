/** Pools of worker threads, against those one would use instead and against the JDK's. README.md says what and how. */
import { bursts } from "./platform-burst.ts"
import { busyMain } from "./platform-busy.ts"
import type { PlatformContest } from "./platform-contest.ts"
import { queuedMemory } from "./platform-memory.ts"
import { payloads } from "./platform-payload.ts"
import { recovery } from "./platform-recovery.ts"
import { roundTrips } from "./platform-round-trip.ts"

export const platformContests: readonly PlatformContest[] = [
  bursts,
  busyMain,
  roundTrips,
  payloads,
  queuedMemory,
  recovery,
]
