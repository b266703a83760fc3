/** What the monitor tells its clients, the page and `corepool top`: JSON, a {@link Frame} in each event. */
import type { NodeRecord } from "../executor/fleet-records.ts"

export interface Frame {
  /** When it was made, in ms since 1970. */
  readonly time: number
  readonly program: ProgramLine
  readonly pools: readonly PoolLine[]
  readonly schedules: readonly ScheduleLine[]
  /** How many scheduled tasks there are beyond those listed. */
  readonly moreSchedules: number
  readonly locks: readonly LockLine[]
  /** The queues of distributed executors, with their nodes. */
  readonly fleets: readonly FleetLine[]
  readonly lanes: LaneFrame
  readonly allowActions: boolean
}

export interface ProgramLine {
  readonly pid: number
  readonly name: string
  readonly runtime: string
  readonly processors: number
  readonly memory: number
}

export interface PoolLine {
  readonly id: number
  readonly name: string
  readonly kind: "platform" | "virtual" | "fork/join"
  readonly state: "running" | "paused" | "shutting down" | "terminated"
  readonly threads: number
  readonly core: number
  /** Absent if there is no limit. */
  readonly maximum?: number
  readonly active: number
  readonly queued: number
  /** How many more tasks the queue can take; absent if there is no limit. */
  readonly remaining?: number
  readonly completed: number
  readonly steals?: number
  /** Of the tasks that were measured since the frame before. Absent if there were none. */
  readonly wait?: Quantiles
  readonly run?: Quantiles
  readonly actions: readonly ActionName[]
}

/** In ms. */
export interface Quantiles {
  readonly count: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
}

export interface ScheduleLine {
  readonly id: number
  readonly pool: string
  readonly name: string
  readonly isPeriodic: boolean
  /** In ms since 1970; absent if it is unknown. */
  readonly next?: number
}

export interface LockLine {
  readonly name: string
  /** What the lock says of its holder. */
  readonly holder: string
  readonly waiting: readonly string[]
  readonly waitingCount: number
}

/** A distributed executor, as its server was last asked. */
export interface FleetLine {
  readonly name: string
  /** Kind and place of the server. */
  readonly engine: string
  readonly state: PoolLine["state"]
  /** How many tasks of this process have not ended. */
  readonly outstanding: number
  /** How many jobs are in which state; absent until the server has answered. */
  readonly counts?: Readonly<Record<"waiting" | "delayed" | "active" | "completed" | "failed", number>>
  readonly nodes: readonly NodeLine[]
  /** How many nodes there are beyond those listed. */
  readonly moreNodes: number
  /** Why the numbers are old: the server does not answer. */
  readonly problem?: string
}

/** A process that runs tasks of a distributed executor. Times are in ms before the server was asked. */
export interface NodeLine extends Omit<NodeRecord, "startedAt" | "seenAt"> {
  /** For how long it has run. */
  readonly age: number
  /** How long it has said nothing. */
  readonly silence: number
}

export type ActionName = "pause" | "resume" | "resize" | "shutdown" | "cancel"

export interface Action {
  readonly action: ActionName
  /** Of a pool or, for `cancel`, of a schedule. */
  readonly id?: number
  /** For `cancel`: the number of a task that runs. */
  readonly task?: number
  /** The number of threads, for `resize`. */
  readonly size?: number
}

// ------------------------------------------------------------------ lanes

export interface LaneFrame {
  /** False if this process has no events of tasks to tell. */
  readonly isLive: boolean
  /** What the page does not have yet. A lane that it knows has a new thread: the one before has ended. */
  readonly lanes: readonly LaneLine[]
  /** Names of functions; a block names one by its place among all that were ever sent. */
  readonly names: readonly string[]
  readonly blocks: readonly Block[]
  /** Tasks that run now. */
  readonly open: readonly OpenBlock[]
  /** Waits of threads inside of tasks, which are over. */
  readonly waits: readonly Wait[]
  readonly openWaits: readonly OpenWait[]
  readonly marks: readonly Mark[]
  /**
   * If blocks of this frame stand for several tasks, because there were more than the page can show: a block stands for
   * all tasks that a thread began within so many ms. Otherwise 0.
   */
  readonly grain: number
  /** How many tasks ended. */
  readonly tasks: number
  /** How many events were lost. */
  readonly dropped: number
  /** How many threads have no lane, because there are too many. */
  readonly moreThreads: number
}

export interface LaneLine {
  readonly id: number
  readonly pool: string
  readonly thread: string
}

/**
 * `start` in ms since 1970; `wait` is -1 if it is unknown; `count` is the number of tasks that it stands for, and
 * `busy` the sum of their times. `depth` is 0 unless the thread runs the task inside of another one.
 */
export type Block = readonly [
  lane: number,
  name: number,
  start: number,
  duration: number,
  wait: number,
  task: number,
  outcome: number,
  count: number,
  depth: number,
  busy: number,
]

export type OpenBlock = readonly [lane: number, name: number, start: number, task: number, depth: number]

/** `what` is for what the thread waits, such as `ReentrantLock`. */
export type Wait = readonly [lane: number, what: string, start: number, duration: number]

export type OpenWait = readonly [lane: number, what: string, start: number]

export type Mark = readonly [lane: number, kind: MarkKind, time: number]

export type MarkKind = "started" | "stole" | "exited" | "died"

/** What `outcome` of a block means. */
export const OUTCOMES = ["unknown", "success", "failed", "cancelled", "died"] as const
