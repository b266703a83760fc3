/**
 * What a distributed executor says of itself and of its nodes. The monitor knows these types, and not the code of such
 * executors.
 */

/** What a node announces of itself. */
export interface NodeRecord {
  /** Unique. */
  readonly id: string
  /** The name of the node in messages. */
  readonly name: string
  /** The name of the machine. */
  readonly host: string
  /** The number of the process. */
  readonly pid: number
  /** How many jobs it runs at most at the same time. */
  readonly concurrency: number
  /**
   * How many jobs it runs, as of `seenAt`. A node announces within a second that it has become idle or busy, or that
   * the number has changed much; a small difference, within two seconds.
   */
  readonly running: number
  /** Whether it takes no more jobs, and ends with the last of those that it has. */
  readonly isDraining: boolean
  /** When the node started, by the engine's clock: whole milliseconds since 1970. */
  readonly startedAt: number
  /** When the last announcement of the node came, by the same clock. */
  readonly seenAt: number
}

/** What the monitor asks an executor for. */
export interface Fleet {
  readonly isShutdown: boolean
  readonly isTerminated: boolean
  nodes(): Promise<readonly NodeRecord[]>
  stats(): Promise<FleetCounts>
}

export interface FleetCounts {
  readonly waiting: number
  readonly delayed: number
  readonly active: number
  readonly completed: number
  readonly failed: number
  readonly outstanding: number
}

/** The name of the queue, and the kind and place of its server. */
export interface FleetTitle {
  readonly name: string
  readonly engine: string
}
