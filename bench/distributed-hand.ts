/** The same work written with BullMQ by hand. */
import { createPostgresBackend, Queue, QueueEvents } from "bullmq"
import { setTimeout } from "node:timers/promises"
import { connectionOf } from "./distributed-place.ts"

export class ByHand {
  readonly #queue: Queue
  readonly #events: QueueEvents
  readonly #waiting = new Map<string, (value: number) => void>()
  /** What ended before it was asked for. */
  readonly #early = new Map<string, number>()

  constructor(name: string, url: string) {
    const options = { connection: connectionOf(url) }
    const isRedis = url.startsWith("redis")
    this.#queue = isRedis
      ? new Queue(name, options)
      : (new Queue(name, options as never, createPostgresBackend) as unknown as Queue)
    this.#events = isRedis
      ? new QueueEvents(name, options)
      : (new QueueEvents(name, options as never, createPostgresBackend) as unknown as QueueEvents)
    this.#events.on("completed", ({ jobId, returnvalue }) => this.#end(jobId, Number(returnvalue)))
  }

  async ready(): Promise<void> {
    await this.#queue.waitUntilReady()
    await this.#events.waitUntilReady()
  }

  /**
   * Adds so many jobs in one round trip; fulfilled when all of them have ended. It counts them, and reads no results: on PostgreSQL some events of BullMQ get lost
   * when jobs end at the same time, so a program that waits for each would wait for ever.
   */
  async addAll(count: number): Promise<void> {
    await this.#queue.addBulk(
      Array.from({ length: count }, (_, i) => ({
        name: "add",
        data: { a: i, b: 1 },
        opts: { removeOnComplete: true },
      })),
    )
    while ((await this.#queue.getJobCountByTypes("waiting", "active")) > 0) await setTimeout(2)
  }

  async add(): Promise<number> {
    const { id = "" } = await this.#queue.add("add", { a: 1, b: 1 }, { removeOnComplete: true })
    return await this.#result(id)
  }

  async close(): Promise<void> {
    await this.#events.close()
    await this.#queue.close()
  }

  #result(id: string): Promise<number> {
    const early = this.#early.get(id)
    if (early !== undefined) {
      this.#early.delete(id)
      return Promise.resolve(early)
    }
    return new Promise((resolve) => this.#waiting.set(id, resolve))
  }

  #end(id: string, value: number): void {
    const resolve = this.#waiting.get(id)
    if (resolve === undefined) this.#early.set(id, value)
    else resolve(value)
    this.#waiting.delete(id)
  }
}
