import { store } from "#atomics"
import { COMPLETING } from "../../future/task-state.ts"
import { flows } from "../../memory/flow/flow.ts"
import type { ThreadContext } from "../../memory/thread/thread-context.ts"
import { isInstance } from "../../user-values.ts"
import { requireFit } from "./fitness.ts"
import type { PoolMemory } from "../memory/pool-memory.ts"
import type { SharedWorker } from "../memory/workers/shared-worker.ts"
import { SlotRunner } from "./slot-runner.ts"
import { Wear } from "./wear.ts"
import type { WorkerContext } from "./worker-context.ts"
import { WorkerEnd } from "./worker-hooks.ts"
import { BROKEN, FAREWELL, type Orders, writeReason } from "../start/worker-orders.ts"

/**
 * Stops a worker thread when its own code fails.
 *
 * A task can break what its thread needs: a method of arrays that throws, `Math.min = undefined`. (Not by changing the
 * names of global objects: corepool keeps those that it needs, see tools/bundle/globals.ts.) Then the code of corepool
 * in this thread fails wherever it uses that, perhaps between the end of the task and the moment when its outcome is
 * written. Such a thread cannot be relied on for anything. So it stops where it is, with all its tasks, and writes that
 * and the reason into shared memory, for which it needs no built-in object. The owner of the pool treats that as the
 * death of the thread: its tasks fail with ThreadDeathError, and the pool gets another thread.
 *
 * An error that ends a worker in order, that of a command or of a hook, is a {@link WorkerEnd}. Any other error is such
 * a failure.
 */
export class StoppingRunner extends SlotRunner {
  readonly #progress: Int32Array
  readonly #memory: PoolMemory
  readonly #threadContext: ThreadContext
  readonly #self: SharedWorker
  readonly #wear: Wear | undefined
  /** Whether the worker wanted to leave and had to stay. */
  #isKept = false

  constructor({ progress, recycle }: Orders, context: WorkerContext) {
    super(context)
    this.#progress = progress
    this.#memory = context.memory
    this.#threadContext = context.memory.threadContext
    this.#self = context.self
    this.#wear = recycle && new Wear(context.self, recycle)
    flows.examine = (error) => this.#stopIfUnfit(error)
  }

  stopIfBroken(error: unknown): void {
    if (isInstance(error, WorkerEnd)) return
    writeReason(this.#progress, error)
    store(this.#progress, FAREWELL, BROKEN + 1)
    this.#threadContext.halt()
  }

  /**
   * A wait of this thread has failed to go on. If the thread is to blame, its worker or one of its tasks would wait for
   * ever.
   */
  #stopIfUnfit(error: unknown): void {
    try {
      requireFit(error)
    } catch (unfit) {
      this.stopIfBroken(unfit)
    }
  }

  stopIfLeft(): void {
    this.#threadContext.haltIfLeft()
  }

  get isSpent(): boolean {
    return this.#wear?.isSpent === true
  }

  /** A worker stays as long as tasks are under way beside its current one: they would end with the thread. */
  mayLeave(mustLeave: boolean): boolean {
    if (mustLeave) {
      this.#self.depart()
      this.runningTasks.cancelBeside()
    }
    this.#isKept = !mustLeave && !this.hasNothingLeft
    return !this.#isKept
  }

  protected get hasNothingLeft(): boolean {
    return this.runningTasks.isNoneBeside
  }

  /**
   * Something that kept the worker is over: the worker checks again whether to leave, unless it does so anyway after
   * its current task.
   */
  protected lookAgain(): void {
    if (this.#self.hasLeft) return
    if (this.#self.task === undefined && this.hasNothingLeft) this.#self.flow.interrupt()
  }

  /**
   * The worker has received parts that other workers had. If it has a current task, it tells the owner when that is
   * over.
   */
  hasSettled(): void {
    if (this.#self.task !== undefined) return
    this.#memory.ringIfIdle()
    if (this.#isKept) this.lookAgain()
  }

  override beforeExecute(): void {
    this.#threadContext.haltIfLeft()
    super.beforeExecute()
  }

  override runInside(slot: number, isBlocked = false): void {
    try {
      super.runInside(slot, isBlocked)
    } catch (error) {
      this.stopIfBroken(error) // not into the outer task
      throw error
    }
  }

  protected override async settleBeside(slot: number, pending: PromiseLike<unknown>): Promise<void> {
    try {
      await super.settleBeside(slot, pending)
      this.lookAgain() // a worker with a task beside is not notified of changes, as a busy one is not
    } catch (error) {
      if (this.tasks.stateOf(slot) <= COMPLETING) this.runningTasks.putBeside(slot) // where the owner finds it
      this.stopIfBroken(error)
      throw error
    }
  }
}
