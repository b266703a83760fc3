/**
 * The same work written with BullMQ by hand. A program that wants results has one QueueEvents and a table of what it waits for: that is faster than
 * `job.waitUntilFinished`, which asks the server once more for each job.
 */
import { createPostgresBackend, Queue, QueueEvents } from "bullmq"
import { setTimeout as sleep } from "node:timers/promises"
import { connectionOf } from "./distributed-place.ts"

/** As long as a DistributedExecutor keeps results unless told otherwise, in seconds. */
const KEPT = { age: 3600 }

/** When nothing was heard of the jobs that have not ended for so long, they are looked up, in ms. */
const SILENCE = 500

interface Waiter {
  resolve(value: number): void
  reject(error: Error): void
}

export class ByHand {
  readonly #queue: Queue
  readonly #events: QueueEvents
  readonly #waiting = new Map<string, Waiter>()
  /** What ended before it was asked for. */
  readonly #early = new Map<string, number>()
  #lastHeard = 0
  /** How many results did not come by an event. */
  lookedUp = 0

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

  /** Adds so many jobs in one round trip, and gives all results. They are kept for an hour, as those of a DistributedExecutor are. */
  async resultsOf(count: number): Promise<number[]> {
    const ids = await this.#addMany(count, KEPT)
    this.#lastHeard = performance.now()
    const results = Promise.all(ids.map((id) => this.#result(id)))
    const watch = setInterval(() => void this.#lookUp(), SILENCE)
    try {
      return await results
    } finally {
      clearInterval(watch)
    }
  }

  /** The same without results, and nothing is kept: it only counts the jobs that have not ended. */
  async countDown(count: number): Promise<void> {
    await this.#addMany(count, true)
    while ((await this.#queue.getJobCountByTypes("waiting", "active")) > 0) await sleep(2)
    this.#early.clear()
  }

  async add(): Promise<number> {
    const { id = "" } = await this.#queue.add("add", { a: 1, b: 1 }, { removeOnComplete: KEPT })
    return await this.#result(id)
  }

  async close(): Promise<void> {
    await this.#events.close()
    await this.#queue.close()
  }

  async #addMany(count: number, removeOnComplete: true | { age: number }): Promise<string[]> {
    const jobs = Array.from({ length: count }, (_, i) => ({
      name: "add",
      data: { a: i, b: 1 },
      opts: { removeOnComplete },
    }))
    return (await this.#queue.addBulk(jobs)).map(({ id = "" }) => id)
  }

  /** On PostgreSQL some events of BullMQ get lost when jobs end at the same time. */
  async #lookUp(): Promise<void> {
    if (performance.now() - this.#lastHeard < SILENCE) return
    for (const [id, waiter] of this.#waiting) {
      const job = await this.#queue.getJob(id)
      if (job === undefined) waiter.reject(new Error(`Job ${id} is gone`))
      else if (job.finishedOn !== undefined) {
        this.lookedUp++
        this.#end(id, Number(job.returnvalue))
      }
    }
  }

  #result(id: string): Promise<number> {
    const early = this.#early.get(id)
    if (early !== undefined) {
      this.#early.delete(id)
      return Promise.resolve(early)
    }
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
  }

  #end(id: string, value: number): void {
    this.#lastHeard = performance.now()
    const waiter = this.#waiting.get(id)
    if (waiter === undefined) this.#early.set(id, value)
    else waiter.resolve(value)
    this.#waiting.delete(id)
  }
}
