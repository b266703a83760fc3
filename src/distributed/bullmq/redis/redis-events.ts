import type { RedisClient } from "../bull-types.ts"
import { pauseFor } from "../steady.ts"
import { CONTROL, EVENTS_KEPT, type EventSink, JOB_EVENTS } from "../store.ts"

const KINDS = new Set([...JOB_EVENTS, CONTROL])
const BATCH = 1000
/** For how long the server waits for events before it answers that there are none, in ms. */
const BLOCK = 2000

type Entry = readonly [id: string, fields: readonly string[]]

export interface StreamSource {
  readonly client: RedisClient
  readonly connect: () => Promise<RedisClient>
  readonly streams: readonly string[]
  readonly sink: EventSink
}

/**
 * Reads BullMQ's streams of events, in the order in which they were written. It misses no event, or reports a gap: when
 * events were removed before they were read, and when the server has lost some.
 */
export class RedisEvents {
  readonly #source: StreamSource
  readonly #cursors = new Map<string, string>()
  readonly #end = new AbortController()
  #reader: RedisClient | undefined
  #reading: Promise<void> | undefined

  constructor(source: StreamSource) {
    this.#source = source
  }

  async start(): Promise<void> {
    const { client, connect, streams, sink } = this.#source
    this.#reader ??= await connect()
    for (const stream of streams) {
      const last = (await client.call("XREVRANGE", stream, "+", "-", "COUNT", 1)) as Entry[]
      this.#cursors.set(stream, last[0]?.[0] ?? "0-0")
    }
    this.#reading = this.#readOn(this.#reader).catch((error: unknown) => sink.error(error))
  }

  async stop(): Promise<void> {
    this.#end.abort()
    this.#reader?.disconnect()
    await this.#reading
  }

  async #readOn(reader: RedisClient): Promise<void> {
    const { sink } = this.#source
    let isBroken = false
    while (!this.#end.signal.aborted) {
      try {
        const isFull = await this.#read(reader)
        if (isBroken) sink.gap()
        isBroken = false
        if (isFull) await this.#checkForLoss()
      } catch (error) {
        if (this.#end.signal.aborted) return
        if (!isBroken) sink.error(error)
        isBroken = true
        await pauseFor(100, this.#end.signal)
      }
    }
  }

  /** True if there may be more events than it has read. */
  async #read(reader: RedisClient): Promise<boolean> {
    const ids = [...this.#cursors.values()]
    const where = [...this.#cursors.keys(), ...ids]
    const answer = await reader.call("XREAD", "COUNT", BATCH, "BLOCK", BLOCK, "STREAMS", ...where)
    const streams = streamsOf(answer)
    for (const [stream, entries] of streams) {
      for (const [id, fields] of entries) {
        this.#cursors.set(stream, id)
        this.#tell(fields)
      }
    }
    return streams.some(([, entries]) => entries.length >= BATCH)
  }

  #tell(fields: readonly string[]): void {
    const named: Record<string, string> = {}
    for (let index = 0; index < fields.length; index += 2) named[fields[index] ?? ""] = fields[index + 1] ?? ""
    const kind = named["event"] ?? ""
    if (KINDS.has(kind)) this.#source.sink.event(kind, named)
  }

  /**
   * The server keeps only so many events: if its first one is later than the last one that was read, some may be gone.
   */
  async #checkForLoss(): Promise<void> {
    const { client, sink } = this.#source
    for (const [stream, cursor] of this.#cursors) {
      const first = (await client.call("XRANGE", stream, "-", "+", "COUNT", 1)) as Entry[]
      const length = (await client.call("XLEN", stream)) as number
      if (length >= EVENTS_KEPT && isLater(first[0]?.[0] ?? "0-0", cursor)) sink.gap()
    }
  }
}

/** Releases of ioredis return a map of the server differently: as pairs, as a flat list, as an object. */
function streamsOf(answer: unknown): (readonly [string, readonly Entry[]])[] {
  if (answer === null || answer === undefined) return []
  if (answer instanceof Map) return [...(answer as Map<string, Entry[]>)]
  if (!Array.isArray(answer)) return Object.entries(answer as Record<string, Entry[]>)
  if (Array.isArray(answer[0])) return answer as (readonly [string, Entry[]])[]
  const flat = answer as readonly (string | Entry[])[]
  return flat.flatMap((name, index) => (typeof name === "string" ? [[name, flat[index + 1] as Entry[]]] : []))
}

/** Compares the ids of two entries, each a time and a number. */
function isLater(id: string, than: string): boolean {
  const [time = 0, count = 0] = id.split("-").map(Number)
  const [thanTime = 0, thanCount = 0] = than.split("-").map(Number)
  return time > thanTime || (time === thanTime && count > thanCount)
}
