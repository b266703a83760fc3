import { type Channels, channelsOfThread, isTraced, publishEnd, traceCall, wallTimeOf } from "../../events/channels.ts"
import { hub } from "../../events/hub.ts"
import { errorOf, outcomeOf } from "../../events/observed-task.ts"
import type { DistributedJobContext } from "../../events/payloads.ts"
import type { FutureTask } from "../../future/future-task.ts"
import { OBSERVE } from "../../future/internals.ts"
import type { TaskOutcome } from "../../observing.ts"
import { sharedNow } from "../../time/shared-clock.ts"
import type { JobEntry, JobPlan } from "./job-entry.ts"

/** Publishes what becomes of the jobs of an executor: the tracing channel `corepool:distributed.job`. */
export class JobTrace {
  readonly #executor: string
  readonly #channels: Channels = channelsOfThread(() => hub().on())

  constructor(executor: string) {
    this.#executor = executor
  }

  /** Calls `enter`, which enters the job; undefined if the job is over already. Throws what it throws. */
  submit(plan: JobPlan, enter: () => JobEntry | undefined): void {
    const { job } = this.#channels
    if (!isTraced(job)) {
      enter()
      return
    }
    const { id, title: name, future } = plan
    const context: DistributedJobContext = {
      ...{ executor: this.#executor, job: id, name },
      submittedAt: wallTimeOf(sharedNow()),
    }
    let isOver = false
    const end = (outcome: TaskOutcome, error: unknown): void => {
      if (isOver) return
      isOver = true
      Object.assign(context, { settledAt: wallTimeOf(sharedNow()), outcome, ...(outcome === "failed" && { error }) })
      publishEnd(job, context, outcome === "failed")
    }
    const settled = (settledFuture: object): void => {
      const outcome = outcomeOf(settledFuture as FutureTask<unknown>)
      end(outcome, outcome === "failed" ? errorOf(settledFuture as FutureTask<unknown>) : undefined)
    }
    try {
      traceCall(job, context, () => {
        const entry = enter()
        if (future !== undefined) future[OBSERVE]({ settled })
        else if (entry !== undefined) entry.onOver = () => end(...endOf(entry))
        else end("cancelled", undefined)
      })
    } catch (error) {
      isOver = true
      throw error
    }
    if (future?.isDone === true) settled(future)
  }
}

/** The end of a command, which has no future. */
function endOf({ failure, isCancelled }: JobEntry): [TaskOutcome, unknown] {
  if (failure !== undefined) return ["failed", failure.error]
  return [isCancelled ? "cancelled" : "success", undefined]
}
