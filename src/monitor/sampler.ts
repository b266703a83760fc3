import { MAX_VALUE } from "../checks.ts"
import { ForkJoinPool } from "../forkjoin/fork-join-pool.ts"
import { FACTS, type Facts } from "../inspection.ts"
import { type Counts, quantileOf, type Recorder } from "../memory/structures/histogram.ts"
import { ENGINE } from "../pool/internals.ts"
import type { PoolEngine } from "../pool/engine/pool-engine.ts"
import type { MeasuredPool } from "../prometheus/pool-facts.ts"
import { ScheduledThreadPoolExecutor } from "../schedule/scheduled-thread-pool-executor.ts"
import type { ScheduledFuture } from "../schedule/scheduled-future.ts"
import { cut } from "./brevity.ts"
import type { ActionName, PoolLine, Quantiles, ScheduleLine } from "./wire.ts"

/** How many scheduled tasks a frame lists. */
const MOST_SCHEDULES = 100

/** What pools do now. Quantiles are those of the time since the last sample: of one client, so each has a sampler. */
export class Sampler {
  readonly #before = new WeakMap<Recorder, Counts>()
  readonly #ids: Ids

  constructor(ids: Ids) {
    this.#ids = ids
  }

  pool(name: string, pool: MeasuredPool): PoolLine {
    return pool instanceof ForkJoinPool ? this.#forkJoin(cut(name), pool) : this.#plain(cut(name), pool)
  }

  #forkJoin(name: string, pool: ForkJoinPool): PoolLine {
    return {
      id: this.#ids.of(pool),
      name,
      kind: "fork/join",
      state: stateOf(pool),
      threads: pool.poolSize,
      core: pool.parallelism,
      active: pool.activeThreadCount,
      queued: pool.queuedTaskCount + pool.queuedSubmissionCount,
      completed: 0,
      steals: pool.stealCount,
      actions: pool.isShutdown ? [switchOf(pool)] : ["shutdown", switchOf(pool)],
    }
  }

  #plain(name: string, pool: Exclude<MeasuredPool, ForkJoinPool>): PoolLine {
    const { times, queue } = (pool as unknown as { readonly [ENGINE]: PoolEngine })[ENGINE]
    const { maximumPoolSize: maximum, poolSize: threads, activeCount: active, completedTaskCount: completed } = pool
    const queued = queue.size
    const remaining = queue.remainingCapacity
    const wait = this.#since(pool instanceof ScheduledThreadPoolExecutor ? times.lateness : times.wait)
    const run = this.#since(times.run)
    const actions: ActionName[] = pool.isShutdown ? [] : ["resize", "shutdown"]
    actions.push(switchOf(pool))
    return {
      id: this.#ids.of(pool),
      name,
      kind: pool.threadFactory.isVirtual ? "virtual" : "platform",
      state: stateOf(pool),
      core: pool.corePoolSize,
      ...{ threads, active, queued, completed, actions },
      ...(maximum < MAX_VALUE ? { maximum } : {}),
      ...(remaining + queued < MAX_VALUE ? { remaining } : {}),
      ...(wait === undefined ? {} : { wait }),
      ...(run === undefined ? {} : { run }),
    }
  }

  #since(recorder: Recorder): Quantiles | undefined {
    const counts = [...recorder.counts]
    const before = this.#before.get(recorder)
    this.#before.set(recorder, counts)
    const fresh = Array.from(counts, (n = 0, at) => n - (before?.[at] ?? 0))
    const count = fresh.reduce((sum, n) => sum + n, 0)
    if (count <= 0) return undefined
    const quantile = (q: number): number => quantileOf(fresh, count, q)
    return { count, p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99) }
  }

  /** The tasks that wait for their times, the next ones first. */
  schedules(name: string, pool: MeasuredPool): { readonly listed: ScheduleLine[]; readonly more: number } {
    if (!(pool instanceof ScheduledThreadPoolExecutor)) return { listed: [], more: 0 }
    const waiting = pool.queue.toArray() as unknown as ScheduledFuture<unknown>[]
    const lines = waiting.slice(0, MOST_SCHEDULES).map((task): ScheduleLine => {
      const line = {
        id: this.#ids.of(task),
        pool: cut(name),
        name: cut(task.name ?? titleOfTask(task)),
        isPeriodic: task.isPeriodic,
      }
      const next = task.nextRunAt?.getTime()
      return next === undefined ? line : Object.assign(line, { next })
    })
    return {
      listed: lines.sort((a, b) => (a.next ?? Infinity) - (b.next ?? Infinity)),
      more: Math.max(0, waiting.length - MOST_SCHEDULES),
    }
  }
}

function stateOf(pool: MeasuredPool): PoolLine["state"] {
  if (pool.isTerminated) return "terminated"
  return pool.isPaused ? "paused" : pool.isShutdown ? "shutting down" : "running"
}

/** The name of the function that a queued task calls. */
function titleOfTask(task: object): string {
  const { [FACTS]: facts } = task as { readonly [FACTS]?: Facts }
  const name = facts?.["task"]
  return typeof name === "string" ? name : ""
}

/** Numbers by which clients name objects. An object is not kept alive by its number. */
export class Ids {
  readonly #numbers = new WeakMap<object, number>()
  readonly #objects = new Map<number, WeakRef<object>>()
  readonly #garbage = new FinalizationRegistry<number>((id) => this.#objects.delete(id))
  #last = 0

  of(object: object): number {
    const known = this.#numbers.get(object)
    if (known !== undefined) return known
    const id = ++this.#last
    this.#numbers.set(object, id)
    this.#objects.set(id, new WeakRef(object))
    this.#garbage.register(object, id)
    return id
  }

  find(id: number): object | undefined {
    return this.#objects.get(id)?.deref()
  }
}

/** What a client can do about the pause of a pool. */
function switchOf({ isPaused }: { readonly isPaused: boolean }): ActionName {
  return isPaused ? "resume" : "pause"
}
