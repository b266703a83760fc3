import { rangeError, requireBoolean, requireDuration, requireInteger } from "../checks.ts"
import { AbstractExecutorService } from "../executor/abstract-executor-service.ts"
import { identityOf } from "../identity.ts"
import { FACTS, type Facts } from "../inspection.ts"
import { atLeast, SHUTDOWN, TERMINATED, TIDYING } from "../core/control-word.ts"
import type { PoolEngine } from "./pool-engine.ts"
import type { Capabilities, PoolStats } from "./thread-pool-options.ts"

/** The sizes and times of a pool, all of which can be changed while it runs, and its statistics. */
export abstract class ConfigurablePool extends AbstractExecutorService {
  /** @internal */
  protected abstract get engine(): PoolEngine

  /** @internal The name of the pool, if it has one. */
  protected abstract get label(): string | undefined

  // ------------------------------------------------------------------ sizes and times

  get corePoolSize(): number {
    return this.engine.state.corePoolSize
  }

  /** Raising it starts threads for what is queued; lowering it lets idle threads go. */
  set corePoolSize(size: number) {
    const { engine } = this
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
    return this.engine.state.maximumPoolSize
  }

  /** Lowering it lets surplus threads go as soon as they have no task in hand. */
  set maximumPoolSize(size: number) {
    const { state } = this.engine
    const core = state.corePoolSize
    requireInteger("maximumPoolSize", size, 1)
    requireInteger("maximumPoolSize", size, core, `corePoolSize (${core})`)
    state.maximumPoolSize = size
    if (state.control.workerCount > size) this.engine.interruptIdleWorkers()
  }

  get keepAliveTime(): number {
    return this.engine.state.keepAliveTime
  }

  /** A shorter time applies at once to threads that are idle now. */
  set keepAliveTime(ms: number) {
    requireDuration("keepAliveTime", ms)
    if (ms === 0 && this.allowCoreThreadTimeOut) {
      throw rangeError("keepAliveTime", "> 0 while allowCoreThreadTimeOut is on", ms)
    }
    const { state } = this.engine
    const shorter = ms < state.keepAliveTime
    state.keepAliveTime = ms
    if (shorter) this.engine.interruptIdleWorkers()
  }

  /** Whether core threads leave too after `keepAliveTime` ms without work. Needs a `keepAliveTime` above 0. */
  get allowCoreThreadTimeOut(): boolean {
    return this.engine.state.allowCoreThreadTimeOut
  }

  set allowCoreThreadTimeOut(allow: boolean) {
    requireBoolean("allowCoreThreadTimeOut", allow)
    const { state } = this.engine
    if (allow && state.keepAliveTime === 0) {
      throw rangeError("allowCoreThreadTimeOut", "false while keepAliveTime is 0", allow)
    }
    if (allow === state.allowCoreThreadTimeOut) return
    state.allowCoreThreadTimeOut = allow
    if (allow) this.engine.interruptIdleWorkers()
  }

  /** Starts one core thread ahead of its first task; false if all are there. */
  prestartCoreThread(): boolean {
    const { state } = this.engine
    return state.control.workerCount < state.corePoolSize && this.engine.addWorker("core")
  }

  /** Starts all core threads; how many were missing. */
  prestartAllCoreThreads(): number {
    let started = 0
    while (this.engine.addWorker("core")) started++
    return started
  }

  // ------------------------------------------------------------------ statistics

  /** How many threads there are. */
  get poolSize(): number {
    return atLeast(this.engine.state.control.snapshot, TIDYING) ? 0 : this.engine.poolSize
  }

  /** How many threads have a task in hand. */
  get activeCount(): number {
    return this.engine.activeCount
  }

  /** The most threads that there ever were at the same time. */
  get largestPoolSize(): number {
    return this.engine.state.largestPoolSize
  }

  /** How many tasks are over, however they ended. */
  get completedTaskCount(): number {
    return this.engine.completedTaskCount
  }

  /** How many tasks were ever accepted: completed, running and waiting. */
  get taskCount(): number {
    return this.completedTaskCount + this.activeCount + this.engine.queue.size
  }

  /** What the pool does now, and how long its tasks have waited and run so far; times in ms. */
  stats(): PoolStats {
    const { times } = this.engine
    return {
      threads: this.poolSize,
      active: this.activeCount,
      queued: this.engine.queue.size,
      completed: this.completedTaskCount,
      wait: times.wait.times,
      run: times.run.times,
    }
  }

  /** What the threads of this pool can do. */
  get capabilities(): Capabilities {
    return this.engine.capabilities
  }

  /** @internal */
  override get [FACTS](): Facts {
    const { poolSize, activeCount, completedTaskCount } = this
    return {
      name: this.label,
      ...super[FACTS],
      poolSize,
      activeCount,
      queued: this.engine.queue.size,
      completedTaskCount,
    }
  }

  /** State, sizes and counts, as in Java. */
  override toString(): string {
    const seen = this.engine.state.control.snapshot
    const state = !atLeast(seen, SHUTDOWN) ? "Running" : atLeast(seen, TERMINATED) ? "Terminated" : "Shutting down"
    return (
      `${this.label ?? identityOf(this)}[${state}, pool size = ${this.engine.poolSize}, ` +
      `active threads = ${this.activeCount}, queued tasks = ${this.engine.queue.size}, ` +
      `completed tasks = ${this.completedTaskCount}]`
    )
  }
}
