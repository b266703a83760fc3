/** The jobs of one queue of a MemoryEngine, and who takes them. */
import type { ClockTimer } from "corepool"
import type { ClaimedJob, ConsumeOptions, Consumer, JobEnd, JobOrder, JobState } from "#src/distributed/job/engine.js"
import type { JobData } from "#src/distributed/job/job-data.js"
import { JobLoss } from "#src/distributed/job/job-loss.js"
import type { Announcements, MemoryEngine } from "./memory-engine.ts"

export interface MemoryJob {
  readonly order: JobOrder
  data: JobData
  state: JobState
  dueAt: number | undefined
  failures: number
  deaths: number
  outcome: string | undefined
  progress: unknown
  /** Who has it, and how that one hears that it has lost it. */
  holder: MemoryConsumer | undefined
  lost: JobLoss | undefined
  claimed: ClaimedJob | undefined
  timer: ClockTimer | undefined
  /** When it began to wait for a node: of equal priority the first is first. */
  turn: number
  /** A node has just given it back. */
  isResting: boolean
}

export class MemoryStore {
  readonly jobs: Map<string, MemoryJob> = new Map()
  readonly announcements: Announcements = new Map()
  readonly #engine: MemoryEngine
  readonly #consumers = new Set<MemoryConsumer>()
  #turns = 0

  constructor(engine: MemoryEngine) {
    this.#engine = engine
  }

  // ------------------------------------------------------------------ submitting

  add(order: JobOrder): void {
    if (this.jobs.has(order.id)) return
    const job: MemoryJob = {
      order,
      data: copyOf(order.data),
      state: "waiting",
      dueAt: undefined,
      failures: 0,
      deaths: 0,
      outcome: undefined,
      progress: undefined,
      holder: undefined,
      lost: undefined,
      claimed: undefined,
      timer: undefined,
      turn: 0,
      isResting: false,
    }
    this.jobs.set(order.id, job)
    if (order.delay > 0) this.#delay(job, this.#engine.now() + order.delay)
    else this.#wait(job)
  }

  remove(id: string): boolean {
    const job = this.jobs.get(id)
    if (job === undefined || (job.state !== "waiting" && job.state !== "delayed")) return false
    job.timer?.cancel()
    this.jobs.delete(id)
    this.#engine.tell(this, (listener) => listener.removed(id))
    return true
  }

  update(id: string, data: JobData): boolean {
    const job = this.jobs.get(id)
    if (job === undefined || isEnded(job)) return false
    job.data = copyOf(data)
    return true
  }

  // ------------------------------------------------------------------ waiting

  #wait(job: MemoryJob): void {
    job.state = "waiting"
    job.dueAt = undefined
    job.turn = ++this.#turns
    this.feed()
  }

  #delay(job: MemoryJob, dueAt: number): void {
    job.state = "delayed"
    job.dueAt = dueAt
    const { clock } = this.#engine
    const time = clock.time() + Math.max(0, dueAt - this.#engine.now())
    job.timer = clock.timer(time, true, () => this.#wait(job))
    this.#engine.tell(this, (listener) => listener.delayed(job.order.id, dueAt))
  }

  /** Gives jobs to those who have room. */
  feed(): void {
    for (const consumer of this.#consumers) {
      while (consumer.hasRoom) {
        const job = this.#next()
        if (job === undefined) return
        consumer.claim(job)
      }
    }
  }

  #next(): MemoryJob | undefined {
    let next: MemoryJob | undefined
    for (const job of this.jobs.values()) {
      if (job.state !== "waiting" || job.isResting) continue
      if (next === undefined || precedes(job, next)) next = job
    }
    return next
  }

  // ------------------------------------------------------------------ consuming

  consume(options: ConsumeOptions): MemoryConsumer {
    const consumer = new MemoryConsumer(this, this.#engine, options)
    this.#consumers.add(consumer)
    this.feed()
    return consumer
  }

  find(node: string): MemoryConsumer | undefined {
    return [...this.#consumers].find((consumer) => consumer.node === node)
  }

  /** The others are asked first. */
  goToTheEnd(consumer: MemoryConsumer): void {
    if (this.#consumers.delete(consumer)) this.#consumers.add(consumer)
  }

  leave(consumer: MemoryConsumer): void {
    this.#consumers.delete(consumer)
  }

  /** The node is dead, or cut off: its jobs go to others. */
  lose(node: string, isTold: boolean): void {
    const consumer = this.find(node)
    if (consumer === undefined) return
    consumer.isLost = true
    this.goToTheEnd(consumer)
    for (const job of this.jobs.values()) {
      if (job.holder !== consumer) continue
      const { lost } = job
      job.holder = job.lost = undefined
      job.deaths++
      if (isTold) lost?.lose()
      this.#wait(job)
    }
  }

  end(job: MemoryJob, end: JobEnd): void {
    const { id, keep } = job.order
    job.holder = job.lost = undefined
    switch (end.kind) {
      case "completed":
        job.state = "completed"
        job.outcome = end.outcome
        this.#engine.tell(this, (listener) => listener.completed(id, end.outcome))
        break
      case "failed":
        this.#fail(job, end.reason)
        break
      case "retry":
        job.failures++
        if (job.failures >= job.order.attempts) this.#fail(job, end.reason)
        else this.#delay(job, this.#engine.now() + end.delay)
        return
      case "again":
        // A mark that came while it ran stays.
        job.data = copyOf(job.data.cancelled === true ? { ...end.data, cancelled: true } : end.data)
        this.#delay(job, end.dueAt)
        return
      case "back":
        // A node that gives everything back, all the time, leaves the event loop to others.
        job.isResting = true
        this.#wait(job)
        setImmediate(() => {
          job.isResting = false
          this.feed()
        })
        return
    }
    this.#forget(job, keep)
  }

  #fail(job: MemoryJob, reason: string): void {
    job.state = "failed"
    job.outcome = reason
    this.#engine.tell(this, (listener) => listener.failed(job.order.id, reason))
    this.#forget(job, job.order.keep)
  }

  #forget(job: MemoryJob, keep: number): void {
    if (keep <= 0) this.jobs.delete(job.order.id)
    else if (keep !== Infinity) {
      const { clock } = this.#engine
      job.timer = clock.timer(clock.time() + keep, true, () => this.jobs.delete(job.order.id))
    }
  }
}

export class MemoryConsumer implements Consumer {
  readonly #store: MemoryStore
  readonly #engine: MemoryEngine
  readonly #options: ConsumeOptions
  #running = 0
  #isDraining = false
  #isPaused = false
  readonly #drained: (() => void)[] = []
  /** Gets nothing, and is not heard. */
  isLost = false

  constructor(store: MemoryStore, engine: MemoryEngine, options: ConsumeOptions) {
    this.#store = store
    this.#engine = engine
    this.#options = options
  }

  get node(): string {
    return this.#options.node
  }

  get hasRoom(): boolean {
    return !this.isLost && !this.#isDraining && !this.#isPaused && this.#running < this.#options.concurrency
  }

  revive(): void {
    this.isLost = false
    this.#store.feed()
  }

  claim(job: MemoryJob): void {
    const lost = new JobLoss()
    this.#running++
    job.state = "active"
    job.holder = this
    job.lost = lost
    this.#engine.tell(this.#store, (listener) => listener.active(job.order.id))
    const claimed: ClaimedJob = {
      id: job.order.id,
      name: job.order.name,
      data: copyOf(job.data),
      failures: job.failures,
      attempts: job.order.attempts,
      deaths: job.deaths,
      lost,
      progress: async (value) => {
        await Promise.resolve()
        if (job.lost !== lost) return
        job.progress = copyOf(value)
        this.#engine.tell(this.#store, (listener) => listener.progress(job.order.id, copyOf(value)))
      },
      rewrite: async (data) => {
        await Promise.resolve()
        if (job.lost !== lost) return false
        job.data = copyOf(data)
        return true
      },
    }
    job.claimed = claimed
    void this.#run(job, claimed, lost)
  }

  async #run(job: MemoryJob, claimed: ClaimedJob, lost: JobLoss): Promise<void> {
    await Promise.resolve()
    const end = await this.#options.run(claimed, this)
    await Promise.resolve()
    this.#running--
    // Whoever has lost it is not heard.
    if (job.lost === lost) {
      if (end.kind === "back") this.#store.goToTheEnd(this)
      this.#store.end(job, end)
    }
    if (this.#running === 0) for (const resolve of this.#drained.splice(0)) resolve()
    this.#store.feed()
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#store.feed()
  }

  drain(): Promise<void> {
    this.#isDraining = true
    this.#store.leave(this)
    if (this.#running === 0) return Promise.resolve()
    return new Promise((resolve) => this.#drained.push(resolve))
  }
}

function precedes(a: MemoryJob, b: MemoryJob): boolean {
  return a.order.priority > b.order.priority || (a.order.priority === b.order.priority && a.turn < b.turn)
}

export function isEnded(job: MemoryJob): boolean {
  return job.state === "completed" || job.state === "failed"
}

/** As it is after a way through JSON, which is all that an engine keeps. */
export function copyOf<T>(value: T): T {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T)
}
