import { MAX_VALUE, requireIterable, typeError } from "../checks.ts"
import { ForkJoinPool } from "../forkjoin/fork-join-pool.ts"
import { identityOf } from "../identity.ts"
import type { Times } from "../memory/structures/histogram.ts"
import { ENGINE, LABEL } from "../pool/internals.ts"
import { livePools } from "../pool/live-pools.ts"
import type { PoolEngine } from "../pool/engine/pool-engine.ts"
import { ThreadPoolExecutor } from "../pool/thread-pool-executor.ts"
import { ScheduledThreadPoolExecutor } from "../schedule/scheduled-thread-pool-executor.ts"

/** A pool whose figures can be reported. */
export type MeasuredPool = ThreadPoolExecutor | ForkJoinPool

/** Pools, or an object whose keys are their names. */
export type MeasuredPools = Iterable<MeasuredPool> | Readonly<Record<string, MeasuredPool>>

/** The given pools, or all that were made in this thread and have not terminated, with their names in reports. */
export function namedPools(pools?: MeasuredPools): (readonly [name: string, pool: MeasuredPool])[] {
  return pools === undefined ? ownNames(runningPools()) : namesOf(pools)
}

function runningPools(): MeasuredPool[] {
  return (livePools() as MeasuredPool[]).filter((pool) => !pool.isTerminated)
}

function namesOf(pools: MeasuredPools): [string, MeasuredPool][] {
  if (typeof pools !== "object" || pools === null) throw typeError("pools", "pools, or an object of them", pools)
  if (!(Symbol.iterator in pools)) return Object.entries(pools).map(([name, pool]) => [name, requirePool(pool)])
  return ownNames([...requireIterable("pools", pools)].map(requirePool))
}

function requirePool(pool: unknown): MeasuredPool {
  if (pool instanceof ThreadPoolExecutor || pool instanceof ForkJoinPool) return pool
  throw typeError("pools", "a ThreadPoolExecutor or a ForkJoinPool", pool)
}

/** A report must not have two pools of one name, so a name that occurs twice gets a number. */
function ownNames(pools: readonly MeasuredPool[]): [string, MeasuredPool][] {
  const used = new Map<string, number>()
  return pools.map((pool) => {
    const name = (pool instanceof ThreadPoolExecutor ? pool[LABEL] : undefined) ?? identityOf(pool)
    const count = (used.get(name) ?? 0) + 1
    used.set(name, count)
    return [count === 1 ? name : `${name}-${count}`, pool]
  })
}

/** What a pool does now and has done so far. What is absent does not exist, and is not reported. */
export interface PoolFacts {
  readonly threads: number
  readonly core: number
  readonly maximum?: number
  readonly active: number
  readonly queued: number
  readonly remaining?: number
  readonly completed?: number
  readonly rejected?: number
  readonly abandoned?: number
  /** Of a scheduled pool: runs that have begun, and those of a fixed rate that began when the next one was due. */
  readonly fired?: number
  readonly missed?: number
  readonly run?: Times
  readonly wait?: Times
  readonly lateness?: Times
  readonly steals?: number
  readonly running?: number
}

export function factsOf(pool: MeasuredPool): PoolFacts {
  if (pool instanceof ForkJoinPool) {
    return {
      threads: pool.poolSize,
      core: pool.parallelism,
      active: pool.activeThreadCount,
      running: pool.runningThreadCount,
      queued: pool.queuedTaskCount + pool.queuedSubmissionCount,
      steals: pool.stealCount,
    }
  }
  const { threads, active, queued, completed, rejected, abandoned, run, wait } = pool.stats()
  const { corePoolSize: core, maximumPoolSize: maximum } = pool
  const remaining = pool.queue.remainingCapacity
  return {
    ...{ threads, core, active, queued, completed, rejected, run },
    ...(pool.threadFactory.isVirtual ? { abandoned } : {}),
    ...(maximum < MAX_VALUE ? { maximum } : {}),
    ...(remaining + queued < MAX_VALUE ? { remaining } : {}),
    ...(pool instanceof ScheduledThreadPoolExecutor ? timesOf(pool, wait) : { wait }),
  }
}

function timesOf(pool: ScheduledThreadPoolExecutor, lateness: Times): Partial<PoolFacts> {
  const { state } = (pool as unknown as { readonly [ENGINE]: PoolEngine })[ENGINE]
  return { lateness, fired: lateness.count, missed: state.missed.value }
}
