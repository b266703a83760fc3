import { compareAndSet, load, store, write } from "#atomics"
import type { WorkerTable, Worker } from "../../../core/worker.ts"
import { HEADER, MOST_WORKERS, WORKER } from "../layout.ts"
import type { PoolMemory } from "../pool-memory.ts"
import { SharedWorker } from "./shared-worker.ts"
import type { TaskRecords } from "../task-records.ts"
import { ENDING, entryOf, FREE, reservedBy, reserverIn, TEARDOWN } from "./worker-line.ts"

/** A task is missed only if its worker goes into another one, and comes out of it, in the midst of each look. */
const LOOKS = 4

/** Whether this word belongs to the line, and not to the worker that has it. */
function isCount(word: number): boolean {
  return word === WORKER.COMPLETED || word === WORKER.COMPLETED + 1
}

/**
 * The worker table: the workers of a pool, each on a thread of its own, with a line of shared memory for each
 * (shared-worker.ts), which every thread can read.
 */
export class SharedWorkerTable implements WorkerTable<number> {
  readonly #memory: PoolMemory
  readonly #start: (worker: SharedWorker) => void
  readonly #workers: (SharedWorker | undefined)[] = []
  /** In the thread of a worker: whether modules are to run when it leaves. */
  tearsDown = false

  /** `start` is how this thread gets a worker started that it has admitted. */
  constructor(memory: PoolMemory, start: (worker: SharedWorker) => void) {
    this.#memory = memory
    this.#start = start
  }

  /** How many workers there are. A worker whose line is only reserved may not come. */
  get size(): number {
    let size = 0
    for (const { status } of this) if (reserverIn(status) === 0) size++
    return size
  }

  /** How many workers have a task. */
  get activeCount(): number {
    let count = 0
    for (const worker of this) if (worker.isBusy) count++
    return count
  }

  /** How many tasks have been completed by all workers, including those that have left. */
  get completed(): number {
    let count = 0
    const last = this.#memory.header(HEADER.WORKERS)
    for (let number = 1; number <= last; number++) count += this.at(number).completed
    return count
  }

  /**
   * Reserves a line for a worker that will be made when it is started or requested; undefined if all lines are taken.
   */
  enlist(firstTask: number | undefined): SharedWorker | undefined {
    const { words, threadContext } = this.#memory
    const reserved = reservedBy(threadContext.token)
    for (let number = 1; number <= MOST_WORKERS; number++) {
      const entry = entryOf(number)
      if (load(words, entry + WORKER.STATUS) !== FREE) continue
      if (!compareAndSet(words, entry + WORKER.STATUS, FREE, reserved)) continue
      for (let word: number = WORKER.TOKEN; word < WORKER.SIZE; word++)
        if (!isCount(word)) write(words, entry + word, 0)
      write(words, entry + WORKER.COUNTED, load(words, entry + WORKER.COMPLETED))
      if (firstTask !== undefined) write(words, entry + WORKER.HANDLE, this.#memory.slots.handleOf(firstTask))
      store(words, entry + WORKER.TASK, firstTask ?? 0)
      this.#memory.raiseHeader(HEADER.WORKERS, number)
      return this.at(number)
    }
    return undefined
  }

  at(number: number): SharedWorker {
    return (this.#workers[number] ??= new SharedWorker(this.#memory, number, this.#start))
  }

  /**
   * The worker that runs the task, be it that it runs another one inside of it. A worker that has changed its task
   * meanwhile, because it went into one or came out of one, is looked at again. Not for ever: a worker with short tasks
   * always has.
   */
  runnerOf(slot: number, handle: number, tasks: TaskRecords): SharedWorker | undefined {
    for (const worker of this) {
      for (let look = 0; look < LOOKS; look++) {
        const { currentSlot: current, handle: before } = worker
        if (current === slot && before === handle) return worker
        if (worker.below !== 0 && tasks.isCurrent(handle) && tasks.linked(worker.below).has(slot)) return worker
        if (worker.currentSlot === current && worker.handle === before) break
      }
    }
    return undefined
  }

  /** The worker whose thread has this token. */
  ofThread(token: number): SharedWorker | undefined {
    for (const worker of this) if (worker.token === token) return worker
    return undefined
  }

  add(): void {} // enlist() has given it a line

  delete(worker: Worker<number>, leaves = false): void {
    ;(worker as SharedWorker).vacate(leaves && this.tearsDown ? TEARDOWN : FREE)
  }

  *[Symbol.iterator](): Generator<SharedWorker> {
    const { words } = this.#memory
    const last = this.#memory.header(HEADER.WORKERS)
    for (let number = 1; number <= last; number++) {
      const status = load(words, entryOf(number) + WORKER.STATUS)
      if (status !== FREE && status !== ENDING && status !== TEARDOWN) yield this.at(number)
    }
  }
}
