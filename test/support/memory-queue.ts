/** An open queue of a MemoryEngine: one process's connection. */
import type {
  ConsumeOptions,
  Consumer,
  ControlMessage,
  EngineListener,
  EngineQueue,
  JobCounts,
  JobOrder,
  JobRecord,
  JobState,
  NodeRecord,
} from "#src/distributed/engine.js"
import type { JobData } from "#src/distributed/job-data.js"
import type { MemoryEngine } from "./memory-engine.ts"
import { copyOf, type MemoryConsumer, type MemoryJob, type MemoryStore } from "./memory-store.ts"

export class MemoryQueue implements EngineQueue {
  readonly store: MemoryStore
  readonly #engine: MemoryEngine
  readonly #listeners = new Set<EngineListener>()
  readonly #consumers: MemoryConsumer[] = []
  #isClosed = false

  constructor(engine: MemoryEngine, store: MemoryStore) {
    this.#engine = engine
    this.store = store
  }

  now(): number {
    return this.#engine.now()
  }

  async add(orders: readonly JobOrder[]): Promise<void> {
    await this.#asked()
    this.#engine.requireAccepting()
    this.#engine.adds++
    for (const order of orders) this.store.add(order)
  }

  async find(ids: readonly string[]): Promise<(JobRecord | undefined)[]> {
    await this.#asked()
    return ids.map((id) => {
      const job = this.store.jobs.get(id)
      return job && recordOf(job)
    })
  }

  async remove(id: string): Promise<boolean> {
    await this.#asked()
    return this.store.remove(id)
  }

  async update(id: string, data: JobData): Promise<boolean> {
    await this.#asked()
    return this.store.update(id, data)
  }

  async publish(message: ControlMessage): Promise<void> {
    await this.#asked()
    this.#engine.publish(this.store, message)
  }

  async listen(listener: EngineListener): Promise<void> {
    await this.#asked()
    this.#listeners.add(listener)
  }

  async consume(options: ConsumeOptions): Promise<Consumer> {
    await this.#asked()
    const consumer = this.store.consume(options)
    this.#consumers.push(consumer)
    return consumer
  }

  async counts(): Promise<JobCounts> {
    await this.#asked()
    const counts: Record<JobState, number> = { waiting: 0, delayed: 0, active: 0, completed: 0, failed: 0 }
    for (const { state } of this.store.jobs.values()) counts[state]++
    return counts
  }

  async announce(node: NodeRecord, forMs: number): Promise<void> {
    await this.#asked()
    if (forMs === 0) this.store.announcements.delete(node.id)
    else this.store.announcements.set(node.id, { node, until: this.now() + forMs })
  }

  async nodes(): Promise<NodeRecord[]> {
    await this.#asked()
    return [...this.store.announcements.values()].filter(({ until }) => until > this.now()).map(({ node }) => node)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#listeners.clear()
    this.#engine.closed(this)
    // A connection that ends without `drain` is a node that is gone: its jobs go to others.
    for (const consumer of this.#consumers) {
      this.store.lose(consumer.node, true)
      this.store.leave(consumer)
    }
    await Promise.resolve()
  }

  tell(event: (listener: EngineListener) => void): void {
    for (const listener of this.#listeners) {
      queueMicrotask(() => {
        if (this.#listeners.has(listener)) event(listener)
      })
    }
  }

  async #asked(): Promise<void> {
    if (this.#isClosed) throw new Error("The connection is closed")
    await Promise.resolve()
  }
}

function recordOf({ order, data, state, dueAt, outcome, progress }: MemoryJob): JobRecord {
  return { id: order.id, name: order.name, data: copyOf(data), state, dueAt, outcome, progress }
}
