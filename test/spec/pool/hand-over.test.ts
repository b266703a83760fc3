/** Tasks that a queue without capacity has handed over to a thread, and whatever empties the queue of a pool. Rules: docs/spec/pool.md. */
import {
  type Future,
  platformThreads,
  RejectedExecutionError,
  SynchronousQueue,
  type ThreadPoolExecutor,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually } from "../../support/harness.ts"
import { type MakeFactory, Pools } from "../../support/pools.ts"
import { SharedCount } from "../../support/shared-words.ts"
import { handOver, handOverFromInside, type Operation, operations } from "./hand-over-tasks.ts"

/** After shutdownNow() the task runs interrupted, however long its thread takes to load the module. */
const patientThreads: MakeFactory = (options) => platformThreads({ ...options, terminateAfter: Infinity })

/** Of those that do not end the pool. */
const ROUNDS = 20

function submitIfIdle(pool: ThreadPoolExecutor, operation: Operation, index: number): Future<number> | undefined {
  try {
    return pool.submit(handOverFromInside, pool, operation, index)
  } catch (error) {
    if (error instanceof RejectedExecutionError) return undefined
    throw error
  }
}

for (const operation of Object.keys(operations) as Operation[]) {
  for (const [kind, threads] of [
    ["virtual", virtualThreads],
    ["platform", patientThreads],
  ] as const) {
    test(`[TP117] ${operation} right after a hand-over finds nothing, and the ${kind} thread runs the task`, async () => {
      await using pools = new Pools(threads)
      const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, workQueue: new SynchronousQueue() })
      const runs = new SharedCount()
      pool.prestartAllCoreThreads()
      for (let round = 1; round <= ROUNDS && !pool.isShutdown; round++) {
        let found: number | undefined
        await eventually(() => (found = handOver(pool, operation, runs.index)) !== undefined)
        assert.equal(found, 0)
        await eventually(() => runs.value === round)
      }
      await pool.close()
      assert.equal(pool.completedTaskCount, runs.value)
    })
  }

  test(`[TP117] ${operation} right after a hand-over, by a task of the pool, finds nothing, and the thread runs the task`, async () => {
    await using pools = new Pools(patientThreads)
    const pool = pools.create({ corePoolSize: 2, maximumPoolSize: 2, workQueue: new SynchronousQueue() })
    const runs = new SharedCount()
    pool.prestartAllCoreThreads()
    let found: Future<number> | undefined
    await eventually(() => (found = submitIfIdle(pool, operation, runs.index)) !== undefined)
    assert.equal(await found, 0)
    await pool.close()
    assert.deepEqual([runs.value, pool.completedTaskCount], [1, 2])
  })
}
