import type { ObservedTask } from "./observed-task.ts"

/**
 * The tasks of a pool of platform threads, by the handles that stand for them in the rings of the pool. A settled task
 * is kept until the rings have been read once more, because the ring may still contain the end of its run.
 */
export class RingTasks {
  readonly #tasks = new Map<number, ObservedTask>()
  #settled: number[] = []

  add(task: ObservedTask): void {
    this.#tasks.set(task.handle, task)
  }

  find(handle: number): ObservedTask | undefined {
    return this.#tasks.get(handle)
  }

  settled(handle: number): void {
    this.#settled.push(handle)
  }

  /** The tasks that were settled since the last call. */
  takeSettled(): readonly number[] {
    const settled = this.#settled
    this.#settled = []
    return settled
  }

  /** Their runs have been read. */
  forget(handles: readonly number[]): void {
    for (const handle of handles) this.#tasks.delete(handle)
  }
}
