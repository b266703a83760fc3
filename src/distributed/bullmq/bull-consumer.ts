import { randomUUID } from "#host/server/server"
import { IllegalStateError, NotSerializableError } from "../../errors.ts"
import { runtime, type Timeout } from "#host/runtime/clock"
import { messageOf } from "../../user-values.ts"
import type { ClaimedJob, ConsumeOptions, Consumer, JobEnd } from "../job/engine.ts"
import { encodeFailure } from "../job/failure.ts"
import { JobLoss } from "../job/job-loss.ts"
import { fromJobId, fromStorableJson, toStorable } from "./names.ts"
import type { BullJob } from "./bull-types.ts"
import { Doubts } from "./doubts.ts"
import { isPassing, isRefusal, pauseFor, type Steady } from "./steady.ts"
import type { Bench, Claim, Hold, StoredData } from "./store.ts"
import { LARGE } from "./store.ts"

/** How long to wait for a notification, in ms. */
const IDLE = 1000
/** How many jobs are asked for at once, at most. */
const CLAIMED_AT_ONCE = 16
/** How often jobs of dead nodes are looked for. */
const RECOVERY = 500
/** How long this node takes no jobs after it has given one back, in ms. */
const AFTER_BACK = 250
/** For how long the end of a job is reported to a server that does not answer, in ms. */
const REPORTING = 60_000

export interface ConsumerContext {
  readonly bench: Bench
  readonly steady: Steady
  readonly now: () => number
  readonly error: (error: unknown) => void
  readonly progress: (jobId: string, value: unknown) => Promise<void>
}

interface Running extends Hold {
  readonly job: BullJob
  readonly data: StoredData
  readonly lost: JobLoss
  /** When this node last knew that the lock was its own, by a clock that cannot be set. */
  renewedAt: number
}

/**
 * Takes jobs of a queue for one node, at most `concurrency` at a time, and reports their ends.
 *
 * How it works. One flow asks for as many jobs as there is room for; when there are no more it waits for a
 * notification, for a second at most. The answer to a report brings the next job. Two timers run beside: one renews the
 * locks of running jobs, one looks for jobs of dead nodes.
 *
 * BullMQ's own Worker is not used. It takes some failures of the connection for failures of the job, and reports a job
 * as failed that has completed; it uses the machine's clock; and after a loss of the connection it waits for seconds.
 */
export class BullConsumer implements Consumer {
  readonly #options: ConsumeOptions
  readonly #context: ConsumerContext
  readonly #running = new Map<string, Running>()
  readonly #node: string = randomUUID()
  #count = 0
  /** Jobs that are being run or reported, lost ones included. */
  #busy = 0
  #notBefore = 0
  #isRenewing = false
  #isRecovering = false
  #isPaused = false
  readonly #doubts: Doubts
  /** Wakes the pump, which waits for room, or the drain. */
  #wake: (() => void) | undefined
  readonly #stopping = new AbortController()
  readonly #ticks: Timeout[] = []
  readonly #pumping: Promise<void>
  #draining: Promise<void> | undefined

  constructor(options: ConsumeOptions, context: ConsumerContext) {
    this.#options = options
    this.#context = context
    this.#doubts = new Doubts(context.bench, (token) => this.#running.has(token))
    const { lockDuration } = options
    this.#ticks.push(runtime.startInterval(() => this.#renew(), Math.max(10, lockDuration / 6)))
    this.#ticks.push(runtime.startInterval(() => this.#recover(), RECOVERY))
    context.steady.ended.addEventListener("abort", () => this.#stop())
    this.#pumping = this.#pump()
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#stir()
  }

  drain(): Promise<void> {
    return (this.#draining ??= this.#drain())
  }

  async #drain(): Promise<void> {
    this.#stopping.abort()
    this.#stir()
    await this.#pumping
    while (this.#busy > 0 && !this.#context.steady.ended.aborted) await this.#stirred()
    await this.#settleDoubts()
    this.#stop()
  }

  #stop(): void {
    this.#stopping.abort()
    for (const tick of this.#ticks) runtime.stopTimeout(tick)
    for (const { lost } of this.#running.values()) lost.lose()
    this.#stir()
  }

  // ------------------------------------------------------------------ taking

  async #pump(): Promise<void> {
    const { bench, now } = this.#context
    let atOnce = 1 // the first job after a pause does not wait for others
    while (!this.#stopping.signal.aborted) {
      const rest = this.#notBefore - runtime.now()
      if (this.#isPaused || this.#busy >= this.#options.concurrency) await this.#stirred()
      else if (rest > 0) await pauseFor(rest, this.#stopping.signal)
      else {
        const most = Math.min(this.#options.concurrency - this.#busy, atOnce)
        const claimed = (await this.#settleDoubts()) ? await this.#claim(most) : undefined
        // A job with which a node has died may make this node pause, and then jobs that came with it are given back.
        const hasDied = claimed?.jobs.some(({ job }) => (job.stalledCounter ?? 0) > 0) ?? false
        atOnce = claimed?.isMore === true && !hasDied ? CLAIMED_AT_ONCE : 1
        if (claimed === undefined) await pauseFor(IDLE / 2, this.#stopping.signal)
        else if (!claimed.isMore) {
          const pause = claimed.due > 0 ? Math.min(IDLE, Math.max(0, claimed.due - now())) : IDLE
          await bench.wait(Math.ceil(pause), this.#stopping.signal)
        }
      }
    }
  }

  /** Takes so many jobs and starts them. Undefined if the server has not answered. */
  async #claim(most: number): Promise<Claim | undefined> {
    const tokens = Array.from({ length: most }, () => `${this.#node}:${this.#count++}`)
    const sent = runtime.now()
    try {
      const claim = await this.#context.bench.claim(tokens)
      for (const { job, token } of claim.jobs) this.#start(job, token, sent)
      return claim
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#context.error(error)
      if (isPassing(error)) this.#doubts.add(tokens)
      else await this.#failUnreadable(tokens, error).catch((second: unknown) => this.#context.error(second))
      return undefined
    }
  }

  /**
   * Fails jobs that the server has given and that BullMQ cannot read, because another program has written them. Given
   * back, such a job would be the next one again, and no node would reach the others.
   */
  async #failUnreadable(tokens: readonly string[], error: unknown, known?: string): Promise<void> {
    const { bench, steady } = this.#context
    const held = await steady.run(() => bench.held(tokens))
    const failed = { isFailed: true, outcome: toStorable(unreadable(error)), isRemoved: false, takesNext: false }
    for (const hold of held) if (hold.jobId !== known) await steady.run(() => bench.end({ hold, ...failed }))
  }

  /** False if the server does not answer. */
  async #settleDoubts(): Promise<boolean> {
    try {
      await this.#doubts.settleNew()
      return true
    } catch (error) {
      this.#context.error(error)
      return false
    }
  }

  #start(job: BullJob, token: string, sent: number): void {
    this.#busy++
    this.#run(job, token, sent)
      .catch((error: unknown) => this.#context.error(error))
      .finally(() => {
        this.#busy--
        this.#stir()
      })
  }

  // ------------------------------------------------------------------ running

  async #run(first: BullJob, firstToken: string, sent: number): Promise<void> {
    let job: BullJob | undefined = first
    let token = firstToken
    let since = sent
    // If the answer took longer than the lock lasts, another node has the job by now.
    while (job !== undefined && runtime.now() - since < this.#options.lockDuration) {
      const data = fromStorableJson(job.data) as StoredData
      const running: Running = { jobId: job.id, token, job, data, lost: new JobLoss(), renewedAt: since }
      this.#running.set(token, running)
      let next: BullJob | undefined
      try {
        const end = await this.#options.run(this.#claimed(running), this)
        since = runtime.now()
        next = running.lost.isLost ? undefined : await this.#report(running, end)
      } finally {
        this.#running.delete(token)
      }
      job = next
      token = firstToken
    }
  }

  #claimed(running: Running): ClaimedJob {
    const { job, data, jobId } = running
    return {
      id: fromJobId(jobId) ?? jobId,
      name: job.name,
      data,
      failures: job.attemptsMade ?? 0,
      attempts: numberIn(job.opts?.attempts, 1),
      deaths: job.stalledCounter ?? 0,
      lost: running.lost,
      progress: (value) => this.#context.progress(jobId, value),
      rewrite: (given) => this.#context.steady.run(() => this.#context.bench.rewrite(running, given)),
    }
  }

  /** Returns the next job, if one came with the answer. */
  async #report(running: Running, end: JobEnd): Promise<BullJob | undefined> {
    const next = !this.#stopping.signal.aborted && !this.#isPaused && this.#busy <= this.#options.concurrency
    let tries = 0
    let isAway = false
    try {
      return await this.#context.steady.run(async () => {
        tries++
        try {
          return await this.#end(running, end, next)
        } catch (error) {
          isAway = isPassing(error)
          throw error
        }
      }, REPORTING)
    } catch (error) {
      // The lock is lost, or the answer to an earlier try was: either way the server has decided.
      if (isRefusal(error)) return undefined
      if (isAway) throw error
      // The error may be about the next job, which came with the answer.
      if (next) await this.#failUnreadable([running.token], error, running.jobId)
      if (end.kind === "failed") throw error
      return await this.#report(running, { kind: "failed", reason: untaken(error) })
    } finally {
      if (tries > 1 && next) this.#doubts.add([running.token])
    }
  }

  async #end(running: Running, end: JobEnd, takesNext: boolean): Promise<BullJob | undefined> {
    const { bench, now } = this.#context
    const isRemoved = numberIn(running.job.opts?.keep, 0) <= 0
    switch (end.kind) {
      case "completed":
      case "failed": {
        const isFailed = end.kind === "failed"
        const text = toStorable(isFailed ? end.reason : end.outcome)
        const outcome = text.length <= LARGE.limit ? text : await this.#keptAside(running, text)
        return bench.end({ hold: running, isFailed, outcome, isRemoved, takesNext })
      }
      case "retry":
        await bench.delay(running, now() + end.delay, toStorable(end.reason))
        return undefined
      case "again":
        if (await bench.rewrite(running, end.data)) await bench.delay(running, end.dueAt, undefined)
        return undefined
      case "back":
        this.#notBefore = runtime.now() + AFTER_BACK
        await bench.giveBack(running)
        return undefined
    }
  }

  /**
   * Stores a large outcome with the data, and returns the mark that replaces it; the outcome itself if the job is lost.
   * BullMQ sends all outcomes to all listeners, and keeps many of them for late ones.
   */
  async #keptAside(running: Running, outcome: string): Promise<string> {
    const isOurs = await this.#context.bench.rewrite(running, { ...running.data, outcome })
    return isOurs ? LARGE.mark : outcome
  }

  // ------------------------------------------------------------------ locks

  #renew(): void {
    const now = runtime.now()
    const { lockDuration } = this.#options
    for (const { renewedAt, lost } of this.#running.values()) if (now - renewedAt > lockDuration) lost.lose()
    const due = [...this.#running.values()].filter(
      ({ renewedAt, lost }) => !lost.isLost && now - renewedAt > lockDuration / 4,
    )
    if (due.length === 0 || this.#isRenewing) return
    this.#isRenewing = true
    this.#context.bench
      .renew(due)
      .then((gone) => {
        for (const running of due) {
          if (gone.includes(running.jobId)) this.#lose(running)
          else running.renewedAt = now
        }
      })
      .catch((error: unknown) => this.#context.error(error))
      .finally(() => void (this.#isRenewing = false))
  }

  /** Only if it is still running: a job that has ended in the meantime has no lock either. */
  #lose(running: Running): void {
    if (this.#running.get(running.token) === running) running.lost.lose()
  }

  #recover(): void {
    if (this.#isRecovering) return
    this.#isRecovering = true
    Promise.all([this.#doubts.settle(), this.#context.bench.recover()])
      .catch((error: unknown) => this.#context.error(error))
      .finally(() => void (this.#isRecovering = false))
  }

  // ------------------------------------------------------------------ waiting

  /** Wakes the flow that waits: a job has ended, or all are to end. */
  #stir(): void {
    this.#wake?.()
  }

  /** Is fulfilled by the next `#stir`. One flow waits at a time: first the pump, then the drain. */
  #stirred(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined
        resolve()
      }
    })
  }
}

/** A number in the options of a job, which any process may have written. */
function numberIn(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise
}

/**
 * The reason if the server answers and refuses the outcome: a due time that is no number, or data that cannot be
 * written. Running the job again would not help.
 */
function untaken(error: unknown): string {
  return encodeFailure(new IllegalStateError(`What became of the job cannot be stored: ${messageOf(error)}`))
}

function unreadable(error: unknown): string {
  return encodeFailure(new NotSerializableError(`The job cannot be read: ${messageOf(error)}`))
}
