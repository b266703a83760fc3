/** A job as a node has it that no engine has given. */
import type { ClaimedJob } from "#src/distributed/job/engine.js"
import { JobLoss } from "#src/distributed/job/job-loss.js"

export function claimedJob(given: Partial<ClaimedJob> = {}): ClaimedJob {
  return {
    id: "a",
    name: "add",
    data: { v: 1, args: "", from: "test" },
    failures: 0,
    attempts: 1,
    deaths: 0,
    lost: new JobLoss(),
    progress: () => Promise.resolve(),
    rewrite: () => Promise.resolve(true),
    ...given,
  }
}
