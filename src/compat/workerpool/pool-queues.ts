import type { PoolExecOptions } from "./workerpool-options.ts"

/** A task of a pool, as a queue sees it. */
export interface PoolTask {
  /** The name of the method. */
  readonly method: string
  /** Its arguments. */
  readonly params: readonly unknown[]
  /** The options that were given to `exec`. */
  readonly options: PoolExecOptions | undefined
}

/** A queue for the tasks of a pool. */
export interface PoolTaskQueue {
  /** Adds a task. */
  push(task: PoolTask): void
  /** Takes the task that is to begin next. */
  pop(): PoolTask | undefined
  /** How many tasks are in it. */
  size(): number
  /** Whether the task is in it. */
  contains(task: PoolTask): boolean
  /** Takes all out. */
  clear(): void
}

/** First in, first out. */
export class FIFOQueue implements PoolTaskQueue {
  readonly #tasks = new Set<PoolTask>()

  push(task: PoolTask): void {
    this.#tasks.add(task)
  }

  pop(): PoolTask | undefined {
    const [task] = this.#tasks
    if (task !== undefined) this.#tasks.delete(task)
    return task
  }

  size(): number {
    return this.#tasks.size
  }

  contains(task: PoolTask): boolean {
    return this.#tasks.has(task)
  }

  clear(): void {
    this.#tasks.clear()
  }
}

/** Last in, first out. */
export class LIFOQueue implements PoolTaskQueue {
  readonly #tasks: PoolTask[] = []

  push(task: PoolTask): void {
    this.#tasks.push(task)
  }

  pop(): PoolTask | undefined {
    return this.#tasks.pop()
  }

  size(): number {
    return this.#tasks.length
  }

  contains(task: PoolTask): boolean {
    return this.#tasks.includes(task)
  }

  clear(): void {
    this.#tasks.length = 0
  }
}
