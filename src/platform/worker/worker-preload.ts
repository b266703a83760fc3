import { store } from "#atomics"
import { IllegalStateError } from "../../errors.ts"
import type { Worker } from "../../core/worker.ts"
import { whyNotLoaded } from "../../task/load-failure.ts"
import { loadModule } from "../../task/loading.ts"
import type { SharedWorker } from "../memory/workers/shared-worker.ts"
import { StoppingRunner } from "./stopping-runner.ts"
import type { WorkerContext } from "./worker-context.ts"
import { type Orders, PRELOADING, READY, STAGE } from "../start/worker-orders.ts"

/** Stands for the outcome of a task that the runner has settled already. */
class Settled {
  readonly #thrown: readonly unknown[]

  constructor(...thrown: unknown[]) {
    this.#thrown = thrown
  }

  /** Not by `instanceof`: that would call a proxy, if a task has returned one. */
  static is(value: unknown): value is Settled {
    return typeof value === "object" && value !== null && #thrown in value
  }

  /** What the runner has thrown, if anything: it ends the thread. */
  get thrown(): readonly unknown[] {
    return this.#thrown
  }
}

/**
 * Loads modules before the first task of a thread.
 *
 * If a module cannot be loaded, the thread lives on and fails its tasks with the reason. It does not die of it: its
 * successor would fail alike, and so would the next.
 *
 * A module may also end the thread, by `process.exit` or by using up its memory. Usually modules are loaded as soon as
 * the thread has begun, so that a pool can be warmed up. But once a thread has died of that, later threads wait until
 * they have a task, which then fails: otherwise threads would begin and die for ever, without any error.
 */
export class PreloadingRunner extends StoppingRunner {
  readonly #orders: Orders
  readonly #self: SharedWorker
  /** Whether a task can run at once. */
  #isReady = false
  #failure: IllegalStateError | undefined

  constructor(orders: Orders, context: WorkerContext) {
    super(orders, context)
    this.#orders = orders
    this.#self = context.self
    if (orders.preload.length === 0) this.#becomeReady()
  }

  /** Loads the modules, unless that has to wait for a task. */
  async prepare(): Promise<void> {
    if (!this.#isReady && !this.#orders.preloadsLate) await this.#load()
  }

  override begin(worker: Worker<number>, slot: number): PromiseLike<unknown> | undefined {
    return this.#isReady ? super.begin(worker, slot) : this.#prepareAndBegin(worker, slot)
  }

  async #prepareAndBegin(worker: Worker<number>, slot: number): Promise<unknown> {
    if (this.#failure === undefined) await this.#load()
    if (this.#failure !== undefined) {
      this.#self.enterUserCode() // fail() leaves user code
      throw this.#failure
    }
    let pending: PromiseLike<unknown> | undefined
    try {
      pending = super.begin(worker, slot)
    } catch (error) {
      return new Settled(error)
    }
    return pending === undefined ? new Settled() : await pending
  }

  override complete(slot: number, value: unknown): void {
    if (!Settled.is(value)) super.complete(slot, value)
    else if (value.thrown.length > 0) throw value.thrown[0]
  }

  async #load(): Promise<void> {
    store(this.#orders.progress, STAGE, PRELOADING)
    this.#self.enterUserCode()
    for (const module of this.#orders.preload) {
      try {
        await loadModule(module)
      } catch (cause) {
        this.#failure = new IllegalStateError(
          `Thread "${this.#orders.name}" runs no tasks, as it could not load a module that is to be preloaded, ${whyNotLoaded(module, cause)}`,
          { cause },
        )
        break
      }
    }
    this.#self.leaveUserCode()
    if (this.#failure === undefined) this.#becomeReady()
    else store(this.#orders.progress, STAGE, READY)
  }

  #becomeReady(): void {
    this.#isReady = true
    store(this.#orders.progress, STAGE, READY)
  }
}
