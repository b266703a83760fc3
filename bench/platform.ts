/**
 * What is measured with several numbers for each run: pools of worker threads, against those one would use instead and
 * against the JDK's, and timers. README.md says what and how.
 */
import { bursts } from "./platform-burst.ts"
import { busyMain } from "./platform-busy.ts"
import type { PlatformContest } from "./platform-contest.ts"
import { floor } from "./platform-floor.ts"
import { latency } from "./platform-latency.ts"
import { queuedMemory } from "./platform-memory.ts"
import { payloads } from "./platform-payload.ts"
import { recovery } from "./platform-recovery.ts"
import { roundTrips } from "./platform-round-trip.ts"
import { cancelled } from "./schedule-cancel.ts"
import { lateness } from "./schedule-lateness.ts"
import { pendingMemory } from "./schedule-memory.ts"

export const platformContests: readonly PlatformContest[] = [
  bursts,
  floor,
  busyMain,
  roundTrips,
  latency,
  payloads,
  queuedMemory,
  recovery,
  cancelled,
  lateness,
  pendingMemory,
]
