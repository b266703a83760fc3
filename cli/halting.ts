/** Decides when a command starts no more jobs, by the results so far. */
import type { Counts } from "./progress-line.ts"
import type { Halt } from "./values.ts"

/** A share of the failed jobs means little before so many jobs are done. */
const ENOUGH = 3

export function isReached(halt: Halt, { done, failed, total }: Counts): boolean {
  const count = { fail: failed, success: done - failed, done }[halt.what]
  if (halt.jobs !== undefined) return count >= halt.jobs
  const all = halt.what === "done" ? total : done
  return all !== undefined && done >= Math.min(ENOUGH, all) && count > 0 && count / all >= (halt.share ?? 1)
}
