/**
 * What a distributed executor and its nodes need of a queue engine. One implementation stands on BullMQ (folder
 * `bullmq`), for PostgreSQL and for Redis; the tests have another one in memory.
 *
 * An engine keeps jobs. A job waits (for its time, or for a node), is active on one node, and ends as completed or
 * failed; or it is removed before it began. A node holds a lock on each job that it runs and renews it. When a node
 * stops renewing, the engine gives the job to another node and refuses later reports of the first one.
 */
import type { NodeRecord } from "../../executor/fleet-records.ts"
import type { JobData } from "./job-data.ts"
import type { JobLoss } from "./job-loss.ts"

/** A job to be added. */
export interface JobOrder {
  /** Unique in the queue. A job whose id the queue has already is not added again. */
  readonly id: string
  /** Whether the id was made for this job, so that no earlier job can have it. */
  readonly isNew?: boolean
  /** The name of the task in the catalogue. */
  readonly name: string
  readonly data: JobData
  /** Milliseconds until it is due; 0 if at once. */
  readonly delay: number
  /**
   * Higher runs first; 0 is the default. An integer from −1048575 to 1048575: `add` rejects with RangeError otherwise.
   */
  readonly priority: number
  /** How often it may be started in all, after failures. At least 1. */
  readonly attempts: number
  /** For how long its outcome is kept after its end, in ms; 0 if no process needs it. */
  readonly keep: number
}

/** The state of a job. */
export type JobState = "waiting" | "delayed" | "active" | "completed" | "failed"

/** What the engine knows of a job. */
export interface JobRecord {
  readonly id: string
  readonly name: string
  readonly data: JobData
  readonly state: JobState
  /** When it is due, by the engine's clock; undefined if it is not delayed. */
  readonly dueAt: number | undefined
  /** The outcome that the node reported if it has completed; the reason if it has failed. */
  readonly outcome: string | undefined
  readonly progress: unknown
}

/**
 * Is notified of events of all jobs of the queue, whichever process has added them and whichever node runs them. A
 * queue opened by a node calls only `control`, `gap` and `error`: a fleet has many nodes, and none of them needs the
 * events of the jobs of all others.
 */
export interface EngineListener {
  /** A node has begun it. */
  active(id: string): void
  completed(id: string, outcome: string): void
  failed(id: string, reason: string): void
  /** It was removed while it waited. */
  removed(id: string): void
  /** It waits for its time again: after a failed attempt, or between two runs of a schedule. */
  delayed(id: string, dueAt: number): void
  progress(id: string, value: unknown): void
  /** A message that any process has published. */
  control(message: ControlMessage): void
  /** Events may have been lost with the connection. All jobs that are waited for have to be looked up. */
  gap(): void
  /** The connection is lost, or an operation has failed in the background. The engine keeps trying. */
  error(error: unknown): void
}

/** What processes tell each other outside of the queue. */
export type ControlMessage =
  /** The job is cancelled: a node that runs it interrupts it (`interrupt`), or lets it run and drops its outcome. */
  { readonly kind: "cancel"; readonly id: string; readonly interrupt: boolean }

/** How many jobs are in which state. */
export type JobCounts = { readonly [S in JobState]: number }

/** The engine as `postgres(…)` and `redis(…)` give it: where to connect, not yet a connection. */
export interface Engine {
  /**
   * @internal Opens the queue of this name. Rejects with an error that names what is missing (a peer, the schema), no
   * credentials.
   *
   * Connections of an executor do not keep the program alive: the executor does so itself as long as it waits for
   * something. Those of a node do.
   */
  open(queue: string, role: "executor" | "node"): Promise<EngineQueue>
  /** Kind, host and database; never a password. */
  toString(): string
}

/** An open queue. */
export interface EngineQueue {
  /** The engine's clock, in ms since 1970: that of the server, as far as this process knows it. */
  now(): number

  /** Adds the jobs in one round trip, all or none. */
  add(orders: readonly JobOrder[]): Promise<void>

  /**
   * An outcome whose time is over is found only with `withExpired`, and only as long as the engine has not removed it.
   */
  find(ids: readonly string[], withExpired?: boolean): Promise<(JobRecord | undefined)[]>

  /**
   * Removes a job that waits, also between two attempts or runs. False if a node has it, if it has ended, or if there
   * is none.
   */
  remove(id: string): Promise<boolean>

  /** Replaces the data of a job that has not ended. False if it has, or if there is none. */
  update(id: string, data: JobData): Promise<boolean>

  /** Delivered to the listeners of all processes that are connected now, and to none that connects later. */
  publish(message: ControlMessage): Promise<void>

  /** Once the promise is fulfilled, the listener misses no event, or `gap` is called. */
  listen(listener: EngineListener): Promise<void>

  /** Begins to take jobs. */
  consume(options: ConsumeOptions): Promise<Consumer>

  counts(): Promise<JobCounts>

  /** Announces a node, for `forMs` milliseconds unless announced again before; with 0 the node is gone. */
  announce(node: NodeRecord, forMs: number): Promise<void>
  /** The nodes that are known to be alive. */
  nodes(): Promise<NodeRecord[]>

  /** Ends the connections. Listeners are not called after that; nothing is left running. */
  close(): Promise<void>
}

export interface ConsumeOptions {
  readonly node: string
  /** How many jobs it runs at once. */
  readonly concurrency: number
  /** How long a job stays with this node without being renewed, in ms. */
  readonly lockDuration: number
  /** Runs one job of this consumer and returns its end. Never rejects. */
  run(job: ClaimedJob, consumer: Consumer): Promise<JobEnd>
}

/** A job that this node has. */
export interface ClaimedJob {
  readonly id: string
  readonly name: string
  readonly data: JobData
  /** How many attempts have failed before this one. */
  readonly failures: number
  readonly attempts: number
  /** How many nodes have died with it. */
  readonly deaths: number
  /** Says when the job is not this node's any more: its lock is lost. What the node gives then is refused. */
  readonly lost: JobLoss
  progress(value: unknown): Promise<void>
  /** Replaces the job's data. False if the job no longer belongs to this node. */
  rewrite(data: JobData): Promise<boolean>
}

export type JobEnd =
  | { readonly kind: "completed"; readonly outcome: string }
  | { readonly kind: "failed"; readonly reason: string }
  /** This attempt has failed; another one begins after `delay` ms. Only if attempts are left. */
  | { readonly kind: "retry"; readonly reason: string; readonly delay: number }
  /**
   * A schedule: it has to run again at `dueAt` (the engine's clock), with this data. The data are written first: if the
   * node dies just then, another node takes the job at once, with the new data, which say when it is due.
   */
  | { readonly kind: "again"; readonly dueAt: number; readonly data: JobData }
  /** This node gives it back: another one takes it at once. Not counted as an attempt. */
  | { readonly kind: "back" }

/** Takes jobs of a queue, one after the other. */
export interface Consumer {
  /** Takes no more jobs until `resume`. Jobs that are on their way still arrive. */
  pause(): void
  resume(): void
  /** Takes no more jobs; is fulfilled when all its jobs have ended and are reported. */
  drain(): Promise<void>
}
