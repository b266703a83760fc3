/** What the monitor tells its clients, the page and `corepool top`: JSON, a {@link Frame} in each event. */

export interface Frame {
  /** When it was made, in ms since 1970. */
  readonly time: number
  readonly program: ProgramLine
  readonly pools: readonly PoolLine[]
  readonly schedules: readonly ScheduleLine[]
  /** How many scheduled tasks there are beyond those listed. */
  readonly moreSchedules: number
  readonly locks: readonly LockLine[]
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
  readonly state: "running" | "shutting down" | "terminated"
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

export type ActionName = "pause" | "resume" | "resize" | "shutdown" | "cancel"

export interface Action {
  readonly action: ActionName
  /** Of a pool or, for `cancel`, of a schedule. */
  readonly id: number
  /** The number of threads, for `resize`. */
  readonly size?: number
}

// ------------------------------------------------------------------ lanes

export interface LaneFrame {
  /** False if this process has no events of tasks to tell. */
  readonly isLive: boolean
  /** What the page has not heard of before. */
  readonly lanes: readonly LaneLine[]
  /** Names of functions; a block names one by its place among all that were ever sent. */
  readonly names: readonly string[]
  readonly blocks: readonly Block[]
  /** Tasks that run now. */
  readonly open: readonly OpenBlock[]
  readonly marks: readonly Mark[]
  /** True if blocks of this frame stand for several tasks, because there were more than the page can show. */
  readonly isSampled: boolean
  /** How many tasks ended. */
  readonly tasks: number
  /** How many events were lost. */
  readonly dropped: number
}

export interface LaneLine {
  readonly id: number
  readonly pool: string
  readonly thread: string
}

/** `start` in ms since 1970; `wait` is -1 if it is unknown; `count` is the number of tasks that it stands for. */
export type Block = readonly [
  lane: number,
  name: number,
  start: number,
  duration: number,
  wait: number,
  task: number,
  outcome: number,
  count: number,
]

export type OpenBlock = readonly [lane: number, name: number, start: number, task: number]

export type Mark = readonly [lane: number, kind: MarkKind, time: number]

export type MarkKind = "started" | "stole" | "exited" | "died"

/** What `outcome` of a block means. */
export const OUTCOMES = ["unknown", "success", "failed", "cancelled", "died"] as const
