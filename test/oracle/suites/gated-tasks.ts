/**
 * The tasks of suite "threadpool". A task that runs on a pool's thread waits at its gate until it is told to
 * `release` or `fail`, or is interrupted; one that runs on the driver, or inside another task, returns at once. The
 * first word counts, and a word told before the task has started stays.
 */
import { type Future, InterruptedError, LinkedBlockingQueue, type Runnable, Thread } from "corepool"
import { flag, type JsonObject, maybeInteger, ScenarioError, string, strings } from "../json.ts"
import { OwnError } from "../results.ts"
import type { Journal } from "./journal.ts"

export class GatedTask {
  readonly name: string
  readonly priority: number
  /** Where it stands among all tasks. */
  readonly number: number
  readonly uninterruptible: boolean
  /** The tasks that it gives to the pool when it runs. */
  readonly spawns: readonly string[]
  readonly gate = new LinkedBlockingQueue<string>()
  /** What was given to `execute`. */
  runnable: Runnable | undefined
  /** What `submit` returned. */
  future: Future<unknown> | undefined
  started = false

  constructor(op: JsonObject, number: number) {
    this.name = string(op, "task")
    this.number = number
    this.priority = maybeInteger(op, "priority") ?? 0
    this.uninterruptible = flag(op, "uninterruptible")
    this.spawns = strings(op, "spawns")
  }
}

/** What is given to `execute`: has a natural order, by priority and then by number. */
export class OrderedRunnable {
  readonly #task: GatedTask
  readonly #body: (task: GatedTask) => unknown

  constructor(task: GatedTask, body: (task: GatedTask) => unknown) {
    this.#task = task
    this.#body = body
  }

  run(): unknown {
    return this.#body(this.#task)
  }

  compareTo(other: OrderedRunnable): number {
    return this.#task.priority - other.#task.priority || this.#task.number - other.#task.number
  }
}

export class GatedTasks {
  readonly #journal: Journal
  readonly #isPoolThread: (thread: Thread) => boolean
  readonly #execute: (task: GatedTask) => void
  readonly #tasks = new Map<string, GatedTask>()
  /** Threads inside a task. */
  readonly #occupied = new Set<Thread>()

  constructor(journal: Journal, isPoolThread: (thread: Thread) => boolean, execute: (task: GatedTask) => void) {
    this.#journal = journal
    this.#isPoolThread = isPoolThread
    this.#execute = execute
  }

  [Symbol.iterator](): Iterator<GatedTask> {
    return this.#tasks.values()
  }

  create(op: JsonObject): GatedTask {
    const task = new GatedTask(op, this.#tasks.size)
    if (this.#tasks.has(task.name)) throw new ScenarioError(`Two tasks are called ${task.name}`)
    this.#tasks.set(task.name, task)
    return task
  }

  /** The task that an op is about. */
  of(op: JsonObject): GatedTask {
    const task = this.#tasks.get(string(op, "task"))
    if (task === undefined) throw new ScenarioError(`No task in ${JSON.stringify(op)}`)
    return task
  }

  /** The body of every task. */
  run(task: GatedTask): unknown {
    const thread = Thread.currentThread()
    const calledDirectly = !this.#isPoolThread(thread) || this.#occupied.has(thread)
    this.#journal.started(task.name)
    task.started = true
    if (!calledDirectly) return this.#gated(task, thread)
    this.#journal.ended(task.name, "caller")
    return task.name
  }

  async #gated(task: GatedTask, thread: Thread): Promise<string> {
    this.#occupied.add(thread)
    try {
      for (const name of task.spawns) this.#spawn(name, task)
      const word = await this.#pass(task)
      this.#journal.ended(task.name, word === "release" ? "returned" : "threw")
      if (word !== "release") throw new OwnError(task.name)
      return task.name
    } finally {
      this.#occupied.delete(thread)
    }
  }

  #spawn(name: string, parent: GatedTask): void {
    const task = this.create({ task: name })
    try {
      this.#execute(task)
    } catch (error) {
      this.#journal.ended(parent.name, "threw")
      throw error
    }
  }

  async #pass(task: GatedTask): Promise<string> {
    for (;;) {
      try {
        return await task.gate.take()
      } catch (error) {
        if (!(error instanceof InterruptedError)) throw error
        if (task.uninterruptible) continue
        this.#journal.ended(task.name, "interrupted")
        throw new OwnError(`${task.name} interrupted`)
      }
    }
  }
}
