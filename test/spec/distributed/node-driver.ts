/**
 * Nodes on an engine in memory, for tests, and the other side of the queue: a process that adds jobs and hears what becomes of them.
 *
 *     await using driver = await Driver.open()
 *     const node = await driver.start({ tasks, executor })
 *     const job = await driver.add("add", [1, 2])
 *     assert.deepEqual(await job.end, { kind: "completed", value: 3 })
 *
 * At the end all nodes are closed, and an error that a node has told of and the test has not taken fails the test.
 */
import { Executors, type ExecutorService, platformThreads, virtualThreads } from "corepool"
import type { ControlMessage, Engine, EngineQueue, JobOrder } from "#src/distributed/job/engine.js"
import { ExecutorNode } from "#src/distributed/node/executor-node.js"
import { decodeFailure, type FailureKind } from "#src/distributed/job/failure.js"
import type { JobData } from "#src/distributed/job/job-data.js"
import type { ExecutorNodeOptions, NodeErrorContext } from "#src/distributed/node/node-options.js"
import { decodeResult, encodeArguments } from "#src/distributed/job/payload.js"
import assert from "node:assert/strict"
import { eventually } from "../../support/harness.ts"
import { reserve, words } from "../../support/inherited-words.ts"
import { MemoryEngine, type MemoryEngineOptions } from "../../support/memory-engine.ts"
import type { MemoryJob } from "../../support/memory-store.ts"
import * as tasks from "./node-tasks.ts"

export type End =
  | { readonly kind: "completed"; readonly value: unknown }
  | { readonly kind: "failed"; readonly failure: FailureKind; readonly error: unknown }
  | { readonly kind: "removed" }

export interface DrivenJob {
  readonly id: string
  /** What it came to, as all processes are told. */
  readonly end: Promise<End>
  /** All ends that were told of it: there must never be a second one. */
  readonly ends: End[]
  /** What it has reported, in order. */
  readonly progress: unknown[]
  /** How often a node has begun it. */
  readonly starts: () => number
  /** When it was put off until, each time. */
  readonly delays: number[]
  cancel(interrupt?: boolean): Promise<void>
  /** As the engine has it. */
  readonly stored: () => MemoryJob | undefined
}

export interface Reported {
  readonly error: unknown
  readonly context: NodeErrorContext
}

interface Heard extends DrivenJob {
  begun: number
  tell(end: End): void
}

export const QUEUE = "tests"

export class Driver<E extends Engine = MemoryEngine> implements AsyncDisposable {
  readonly engine: E
  readonly #queue: EngineQueue
  readonly #jobs = new Map<string, Heard>()
  readonly #nodes: ExecutorNode[] = []
  readonly #executors: ExecutorService[] = []
  #reported: Reported[] = []
  #lastId = 0

  private constructor(engine: E, queue: EngineQueue) {
    this.engine = engine
    this.#queue = queue
  }

  static open(options: MemoryEngineOptions = {}): Promise<Driver> {
    return Driver.on(new MemoryEngine(options))
  }

  /** The same on another engine. */
  static async on<E extends Engine>(engine: E): Promise<Driver<E>> {
    const { open } = engine as unknown as Pick<MemoryEngine, "open"> // of no concern to users, and not in the types
    const driver = new Driver(engine, await open.call(engine as never, QUEUE, "executor"))
    await driver.#listen()
    return driver
  }

  /** A node of this queue; by default with the tasks of node-tasks.ts on two virtual threads. */
  async start(options: Partial<ExecutorNodeOptions> = {}): Promise<ExecutorNode> {
    const node = await ExecutorNode.start({
      name: QUEUE,
      engine: this.engine,
      tasks,
      executor: options.executor ?? this.virtual(2),
      nodeName: "node",
      onError: (error, context) => this.#reported.push({ error, context }),
      ...options,
    })
    this.#nodes.push(node)
    return node
  }

  virtual(size: number): ExecutorService {
    return this.adopt(Executors.newFixedThreadPool(size, virtualThreads()))
  }

  /** Without `terminateAfter` only its interrupt ends a task, however long that takes on a busy machine. */
  platform(size: number, terminateAfter = Infinity): ExecutorService {
    return this.adopt(Executors.newFixedThreadPool(size, platformThreads({ terminateAfter })))
  }

  adopt<S extends ExecutorService>(executor: S): S {
    this.#executors.push(executor)
    return executor
  }

  // ------------------------------------------------------------------ jobs

  async add(
    name: string,
    args: readonly unknown[] = [],
    { data = {}, ...order }: { data?: Partial<JobData> } & Partial<Omit<JobOrder, "data">> = {},
  ): Promise<DrivenJob> {
    const id = order.id ?? `job-${++this.#lastId}`
    const job = this.#hear(id)
    await this.#queue.add([
      {
        id,
        name,
        data: { v: 1, args: encodeArguments(name, args), from: "driver", ...data },
        delay: 0,
        priority: 0,
        attempts: 1,
        keep: 60_000,
        ...order,
      },
    ])
    return job
  }

  /** Waits for the end of a job and gives its value; throws what it has failed with. */
  async valueOf(name: string, args: readonly unknown[] = [], order?: Parameters<Driver["add"]>[2]): Promise<unknown> {
    const job = await this.add(name, args, order)
    const end = await job.end
    if (end.kind === "completed") return end.value
    throw end.kind === "failed" ? end.error : new Error("removed")
  }

  /** The errors that nodes have told of since the last call. */
  takeErrors(): Reported[] {
    const taken = this.#reported
    this.#reported = []
    return taken
  }

  get errors(): readonly Reported[] {
    return this.#reported
  }

  /** Marks a job as cancelled. */
  async mark(id: string): Promise<void> {
    const [found] = await this.#queue.find([id])
    if (found !== undefined) await this.#queue.update(id, { ...found.data, cancelled: true })
  }

  publish(message: ControlMessage): Promise<void> {
    return this.#queue.publish(message)
  }

  nodes(): ReturnType<EngineQueue["nodes"]> {
    return this.#queue.nodes()
  }

  #hear(id: string): DrivenJob {
    let resolve: (end: End) => void = () => undefined
    const ends: End[] = []
    const heard: Heard = {
      id,
      end: new Promise<End>((settle) => (resolve = settle)),
      ends,
      progress: [],
      begun: 0,
      starts: () => heard.begun,
      delays: [],
      tell(end) {
        ends.push(end)
        resolve(end)
      },
      // As a handle does: the mark first, and then the message.
      cancel: async (interrupt = true) => {
        if (await this.#queue.remove(id)) return
        await this.mark(id)
        await this.#queue.publish({ kind: "cancel", id, interrupt })
      },
      stored: () =>
        this.engine instanceof MemoryEngine ? this.engine.jobs(QUEUE).find(({ order }) => order.id === id) : undefined,
    }
    this.#jobs.set(id, heard)
    return heard
  }

  async #listen(): Promise<void> {
    await this.#queue.listen({
      active: (id) => {
        const job = this.#jobs.get(id)
        if (job !== undefined) job.begun++
      },
      completed: (id, outcome) => {
        this.#jobs.get(id)?.tell({ kind: "completed", value: decodeResult("task", outcome) })
      },
      failed: (id, reason) => {
        const { kind, error } = decodeFailure(reason)
        this.#jobs.get(id)?.tell({ kind: "failed", failure: kind, error })
      },
      removed: (id) => this.#jobs.get(id)?.tell({ kind: "removed" }),
      delayed: (id, dueAt) => this.#jobs.get(id)?.delays.push(dueAt),
      progress: (id, value) => this.#jobs.get(id)?.progress.push(value),
      control: () => undefined,
      gap: () => undefined,
      error: (error) => this.#reported.push({ error, context: { node: "driver" } }),
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of this.#nodes) await node.close(0)
    for (const executor of this.#executors) {
      executor.shutdownNow()
      await executor.close()
    }
    await this.#queue.close()
    assert.deepEqual(this.takeErrors(), [], "nodes have told of errors that the test did not expect")
  }
}

/** Tests that hold on both kinds of threads run on each. */
export const KINDS = ["virtual", "platform"] as const

/** For tasks that say that they are there, wait, and say that they have left: `pass`, `awaitInterrupt`, `spin`. With `using`. */
export class NodeGate implements Disposable {
  readonly index: number = reserve(3)

  get arrived(): number {
    return Atomics.load(words, this.index)
  }

  get left(): number {
    return Atomics.load(words, this.index + 2)
  }

  async reached(count = 1): Promise<void> {
    await eventually(() => this.arrived >= count)
  }

  open(): void {
    Atomics.store(words, this.index + 1, 1)
  }

  [Symbol.dispose](): void {
    this.open()
  }
}

/** How often `count` or `failTimes` was called. */
export class Calls {
  readonly index: number = reserve(1)

  get value(): number {
    return Atomics.load(words, this.index)
  }
}
