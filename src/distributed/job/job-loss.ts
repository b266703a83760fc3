import { guarded } from "../../memory/flow/guard.ts"

/**
 * Whether a job is still its node's. A node makes one for each job: an AbortController would cost more than all else
 * that the node makes for the job.
 */
export class JobLoss {
  isLost = false
  /** Is called when the job is lost, once. */
  onLost: (() => void) | undefined

  /** The job is not its node's any more. */
  lose(): void {
    if (this.isLost) return
    this.isLost = true
    guarded(() => this.onLost?.())
  }
}
