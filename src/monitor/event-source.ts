/** What happens in threads, as the monitor wants to hear it. */
export interface PoolInfo {
  readonly id: number
  readonly name: string
  readonly isVirtual: boolean
}

export interface ThreadInfo {
  readonly id: number
  readonly name: string
}

export interface PoolEvent {
  readonly kind: "submitted" | "settled" | "rejected" | "began" | "ended" | "idle" | "stole" | "started" | "exited"
  /** In ms, on the clock of {@link EventSource}. */
  readonly time: number
  readonly pool: PoolInfo
  readonly thread: ThreadInfo | undefined
  readonly task: number
  readonly name: string
  readonly outcome: "success" | "failed" | "cancelled" | undefined
}

export interface Listening {
  drain(): void
  stop(): void
  readonly dropped: number
}

export interface EventSource {
  listen(callback: (events: readonly PoolEvent[]) => void, pools?: Iterable<object>): Listening
  /** Now, on the clock of the events. */
  now(): number
}
