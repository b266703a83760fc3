import { load } from "#atomics"
import { isInspected } from "#host/threads/workers"
import { isPaused } from "../../core/control-word.ts"
import type { Chore } from "../../memory/flow/chores.ts"
import type { Bell } from "../../memory/wait/bell.ts"
import { TERMINATE_AFTER } from "../../thread/platform-threads.ts"
import { now, Timer } from "../../time/timer.ts"
import { DONE, WORKER } from "../memory/layout.ts"
import type { PoolMemory } from "../memory/pool-memory.ts"
import type { SharedWorker } from "../memory/workers/shared-worker.ts"
import { entryOf, POOL, RUNNING } from "../memory/workers/worker-line.ts"
import type { WorkerBody } from "../start/thread-body.ts"

/**
 * In ms: the time between two looks while a worker is in corepool's own code. While no worker is, the time doubles with
 * each look.
 */
const PAUSE = 1_000
const LONGEST_PAUSE = 8_000

/** In ms: a thread is ended when its worker has been in the same stretch of that code for at least this time. */
const PATIENCE = 5_000

/** What was seen of a worker. */
interface Sighting {
  readonly stretch: string
  /** For how long it has been there, by the pauses between the looks: a suspended process does not count. */
  readonly since: number
}

/**
 * Ends threads that are held up in corepool's own code, between two tasks: a task has replaced a built-in method that
 * this code calls by one that does not return. Otherwise the tasks that wait for the thread would wait for ever.
 *
 * Such a thread can say nothing. So the owner looks: rarely, and only while tasks are pending or the pool is to end. A
 * thread writes down when it begins a stretch of corepool's own code, and when it goes on to a task, sleeps, or
 * returns to its event loop, where code that tasks have left behind may take its time. A stretch takes microseconds.
 *
 * The thread is ended, and that is all: what follows is the death of a thread, which may happen at any step.
 */
export class HeldUpThreads implements Chore {
  readonly #memory: PoolMemory
  readonly #workers: Iterable<SharedWorker>
  readonly #bodyOf: (worker: SharedWorker) => WorkerBody | undefined
  readonly #bell: Bell
  /** By the number of the worker. */
  #seen = new Map<number, Sighting>()
  #timer: Timer | undefined
  #pause = PAUSE
  #due = 0

  constructor(
    memory: PoolMemory,
    workers: Iterable<SharedWorker>,
    bodyOf: (worker: SharedWorker) => WorkerBody | undefined,
    bell: Bell,
  ) {
    this.#memory = memory
    this.#workers = workers
    this.#bodyOf = bodyOf
    this.#bell = bell
    this.#bell.onHold = this.#begin
  }

  /** The pool has ended. */
  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#seen.clear()
    this.#memory.threadContext.chores.delete(this)
    this.#bell.onHold = this.#begin
  }

  /**
   * A timer that is under way when nothing is pending any more stays: the next task may well come before it fires. So
   * submissions need not call this while there is a timer.
   */
  readonly #begin = (): void => {
    this.#bell.onHold = undefined
    this.#pause = PAUSE
    this.#wind()
    this.#memory.threadContext.chores.add(this)
  }

  #wind(): void {
    this.#timer?.cancel()
    this.#due = now() + this.#pause
    this.#timer = new Timer(this.#pause, true, () => this.run())
  }

  get dueIn(): number {
    return this.#due - now()
  }

  run(): void {
    if (!this.#bell.isVital) {
      this.stop()
      return
    }
    this.#seen = isPaused(this.#memory.state.control.snapshot) ? new Map<number, Sighting>() : this.#look()
    this.#pause = this.#seen.size > 0 ? PAUSE : Math.min(2 * this.#pause, LONGEST_PAUSE)
    this.#wind()
  }

  #look(): Map<number, Sighting> {
    const seen = new Map<number, Sighting>()
    for (const worker of this.#workers) {
      const { number } = worker
      const stretch = this.#stretchOf(worker)
      if (stretch === "") continue
      const before = this.#seen.get(number)
      const since = before?.stretch === stretch ? before.since + this.#pause : 0
      const body = this.#bodyOf(worker)
      if (since >= patienceWith(body) && !isInspected() && worker.markHeldUp()) body?.endHeldUp()
      else seen.set(number, { stretch, since })
    }
    return seen
  }

  /**
   * The stretch of corepool's own code in which the worker is, as a text that no other stretch has. Empty if there is
   * none, if the worker waits for a hook there, or if it is in user code.
   */
  #stretchOf({ number, status, token, asked }: SharedWorker): string {
    if (status !== RUNNING || (asked !== 0 && asked < DONE)) return ""
    const { words, threadContext } = this.#memory
    return load(words, entryOf(number) + WORKER.PHASE) > POOL ? "" : threadContext.registry.stretchOf(token)
  }
}

/** As long as a task that does not stop has, if that is longer. */
function patienceWith(body: WorkerBody | undefined): number {
  return Math.max(body?.options.terminateAfter ?? TERMINATE_AFTER, PATIENCE)
}
