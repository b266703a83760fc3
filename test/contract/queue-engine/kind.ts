/** What the suite needs of an engine, and what its tests have in common. */
import { randomUUID } from "node:crypto"
import type {
  ClaimedJob,
  Consumer,
  Engine,
  EngineListener,
  EngineQueue,
  JobEnd,
  JobOrder,
} from "#src/distributed/job/engine.js"
import type { JobData } from "#src/distributed/job/job-data.js"

/** The lock of a node that loses it in a test, which waits for that. */
export const BRIEF = 3000
/** A lock that a node keeps for longer than it lasts, though it gets no processor for a second or two on a busy machine. */
export const LOCK = 5000
export const LONGER_THAN_LOCK = 11_000

/** What users do not see of an engine. */
interface OpenableEngine extends Engine {
  open(queue: string, role: "executor" | "node"): Promise<EngineQueue>
}

export interface EngineKind {
  readonly name: string
  /** An engine whose queues no other test file uses. The same engine each time, or another on the same place. */
  readonly open: () => Promise<Engine>
  /** Source text of an expression that gives an engine on the same place in another process; without it there is none. */
  readonly inAnotherProcess?: () => Promise<string>
  /** Cuts all connections to the server; without it there are none. */
  readonly cutConnections?: () => Promise<void>
}

/** Something that a listener heard. */
export type Heard =
  | { readonly kind: "active" | "removed"; readonly id: string }
  | { readonly kind: "completed" | "failed"; readonly id: string; readonly text: string }
  | { readonly kind: "delayed"; readonly id: string; readonly dueAt: number }
  | { readonly kind: "progress"; readonly id: string; readonly value: unknown }
  | { readonly kind: "control"; readonly id: string }
  | { readonly kind: "gap" | "error"; readonly id: "" }

/** Keeps all that it hears, and lets a test wait for something. */
export class Log implements EngineListener {
  readonly heard: Heard[] = []
  #changed: (() => void)[] = []

  active(id: string): void {
    this.#hear({ kind: "active", id })
  }

  completed(id: string, text: string): void {
    this.#hear({ kind: "completed", id, text })
  }

  failed(id: string, text: string): void {
    this.#hear({ kind: "failed", id, text })
  }

  removed(id: string): void {
    this.#hear({ kind: "removed", id })
  }

  delayed(id: string, dueAt: number): void {
    this.#hear({ kind: "delayed", id, dueAt })
  }

  progress(id: string, value: unknown): void {
    this.#hear({ kind: "progress", id, value })
  }

  control(message: { readonly id: string }): void {
    this.#hear({ kind: "control", id: message.id })
  }

  gap(): void {
    this.#hear({ kind: "gap", id: "" })
  }

  error(): void {
    this.#hear({ kind: "error", id: "" })
  }

  of(kind: Heard["kind"], id?: string): Heard[] {
    return this.heard.filter((each) => each.kind === kind && (id === undefined || each.id === id))
  }

  /** Is fulfilled when this was heard, before or after. */
  async hears(kind: Heard["kind"], id?: string): Promise<Heard> {
    await this.until(() => this.of(kind, id).length > 0)
    return this.of(kind, id)[0] as Heard
  }

  /** The connections of an executor do not keep the process of the test alive: the waiting does. */
  async until(condition: () => boolean): Promise<void> {
    const life = setInterval(() => undefined, 2 ** 31 - 1)
    try {
      while (!condition()) await new Promise<void>((resolve) => this.#changed.push(resolve))
    } finally {
      clearInterval(life)
    }
  }

  /** Looks at the conditions again. */
  stir(): void {
    const changed = this.#changed
    this.#changed = []
    for (const look of changed) look()
  }

  #hear(heard: Heard): void {
    this.heard.push(heard)
    this.stir()
  }
}

/** One queue, with the handles and consumers that a test has made. */
export class Lab implements AsyncDisposable {
  readonly #engine: OpenableEngine
  readonly queueName: string
  readonly #queues: EngineQueue[] = []
  readonly #consumers: Consumer[] = []

  constructor(engine: Engine, queueName = `q-${randomUUID()}`) {
    const openable: unknown = engine
    this.#engine = openable as OpenableEngine
    this.queueName = queueName
  }

  async open(role: "executor" | "node" = "executor"): Promise<EngineQueue> {
    const queue = await this.#engine.open(this.queueName, role)
    this.#queues.push(queue)
    return queue
  }

  /** A handle whose listener hears all. */
  async listening(): Promise<[EngineQueue, Log]> {
    const queue = await this.open()
    const log = new Log()
    await queue.listen(log)
    return [queue, log]
  }

  async consume(
    run: (job: ClaimedJob, consumer: Consumer) => Promise<JobEnd> | JobEnd,
    options: { concurrency?: number; lockDuration?: number; node?: string } = {},
  ): Promise<Consumer> {
    const queue = await this.open("node")
    const { concurrency = 1, lockDuration = 30_000, node = "node" } = options
    const consumer = await queue.consume({ node, concurrency, lockDuration, run: async (job, self) => run(job, self) })
    this.#consumers.push(consumer)
    return consumer
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#consumers.map((consumer) => consumer.drain()))
    await Promise.all(this.#queues.map((queue) => queue.close()))
  }
}

export function dataOf(args = "arguments"): JobData {
  return { v: 1, args, from: "test" }
}

export function order(id: string, options: Partial<JobOrder> = {}): JobOrder {
  return { id, name: "task", data: dataOf(), delay: 0, priority: 0, attempts: 1, keep: 3_600_000, ...options }
}

export const DONE: JobEnd = { kind: "completed", outcome: "done" }

/** A gate that is opened once. */
export class Gate {
  readonly opened: Promise<void>
  open: () => void = () => undefined

  constructor() {
    this.opened = new Promise((resolve) => (this.open = resolve))
  }
}
