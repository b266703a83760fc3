import type { JobData } from "../job/job-data.ts"
import type { JobCounts } from "../job/engine.ts"
import type { BullJob } from "./bull-types.ts"

/** A job as it is stored. */
export interface StoredJob {
  readonly jobId: string
  readonly name: string
  readonly data: StoredData
  readonly state: string
  readonly dueAt: number | undefined
  /** Its outcome, as JSON; undefined if it has not completed. */
  readonly returned: string | undefined
  readonly reason: string | undefined
  readonly progress: unknown
}

/** An outcome that is too large to be sent to all listeners is stored with the data. */
export interface StoredData extends JobData {
  readonly outcome?: string
}

/** The answer to a node that asks for work. */
export interface Claim {
  readonly jobs: readonly { readonly job: BullJob; readonly token: string }[]
  /** Whether there may be more jobs. */
  readonly isMore: boolean
  /** If not: when the next delayed job is due, by the server's clock; 0 if there is none. */
  readonly due: number
}

/** One job of a node, as the server knows it. */
export interface Hold {
  readonly jobId: string
  readonly token: string
}

/** How a job has ended. */
export interface End {
  readonly hold: Hold
  readonly isFailed: boolean
  /** The outcome, or the reason of the failure. */
  readonly outcome: string
  /** Whether the job and its outcome are removed. */
  readonly isRemoved: boolean
  /** Whether the node wants another job in its place, with the same token. */
  readonly takesNext: boolean
}

/** Receives events. */
export interface EventSink {
  event(kind: string, fields: Readonly<Record<string, string>>): void
  gap(): void
  error(error: unknown): void
}

/** What a node does with jobs. */
export interface Bench {
  /** Takes jobs, at most one by each token. */
  claim(tokens: readonly string[]): Promise<Claim>
  /** Ends a job. Returns the next job, if there is one and `takesNext`. */
  end(end: End): Promise<BullJob | undefined>
  /** `reason` is that of a failed attempt; without it, this does not count as an attempt. */
  delay(hold: Hold, dueAt: number, reason: string | undefined): Promise<void>
  giveBack(hold: Hold): Promise<void>
  /** The jobs that are held by these tokens. */
  held(tokens: readonly string[]): Promise<Hold[]>
  /** Replaces the data of a job that this node has. False if it has lost the job. */
  rewrite(hold: Hold, data: StoredData): Promise<boolean>
  /** Returns the ids of those that this node has lost. */
  renew(holds: readonly Hold[]): Promise<string[]>
  /** Frees the jobs of dead nodes. */
  recover(): Promise<void>
  /** Is fulfilled when there may be work, after that many milliseconds at the latest, and when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

/**
 * What differs between PostgreSQL and Redis: the operations on one queue, each a single try. Ids are those of BullMQ
 * here, see names.ts. Where two processes compete (which node has a job, whether it has begun), the server decides in
 * one step.
 */
export interface Store {
  /** In milliseconds since 1970, by the server. */
  time(): Promise<number>
  /**
   * Adds all jobs or none. An outcome whose time is over is replaced by a job of the same id; only the ids in `named`
   * can have one.
   */
  add(jobs: readonly BullJob[], named: readonly string[]): Promise<void>
  /** `withExpired` also finds outcomes whose time is over, as long as they are stored. */
  find(jobIds: readonly string[], withExpired: boolean): Promise<(StoredJob | undefined)[]>
  /** Gives those that were removed: each waited. */
  remove(jobIds: readonly string[]): Promise<string[]>
  update(jobId: string, data: JobData): Promise<boolean>
  progress(jobId: string, value: unknown): Promise<void>
  counts(): Promise<JobCounts>
  /** Removes the outcomes whose time is over. */
  clean(): Promise<void>
  publish(message: string): Promise<void>
  /** Once the promise is fulfilled, the sink misses no event. */
  listen(sink: EventSink): Promise<void>
  bench(node: string, lockDuration: number): Promise<Bench>
  setNote(field: string, text: string): Promise<void>
  notes(): Promise<Record<string, string>>
  removeNotes(fields: string[]): Promise<void>
  close(): Promise<void>
}

/** The name of the event that carries a message from process to process. */
export const CONTROL = "corepool.control"

/** The events of which an executor is notified. */
export const JOB_EVENTS: readonly string[] = ["active", "completed", "failed", "removed", "delayed", "progress"]

/** How many events the server keeps for listeners that are slow, or away for a moment. */
export const EVENTS_KEPT = 50_000

/**
 * Messages and the list of nodes are in a queue of their own: a node is notified of these, and not of the events of
 * each job of the fleet.
 */
export function controlQueue(queue: string): string {
  return `${queue}%control`
}

/** An outcome longer than this is stored with the data of its job, and the mark is stored in its place. */
export const LARGE: { readonly limit: number; readonly mark: string } = { limit: 4096, mark: "\u0001@" }
