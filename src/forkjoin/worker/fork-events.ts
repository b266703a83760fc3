import { currentFlow } from "../../memory/flow/flow.ts"
import { guarded } from "../../memory/flow/guard.ts"
import { noteBlocked, noteUnblocked } from "../../observing.ts"
import { IS_FORKED, OBSERVED } from "../../platform/memory/layout.ts"
import { isListening, type WorkerEvents } from "../../platform/memory/workers/worker-events.ts"
import type { StealingStore } from "../../platform/queue/stealing-store.ts"
import type { WorkerContext } from "../../platform/worker/worker-context.ts"
import { sharedNow } from "../../time/shared-clock.ts"
import type { ForkJoinTask } from "../task/fork-join-task.ts"
import { PORTABLE } from "../task/internals.ts"
import { type ForkWatch, thisThread } from "../task/this-thread.ts"

/**
 * In ms. Shorter runs of tasks that the thread has forked itself are left out: there may be a million of them a second,
 * and the ring has room for some thousands.
 */
const SHORTEST = 0.1

/**
 * Writes the events of forked tasks into the ring of this worker: each steal, and the longer runs of tasks that the
 * worker has forked itself. It checks for a listener when the worker takes a task, and not at each fork.
 */
export class ForkEvents implements ForkWatch {
  readonly #context: WorkerContext
  readonly #store: StealingStore
  readonly #events: WorkerEvents
  readonly #parentOf: (slot: number) => number

  /** `parentOf` gives the slot of the task that has forked the one in this slot. */
  constructor(context: WorkerContext, store: StealingStore, events: WorkerEvents, parentOf: (slot: number) => number) {
    this.#context = context
    this.#store = store
    this.#events = events
    this.#parentOf = parentOf
  }

  /** The worker has taken this task, which it has not forked itself, and is about to begin it. */
  taken(slot: number): void {
    const { memory, tasks } = this.#context
    const isOn = isListening(memory)
    thisThread.watch = isOn ? this : undefined
    if (!tasks.hasFlag(slot, IS_FORKED)) return
    tasks.setFlag(slot, OBSERVED, isOn)
    const victim = isOn ? this.#store.victimOf(slot) : 0
    if (victim !== 0) this.#events.stole(slot, tasks, victim, this.#parentOf(slot))
  }

  now(): number {
    return sharedNow()
  }

  ran(start: number, task: ForkJoinTask<unknown>, failed: boolean): void {
    const end = sharedNow()
    if (end - start < SHORTEST) return
    // A task as an object names its function by its fields, which may be getters of the program.
    guarded(() => this.#events.ran(start, end, this.#context.functions.numberOf(task[PORTABLE]().fn), failed))
  }
}

/** The worker is about to sleep until a forked task is over. Returns what to call when it is awake again. */
export function noteSleep(): (() => void) | undefined {
  const { owner } = currentFlow()
  return noteBlocked(owner, "ForkJoinTask") ? () => noteUnblocked(owner, "ForkJoinTask") : undefined
}
