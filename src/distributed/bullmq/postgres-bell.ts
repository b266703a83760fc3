import type { PgClient, PgConnection } from "./bull-types.ts"
import { pauseFor } from "./steady.ts"
import { runtime } from "../../time/runtime.ts"

/** Tells a queue's nodes of new jobs. */
export const JOBS = "bullmq_jobs"
/** Tells of everything that happens to the jobs of a queue. */
export const EVENTS = "bullmq_events"
/** Tells of messages from process to process. */
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
 * Wakes what waits for notifications of PostgreSQL. There is one connection that listens; when it is lost, another one
 * takes its place.
 *
 * A notification is only a reason to look: what waits looks by itself, too, after a short time. BullMQ does not send
 * one for each event, and one that is sent while the connection is lost is lost.
 */
export class PostgresBell {
  readonly #connection: PgConnection
  readonly #channels: readonly string[]
  readonly #queues: readonly string[]
  readonly #waiters = new Set<Waiter>()
  /** What rang while nothing waited for it: the next wait is over at once. */
  readonly #missed = new Set<string>()
  readonly #end = new AbortController()
  readonly #lost = new Set<() => void>()
  #listening: Promise<void> | undefined
  #client: PgClient | undefined
  #isTrying = false

  /**
   * All queues of the database share the channels; only these queues are of interest. The server wakes each process
   * that listens to a channel for every commit that tells something there: so a process listens to what it waits for,
   * and to nothing else.
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

  /** Tells when the connection is lost. */
  onLoss(tell: () => void): void {
    this.#lost.add(tell)
  }

  /** Is fulfilled when notifications come. */
  async start(): Promise<void> {
    this.#listening ??= this.#listen()
    try {
      await this.#listening
    } catch (error) {
      this.#listening = undefined
      throw error
    }
  }

  /** Is fulfilled when one of the queues is told of, when the time is over, and when the signal aborts. */
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
    await this.#listening?.catch(() => undefined) // it is told to those who wait for it
  }

  /**
   * To be called when the connection is being closed: BullMQ takes all listeners from the client then, and an error
   * that comes before its end would end the process.
   */
  hush(): void {
    this.#client?.on("error", () => undefined)
  }

  /**
   * Until notifications come, or the bell is stopped. A server that is away is told of by the operations that need it.
   */
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
