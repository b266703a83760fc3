/** A process that can write into a queue and keeps no rules: it adds jobs, events and notes with BullMQ's own commands. */
import * as bullmq from "bullmq"
import { Redis } from "ioredis"
import type { Bull, BullBackend, BullJob, RedisClient } from "#src/distributed/bullmq/bull-types.js"
import { CONTROL, controlQueue } from "#src/distributed/bullmq/store.js"
import type { EngineAddress } from "./engine-address.ts"

const bull = bullmq as unknown as Bull

export interface StrangeJob {
  readonly id: string
  readonly name: string
  /** As text, which should be JSON. */
  readonly data: string
  readonly opts?: Readonly<Record<string, unknown>>
}

export class Stranger implements AsyncDisposable {
  readonly #jobs: BullBackend
  readonly #control: BullBackend
  readonly #close: () => unknown

  private constructor(backendOf: (queue: string) => BullBackend, queue: string, close: () => unknown) {
    this.#jobs = backendOf(queue)
    this.#control = backendOf(controlQueue(queue))
    this.#close = close
  }

  static async at({ kind, options }: EngineAddress, queue: string): Promise<Stranger> {
    const { url, schema, prefix } = options
    if (kind === "redis") {
      const connection = new Redis(url) as unknown as RedisClient
      const settings = { connection, prefix, skipVersionCheck: true }
      return new Stranger(
        (name) => bull.createRedisBackend(name, settings),
        queue,
        () => connection.disconnect(),
      )
    }
    const connection = new bull.PostgresConnection({ connectionString: url, schema })
    await connection.waitUntilReady()
    return new Stranger(
      (name) => new bull.PostgresQueueBackend(connection, name, {}, false),
      queue,
      () => connection.close(),
    )
  }

  /** Gives whether the server has taken the job: some are too strange for BullMQ's own commands. */
  async add({ id, name, data, opts = {} }: StrangeJob): Promise<boolean> {
    const order = { priority: 1, delay: 0, timestamp: Date.now() }
    const options = { ...order, attempts: 1, keep: 600_000, ...opts }
    const job = { id: `.${id}`, name, data, ...order, opts: options } as BullJob
    try {
      await this.#jobs.addJob(job, job.id)
      return true
    } catch {
      return false
    }
  }

  /** A message to all processes. */
  async send(message: string): Promise<void> {
    await this.#control.publishEvent({ event: CONTROL, message }, 1000)
  }

  /** What happens to a job. */
  async tell(fields: Record<string, string>): Promise<void> {
    await this.#jobs.publishEvent(fields, 1000)
  }

  /** A note about a node. */
  async note(field: string, text: string): Promise<void> {
    await this.#control.setQueueMeta({ [field]: text })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close()
  }
}
