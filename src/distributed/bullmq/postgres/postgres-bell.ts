import type { PgClient, PgConnection } from "../bull-types.ts"
import { pauseFor } from "../steady.ts"
import { runtime } from "#host/runtime/clock"

/** The channel that tells a queue's nodes of new jobs. */
export const JOBS = "bullmq_jobs"
/** The channel that tells of all events of the jobs of a queue. */
export const EVENTS = "bullmq_events"
/** The channel that tells of messages from process to process. */
export const MESSAGES = "corepool_messages"

interface Notification {
  readonly channel: string
  readonly payload?: string
}

interface Waiter {
  readonly channel: string
  readonly queues: readonly string[]
  wake(): void
}

/**
 * Wakes flows that wait for notifications of PostgreSQL. There is one connection that listens; when it is lost, another
 * one is opened.
 *
 * A notification is only a reason to look: a waiting flow also looks by itself after a short time. BullMQ does not send
 * a notification for each event, and one that is sent while the connection is lost is lost.
 */
export class PostgresBell {
  readonly #connection: PgConnection
  readonly #channels: readonly string[]
  readonly #queues: readonly string[]
  readonly #waiters = new Set<Waiter>()
  /** Notifications that came while no flow waited for them: the next wait is over at once. */
  readonly #missed = new Set<string>()
  readonly #end = new AbortController()
  readonly #lost = new Set<() => void>()
  #listening: Promise<void> | undefined
  #client: PgClient | undefined
  #isTrying = false

  /**
   * All queues of the database share the channels; only these queues are of interest. The server wakes each process
   * that listens to a channel at every commit that notifies that channel: so a process listens only to the channels
   * that it waits for.
   */
  constructor(connection: PgConnection, channels: readonly string[], queues: readonly string[]) {
    this.#connection = connection
    this.#channels = channels
    this.#queues = queues
    connection.on("listenerinvalidated", () => {
      if (this.#listening === undefined) return
      this.#listening = undefined
      for (const tell of this.#lost) tell()
      this.#tryOn()
    })
  }

  /** Calls the function when the connection is lost. */
  onLoss(tell: () => void): void {
    this.#lost.add(tell)
  }

  /** Is fulfilled when the connection listens. */
  async start(): Promise<void> {
    this.#listening ??= this.#listen()
    try {
      await this.#listening
    } catch (error) {
      this.#listening = undefined
      throw error
    }
  }

  /** Is fulfilled when a notification of one of the queues comes, when the time is over, and when the signal aborts. */
  async wait(channel: string, queues: readonly string[], ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#end.signal.aborted) return
    if (this.#listening === undefined) this.#tryOn()
    for (const queue of queues) if (this.#missed.delete(`${channel} ${queue}`)) return
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        runtime.stopTimeout(timer)
        this.#waiters.delete(waiter)
        signal.removeEventListener("abort", wake)
        this.#end.signal.removeEventListener("abort", wake)
        resolve()
      }
      const timer = runtime.startTimeout(wake, ms)
      timer.unref()
      const waiter: Waiter = { channel, queues, wake }
      this.#waiters.add(waiter)
      signal.addEventListener("abort", wake)
      this.#end.signal.addEventListener("abort", wake)
    })
  }

  /** Is fulfilled when no connection is being made any more. */
  async stop(): Promise<void> {
    this.#end.abort()
    await this.#listening?.catch(() => undefined) // callers of start() have got the error
  }

  /**
   * To be called while the connection is being closed: BullMQ then removes all listeners from the client, and an error
   * that comes before its end would end the process.
   */
  hush(): void {
    this.#client?.on("error", () => undefined)
  }

  /** Tries until it listens, or is stopped. Operations that need a server that is away report that. */
  #tryOn(): void {
    if (this.#isTrying || this.#end.signal.aborted) return
    this.#isTrying = true
    void this.#listenOrPause().finally(() => {
      this.#isTrying = false
      if (this.#listening === undefined) this.#tryOn()
    })
  }

  async #listenOrPause(): Promise<void> {
    try {
      await this.start()
    } catch {
      await pauseFor(250, this.#end.signal)
    }
  }

  async #listen(): Promise<void> {
    const client = await this.#connection.getListenClient()
    this.#client = client
    client.unref()
    client.on("notification", (message: Notification) => this.#ring(message))
    for (const channel of this.#channels) await client.query(`LISTEN ${channel}`)
    for (const waiter of [...this.#waiters]) waiter.wake()
  }

  #ring({ channel, payload = "" }: Notification): void {
    if (!this.#queues.includes(payload)) return
    let isHeard = false
    for (const waiter of [...this.#waiters]) {
      if (waiter.channel !== channel || !waiter.queues.includes(payload)) continue
      isHeard = true
      waiter.wake()
    }
    if (!isHeard) this.#missed.add(`${channel} ${payload}`)
  }
}
