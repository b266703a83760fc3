import { CAN_BE_JOINED, IS_RUNNING, RUN_HERE } from "../task/internals.ts"
import { compensator } from "../../memory/flow/waiting.ts"
import type { PoolCore } from "../../core/pool-core.ts"
import type { Worker } from "../../core/worker.ts"
import type { TaskQueue } from "../../platform/queue/task-queue.ts"
import { Channels } from "../../platform/transport/channels.ts"
import type { WorkerContext } from "../../platform/worker/worker-context.ts"
import { PreloadingRunner } from "../../platform/worker/worker-preload.ts"
import type { Orders } from "../../platform/start/worker-orders.ts"
import { mayHaveStores, runWithStores } from "../../executor/propagation.ts"
import type { ForkJoinTask } from "../task/fork-join-task.ts"
import { Forks } from "./forks.ts"
import { detach } from "./stray-code.ts"
import { thisThread } from "../task/this-thread.ts"

/**
 * How a worker of a ForkJoinPool runs the tasks it takes. It runs stolen and submitted tasks as any worker does. A task
 * that it has forked itself, and that was not stolen, is a plain call.
 */
export class ForkJoinRunner extends PreloadingRunner {
  readonly #context: WorkerContext
  #forks: Forks | undefined
  /** An asynchronous task that this worker has forked itself and now runs. */
  #own: ForkJoinTask<unknown> | undefined

  constructor(orders: Orders, context: WorkerContext) {
    super(orders, context)
    this.#context = context
  }

  /** The thread is about to begin, with the queue from which it takes tasks. */
  attend(queue: TaskQueue, core: PoolCore<number>): void {
    const context = this.#context
    if (queue.stealing?.own === undefined) return // more threads than places: it only steals
    this.#forks = new Forks({ ...context, queue, core, runner: this })
    thisThread.forks = this.#forks
    thisThread.queue = queue
    compensator.current = this.#forks.compensation
    context.self.onLeft = detach
    Channels.of(context.memory.threadContext).onAsk = (token) => this.#forks?.remind(token)
  }

  override begin(worker: Worker<number>, slot: number): PromiseLike<unknown> | undefined {
    const forks = this.#forks
    if (forks === undefined) return super.begin(worker, slot)
    const own = forks.beginOwn(slot)
    if (own !== undefined) return this.#beginOwn(forks, own, slot)
    const outer = forks.enter(slot)
    let pending: PromiseLike<unknown> | undefined
    try {
      pending = super.begin(worker, slot)
    } finally {
      if (pending === undefined || outer !== 0) forks.leave(outer)
    }
    return pending
  }

  #beginOwn(forks: Forks, own: ForkJoinTask<unknown>, slot: number): PromiseLike<unknown> | undefined {
    const { self } = this.#context
    self.enterUserCode()
    if (mayHaveStores()) runWithStores(forks.storesOf(slot), () => own[RUN_HERE]())
    else own[RUN_HERE]()
    if (own[IS_RUNNING]) {
      if (!own[CAN_BE_JOINED]) {
        this.#own = own
        return own.get().catch(() => undefined) // its error is its own
      }
      forks.finish(own)
    }
    self.leaveUserCode()
    forks.endOwn(slot)
    return undefined
  }

  override complete(slot: number, value: unknown): void {
    this.#settle(slot, () => super.complete(slot, value))
  }

  override fail(slot: number, error: unknown): void {
    this.#settle(slot, () => super.fail(slot, error))
  }

  #settle(slot: number, tell: () => void): void {
    if (this.#endOwn(slot)) return
    try {
      tell()
    } finally {
      this.#forks?.leave(0)
    }
  }

  #endOwn(slot: number): boolean {
    if (this.#own === undefined) return false
    const { self } = this.#context
    this.#own = undefined
    self.leaveUserCode()
    this.#forks?.endOwn(slot)
    return true
  }

  protected override discard(slot: number): void {
    this.#forks?.cancelParts()
    super.discard(slot)
  }

  /** Clears the claim afterwards: should this thread die later, the owner must not take the slot for claimed. */
  override runInside(slot: number, isBlocked = false): void {
    const { self } = this.#context
    super.runInside(slot, isBlocked)
    self.disclaim()
  }

  /** How long this worker waits for a task; undefined if the pool's keep-alive time applies. */
  get patience(): number | undefined {
    return this.#forks?.compensation.patienceWhenIdle
  }

  /** Outcomes of forked tasks can come back only to this thread, so it must not leave before they do. */
  protected override get hasNothingLeft(): boolean {
    return super.hasNothingLeft && this.#forks?.hasPartsOf() !== true
  }

  /** The thread is about to end. */
  end(): void {
    this.#forks?.compensation.left()
    this.#forks?.end()
  }
}
