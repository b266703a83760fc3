/** Where the recordings of this repository are. They are data: the compiler leaves them where they stand. */
import { fileURLToPath } from "node:url"
import type { Threads } from "./threads.ts"

/** The suites that are recorded here. */
export const suites = ["threadpool", "futuretask", "queue", "invoke", "scheduled", "sync"] as const

/** From build/test/oracle, where this file is when it runs. */
const root = new URL("../../../", import.meta.url)

export function recordingOf(suite: (typeof suites)[number]): string {
  return fileURLToPath(new URL(`test/oracle/traces/${suite}.jsonl`, root))
}

/** Those that can be replayed on one of these kinds of threads. */
export function recordings(kinds: readonly Threads[]): string[] {
  return suites.filter((suite) => kinds.some((threads) => threads.canReplay(suite))).map(recordingOf)
}
