import type { NodeRecord } from "../../executor/fleet-records.ts"
import { IllegalStateError } from "../../errors.ts"
import { runtime, type Timeout } from "#host/runtime/clock"
import { propertyOf } from "../../user-values.ts"
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
} from "../job/engine.ts"
import type { JobData } from "../job/job-data.ts"
import { BullConsumer } from "./bull-consumer.ts"
import {
  fromJobId,
  fromStorable,
  fromStorableJson,
  parsed,
  textIn,
  toBullPriority,
  toJobId,
  toStorableJson,
} from "./names.ts"
import type { BullJob } from "./bull-types.ts"
import { Removing } from "./removing.ts"
import type { ServerClock } from "./server-clock.ts"
import type { Steady } from "./steady.ts"
import { CONTROL, type EventSink, LARGE, type Store, type StoredData, type StoredJob } from "./store.ts"

/** How long after its time the note of a silent node is removed, in ms. */
const NOTES_KEPT = 60_000
/** How many jobs are looked up at once. */
const PAGE = 1000
/** How often old outcomes are removed, in ms. */
const CLEANING = 30_000
/** How long the same error is not reported again, in ms. */
const SILENCE = 5000

const NODE = "node."

/**
 * An open queue, on PostgreSQL or on Redis. It has what is the same on both: ids, priorities and texts, retries,
 * listeners, the list of nodes.
 */
export class BullQueue implements EngineQueue {
  readonly #store: Store
  readonly #clock: ServerClock
  readonly #steady: Steady
  readonly #listeners = new Set<EngineListener>()
  readonly #told = new Map<string, number>()
  readonly #sink: EventSink = {
    event: (kind, fields) => this.#onEvent(kind, fields),
    gap: () => this.#gap(),
    error: (error) => this.error(error),
  }
  readonly #removing = new Removing((jobIds) => this.#try(() => this.#store.remove(jobIds)))
  #listening: Promise<void> | undefined
  #cleaning: Timeout | undefined
  #closing: Promise<void> | undefined

  constructor(store: Store, clock: ServerClock, steady: Steady) {
    this.#store = store
    this.#clock = clock
    this.#steady = steady
  }

  now(): number {
    return this.#clock.now()
  }

  async add(orders: readonly JobOrder[]): Promise<void> {
    if (orders.length === 0) return
    const jobs = orders.map((order) => this.#jobOf(order))
    const named = orders.flatMap(({ id, isNew }) => (isNew === true ? [] : [toJobId(id)]))
    await this.#try(() => this.#store.add(jobs, named))
  }

  async find(ids: readonly string[], withExpired = false): Promise<(JobRecord | undefined)[]> {
    const found: (JobRecord | undefined)[] = []
    for (let start = 0; start < ids.length; start += PAGE) {
      const page = ids.slice(start, start + PAGE)
      const jobs = await this.#try(() => this.#store.find(page.map(toJobId), withExpired))
      found.push(...jobs.map((job, index) => (job === undefined ? undefined : recordOf(page[index] ?? "", job))))
    }
    return found
  }

  remove(id: string): Promise<boolean> {
    return this.#removing.remove(toJobId(id))
  }

  update(id: string, data: JobData): Promise<boolean> {
    return this.#try(() => this.#store.update(toJobId(id), data))
  }

  publish(message: ControlMessage): Promise<void> {
    return this.#try(() => this.#store.publish(JSON.stringify(message)))
  }

  async listen(listener: EngineListener): Promise<void> {
    this.#listeners.add(listener)
    this.#listening ??= this.#try(() => this.#store.listen(this.#sink))
    try {
      await this.#listening
    } catch (error) {
      this.#listening = undefined
      this.#listeners.delete(listener)
      throw error
    }
  }

  async consume(options: ConsumeOptions): Promise<Consumer> {
    const bench = await this.#try(() => this.#store.bench(options.node, options.lockDuration))
    this.#cleanLater(0)
    return new BullConsumer(options, {
      bench,
      steady: this.#steady,
      now: () => this.now(),
      error: (error) => this.error(error),
      progress: (jobId, value) => this.#try(() => this.#store.progress(jobId, value)),
    })
  }

  counts(): Promise<JobCounts> {
    return this.#try(() => this.#store.counts())
  }

  async announce(node: NodeRecord, forMs: number): Promise<void> {
    const field = NODE + toJobId(node.id)
    if (forMs <= 0) return this.#try(() => this.#store.removeNotes([field]))
    const note = JSON.stringify({ until: this.now() + forMs, node: { ...node, seenAt: Math.round(this.now()) } })
    return this.#try(() => this.#store.setNote(field, note))
  }

  async nodes(): Promise<NodeRecord[]> {
    const notes = Object.entries(await this.#try(() => this.#store.notes())).filter(([field]) => field.startsWith(NODE))
    const told = notes.flatMap(([field, text]) => {
      const note = parsed(fromStorable(text))
      return isNodeNote(note) ? [{ field, note }] : []
    })
    const old = told.filter(({ note }) => note.until < this.now() - NOTES_KEPT).map(({ field }) => field)
    if (old.length > 0) await this.#try(() => this.#store.removeNotes(old))
    return told.filter(({ note }) => note.until > this.now()).map(({ note }) => note.node)
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#steady.alive(() => this.#close()))
  }

  async #close(): Promise<void> {
    this.#steady.end()
    this.#clock.stop()
    runtime.stopTimeout(this.#cleaning)
    this.#listeners.clear()
    await this.#store.close()
  }

  /**
   * Reports an error in the background to the listeners. While the server is away, the same error comes many times a
   * second, and is reported once in SILENCE ms.
   */
  error(error: unknown): void {
    if (this.#closing !== undefined) return
    const clean = this.#steady.clean(error)
    const now = runtime.now()
    if (now - (this.#told.get(clean.message) ?? -Infinity) < SILENCE) return
    if (this.#told.size > 20) this.#told.clear()
    this.#told.set(clean.message, now)
    this.#tell((each) => each.error(clean))
  }

  async #try<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw new IllegalStateError("The queue is closed")
    return this.#steady.run(operation)
  }

  #jobOf({ id, name, data, delay, priority, attempts, keep }: JobOrder): BullJob {
    const timestamp = Math.round(this.now())
    const order = { priority: toBullPriority(priority), delay: Math.max(0, Math.round(delay)), timestamp }
    return { id: toJobId(id), name, data: toStorableJson(data), ...order, opts: { ...order, attempts, keep } }
  }

  // ------------------------------------------------------------------ events

  #onEvent(kind: string, fields: Readonly<Record<string, string>>): void {
    if (kind === CONTROL) {
      const message = parsed(fromStorable(fields["message"] ?? ""))
      if (isMessage(message)) this.#tell((each) => each.control(message))
      return
    }
    const id = fromJobId(fields["jobId"])
    if (id === undefined) return
    if (kind === "active") this.#tell((each) => each.active(id))
    else if (kind === "removed") this.#tell((each) => each.removed(id))
    else if (kind === "delayed") {
      const dueAt = Number(fields["delay"])
      if (Number.isFinite(dueAt)) this.#tell((each) => each.delayed(id, dueAt))
    } else if (kind === "progress") {
      const value = fromStorableJson(fields["data"] ?? "null")
      if (value !== undefined) this.#tell((each) => each.progress(id, value))
    } else if (kind === "completed") {
      this.#ended(id, parsed(fields["returnvalue"]), (each, outcome) => each.completed(id, outcome))
    } else if (kind === "failed") {
      this.#ended(id, fields["failedReason"], (each, reason) => each.failed(id, reason))
    }
  }

  /**
   * Looks up an outcome that is not in the event, even if its time is over: listeners of small outcomes get them, too.
   * If it is gone by then, the listeners get `gap` and look up themselves.
   */
  #ended(id: string, text: unknown, tell: (each: EngineListener, outcome: string) => void): void {
    if (typeof text === "string" && text !== LARGE.mark) {
      this.#tell((each) => tell(each, fromStorable(text)))
      return
    }
    this.find([id], true).then(
      ([job]) => this.#tell((each) => (job?.outcome === undefined ? each.gap() : tell(each, job.outcome))),
      (error: unknown) => {
        this.error(error)
        this.#tell((each) => each.gap())
      },
    )
  }

  /** Measures the clock again: another server may have replaced this one. */
  #gap(): void {
    this.#clock.measure().catch((error: unknown) => this.error(error))
    this.#tell((each) => each.gap())
  }

  #tell(call: (each: EngineListener) => void): void {
    if (this.#closing !== undefined) return
    for (const listener of this.#listeners) call(listener)
  }

  // ------------------------------------------------------------------ old outcomes

  /** Every process that runs jobs removes old outcomes, at random times. */
  #cleanLater(after: number): void {
    if (this.#closing !== undefined) return
    runtime.stopTimeout(this.#cleaning)
    const again = (): void => this.#cleanLater(CLEANING * (0.5 + Math.random()))
    this.#cleaning = runtime.startTimeout(() => {
      this.#store.clean().then(again, (error: unknown) => {
        this.error(error)
        again()
      })
    }, after)
    this.#cleaning.unref()
  }
}

interface NodeNote {
  readonly until: number
  readonly node: NodeRecord
}

function isNodeNote(note: unknown): note is NodeNote {
  const node = propertyOf(note, "node")
  return typeof propertyOf(note, "until") === "number" && typeof propertyOf(node, "id") === "string"
}

function isMessage(message: unknown): message is ControlMessage {
  return typeof propertyOf(message, "kind") === "string" && typeof propertyOf(message, "id") === "string"
}

function recordOf(id: string, job: StoredJob): JobRecord {
  const { name, dueAt, returned, reason, progress } = job
  // Another program may have written any value.
  const data: unknown = job.data
  const { outcome, ...rest } = (typeof data === "object" && data !== null ? data : {}) as StoredData
  const state = stateOf(job.state)
  const text = state === "completed" ? returned : state === "failed" ? reason : undefined
  return {
    id,
    name,
    data: rest,
    state,
    dueAt: state === "delayed" ? dueAt : undefined,
    outcome: text === undefined ? undefined : fromStorable(text === LARGE.mark ? textIn(outcome) : text),
    progress,
  }
}

function stateOf(state: string): JobState {
  if (state === "delayed" || state === "active" || state === "completed" || state === "failed") return state
  return "waiting"
}
