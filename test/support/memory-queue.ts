/** An open queue of a MemoryEngine: one process's connection. */
import { IllegalStateError } from "corepool"
import { AsyncResource } from "node:async_hooks"
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
} from "#src/distributed/job/engine.js"
import type { JobData } from "#src/distributed/job/job-data.js"
import type { NodeRecord } from "#src/executor/fleet-records.js"
import type { MemoryEngine } from "./memory-engine.ts"
import { copyOf, type MemoryConsumer, type MemoryJob, type MemoryStore } from "./memory-store.ts"

export class MemoryQueue implements EngineQueue {
  readonly store: MemoryStore
  readonly role: "executor" | "node"
  readonly #engine: MemoryEngine
  /** Each with a way into the context in which it was made: that of another process, as it were. */
  readonly #listeners = new Map<EngineListener, Enter>()
  readonly #consumers: MemoryConsumer[] = []
  #isClosed = false

  constructor(engine: MemoryEngine, store: MemoryStore, role: "executor" | "node") {
    this.#engine = engine
    this.role = role
    this.store = store
  }

  now(): number {
    return this.#engine.now()
  }

  async add(orders: readonly JobOrder[]): Promise<void> {
    await this.#asked()
    this.#engine.requireAccepting(false)
    for (const { priority } of orders) {
      if (!Number.isInteger(priority) || Math.abs(priority) >= 2 ** 20) throw new RangeError(`No priority: ${priority}`)
    }
    this.#engine.adds++
    for (const order of orders) this.store.add(order)
    this.#engine.requireAccepting(true)
  }

  async find(ids: readonly string[]): Promise<(JobRecord | undefined)[]> {
    await this.#asked()
    this.#engine.requireFinding()
    return ids.map((id) => {
      const job = this.store.jobs.get(id)
      return job && recordOf(job)
    })
  }

  async remove(id: string): Promise<boolean> {
    await this.#asked()
    await this.#engine.removing
    if (this.#isClosed) throw new IllegalStateError("The queue is closed")
    this.#engine.requireRemoving()
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
    const enter = contextHere()
    await this.#asked()
    this.#listeners.set(listener, enter)
  }

  async consume(options: ConsumeOptions): Promise<Consumer> {
    const enter = contextHere()
    await this.#asked()
    const consumer = this.store.consume({ ...options, run: (job, self) => enter(() => options.run(job, self)) })
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
    else {
      const seenAt = Math.round(this.now())
      this.store.announcements.set(node.id, { node: { ...node, seenAt }, until: this.now() + forMs })
    }
  }

  async nodes(): Promise<NodeRecord[]> {
    await this.#asked()
    return [...this.store.announcements.values()].filter(({ until }) => until > this.now()).map(({ node }) => node)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
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
    for (const [listener, enter] of this.#listeners) {
      queueMicrotask(() => {
        if (this.#listeners.has(listener)) enter(() => event(listener))
      })
    }
  }

  async #asked(): Promise<void> {
    if (this.#isClosed) throw new IllegalStateError("The queue is closed")
    await Promise.resolve()
  }
}

type Enter = <T>(call: () => T) => T

/** A way back into the asynchronous context of the caller. */
function contextHere(): Enter {
  const resource = new AsyncResource("memory-engine")
  return (call) => resource.runInAsyncScope(call)
}

function recordOf({ order, data, state, dueAt, outcome, progress }: MemoryJob): JobRecord {
  return { id: order.id, name: order.name, data: copyOf(data), state, dueAt, outcome, progress }
}
