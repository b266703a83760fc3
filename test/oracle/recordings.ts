/** Where the recordings of this repository are. They are data: the compiler leaves them where they stand. */
import { fileURLToPath } from "node:url"

/** The suites that are recorded here. */
export const suites = ["threadpool", "futuretask", "queue", "invoke", "scheduled"] as const

/** From build/test/oracle, where this file is when it runs. */
const root = new URL("../../../", import.meta.url)

export function recordingOf(suite: (typeof suites)[number]): string {
  return fileURLToPath(new URL(`test/oracle/traces/${suite}.jsonl`, root))
}

export function recordings(): string[] {
  return suites.map(recordingOf)
}
