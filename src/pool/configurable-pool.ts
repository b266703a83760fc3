import { ENGINE, LABEL } from "./internals.ts"
import { rangeError, requireBoolean, requireDuration, requireInteger } from "../checks.ts"
import { AbstractExecutorService } from "../executor/service/abstract-executor-service.ts"
import { identityOf } from "../identity.ts"
import { FACTS, type Facts } from "../inspection.ts"
import { atLeast, isPaused, SHUTDOWN, TERMINATED, TIDYING } from "../core/control-word.ts"
import { EAGER } from "../core/pool-state.ts"
import type { RateLimiter } from "../sync/rate-limiter.ts"
import type { PoolEngine } from "./engine/pool-engine.ts"
import type { Capabilities } from "./engine/capabilities.ts"
import type { Growth, PoolStats } from "./thread-pool-options.ts"

/** The sizes and times of a pool, all of which can be changed while it runs, and its statistics. */
export abstract class ConfigurablePool extends AbstractExecutorService {
  /** @internal */
  protected abstract get [ENGINE](): PoolEngine

  /** @internal The name of the pool, if it has one. */
  abstract get [LABEL](): string | undefined

  // ------------------------------------------------------------------ sizes and times

  get corePoolSize(): number {
    return this[ENGINE].state.corePoolSize
  }

  /** Raising it starts threads for what is queued; lowering it lets idle threads go. */
  set corePoolSize(size: number) {
    const { [ENGINE]: engine } = this
    const { state, queue } = engine
    const maximum = state.maximumPoolSize
    requireInteger("corePoolSize", size, 0)
    if (size > maximum) throw rangeError("corePoolSize", `an integer ≤ maximumPoolSize (${maximum})`, size)
    const growth = size - state.corePoolSize
    state.corePoolSize = size
    if (state.control.workerCount > size) {
      engine.interruptIdleWorkers()
      return
    }
    // How many threads the new size needs is unknown: starts one for each waiting task, and stops once the queue is
    // empty.
    for (let wanted = Math.min(growth, queue.size); wanted > 0; wanted--) {
      if (!engine.addWorker("core") || queue.isEmpty) return
    }
  }

  get maximumPoolSize(): number {
    return this[ENGINE].state.maximumPoolSize
  }

  /**
   * Lowering it lets surplus threads go as soon as they have no task in hand. Raising it starts threads for what is
   * queued, if the pool grows eagerly.
   */
  set maximumPoolSize(size: number) {
    const { [ENGINE]: engine } = this
    const { state } = engine
    const core = state.corePoolSize
    requireInteger("maximumPoolSize", size, 1)
    requireInteger("maximumPoolSize", size, core, `corePoolSize (${core})`)
    state.maximumPoolSize = size
    if (state.control.workerCount > size) engine.interruptIdleWorkers()
    else if (state.hasPolicy(EAGER)) engine.grow()
  }

  /** Whether a task that finds no idle thread waits (`"lazy"`) or gets a new thread if there may be one (`"eager"`). */
  get growth(): Growth {
    return this[ENGINE].state.hasPolicy(EAGER) ? "eager" : "lazy"
  }

  /** At whose pace tasks begin; undefined if they begin as soon as a thread is free. */
  get rateLimiter(): RateLimiter | undefined {
    return this[ENGINE].rateLimiter
  }

  get keepAliveTime(): number {
    return this[ENGINE].state.keepAliveTime
  }

  /** A shorter time applies at once to threads that are idle now. */
  set keepAliveTime(ms: number) {
    requireDuration("keepAliveTime", ms)
    if (ms === 0 && this.allowCoreThreadTimeOut) {
      throw rangeError("keepAliveTime", "> 0 while allowCoreThreadTimeOut is on", ms)
    }
    const { state } = this[ENGINE]
    const shorter = ms < state.keepAliveTime
    state.keepAliveTime = ms
    if (shorter) this[ENGINE].interruptIdleWorkers()
  }

  /** Whether core threads leave too after `keepAliveTime` ms without work. Needs a `keepAliveTime` above 0. */
  get allowCoreThreadTimeOut(): boolean {
    return this[ENGINE].state.allowCoreThreadTimeOut
  }

  set allowCoreThreadTimeOut(allow: boolean) {
    requireBoolean("allowCoreThreadTimeOut", allow)
    const { state } = this[ENGINE]
    if (allow && state.keepAliveTime === 0) {
      throw rangeError("allowCoreThreadTimeOut", "false while keepAliveTime is 0", allow)
    }
    if (allow === state.allowCoreThreadTimeOut) return
    state.allowCoreThreadTimeOut = allow
    if (allow) this[ENGINE].interruptIdleWorkers()
  }

  /** Starts one core thread ahead of its first task; false if all are there. */
  prestartCoreThread(): boolean {
    const { state } = this[ENGINE]
    return state.control.workerCount < state.corePoolSize && this[ENGINE].addWorker("core")
  }

  /** Starts all core threads; how many were missing. */
  prestartAllCoreThreads(): number {
    let started = 0
    while (this[ENGINE].addWorker("core")) started++
    return started
  }

  // ------------------------------------------------------------------ pause

  /**
   * Begins no more tasks until `resume()`. Tasks that run go on; a task that has been given to a thread and has not
   * begun waits there. While the pool is paused, new tasks are queued and no thread is started for them, as long as the
   * queue has room. Any thread that has the pool may pause and resume it. A task on a platform thread that waits for
   * another task of its own pool still runs that task itself.
   *
   * `shutdown()` does not end the pause: the queued tasks wait for `resume()`. `shutdownNow()` and `close()` do. No
   * effect on a pool that is paused, or has been stopped by `shutdownNow()`.
   */
  override pause(): void {
    this[ENGINE].pause()
  }

  /** Begins tasks again. No effect on a pool that is not paused. */
  override resume(): void {
    this[ENGINE].resume()
  }

  /** Whether the pool is paused. */
  override get isPaused(): boolean {
    return isPaused(this[ENGINE].state.control.snapshot)
  }

  // ------------------------------------------------------------------ statistics

  /** How many threads there are. */
  get poolSize(): number {
    return atLeast(this[ENGINE].state.control.snapshot, TIDYING) ? 0 : this[ENGINE].poolSize
  }

  /** How many threads have a task in hand. */
  get activeCount(): number {
    return this[ENGINE].activeCount
  }

  /** The most threads that there ever were at the same time. */
  get largestPoolSize(): number {
    return this[ENGINE].state.largestPoolSize
  }

  /** How many tasks are over, however they ended. */
  get completedTaskCount(): number {
    return this[ENGINE].completedTaskCount
  }

  /** How many tasks were ever accepted: completed, running and waiting. */
  get taskCount(): number {
    return this.completedTaskCount + this.activeCount + this[ENGINE].queue.size
  }

  /** What the pool does now, and how long its tasks have waited and run so far; times in ms. */
  stats(): PoolStats {
    const { times } = this[ENGINE]
    return {
      threads: this.poolSize,
      active: this.activeCount,
      queued: this[ENGINE].queue.size,
      completed: this.completedTaskCount,
      rejected: this[ENGINE].state.rejected.value,
      abandoned: this[ENGINE].abandoned ?? 0,
      wait: times.wait.times,
      run: times.run.times,
    }
  }

  /** What the threads of this pool can do. */
  get capabilities(): Capabilities {
    return this[ENGINE].capabilities
  }

  /** @internal */
  override get [FACTS](): Facts {
    const { poolSize, activeCount, completedTaskCount } = this
    return {
      name: this[LABEL],
      ...super[FACTS],
      poolSize,
      activeCount,
      queued: this[ENGINE].queue.size,
      completedTaskCount,
    }
  }

  /** State, sizes and counts, as in Java. */
  override toString(): string {
    const seen = this[ENGINE].state.control.snapshot
    const state = !atLeast(seen, SHUTDOWN) ? "Running" : atLeast(seen, TERMINATED) ? "Terminated" : "Shutting down"
    return (
      `${this[LABEL] ?? identityOf(this)}[${state}, pool size = ${this[ENGINE].poolSize}, ` +
      `active threads = ${this.activeCount}, queued tasks = ${this[ENGINE].queue.size}, ` +
      `completed tasks = ${this.completedTaskCount}]`
    )
  }
}
