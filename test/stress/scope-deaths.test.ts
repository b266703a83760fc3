/** Scopes on platform threads whose own thread dies while their forks wait and run. */
import {
  AtomicInteger,
  type ExecutorService,
  Executors,
  ForkJoinPool,
  platformThreads,
  ReentrantLock,
  ThreadDeathError,
  ThreadPoolExecutor,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { rejectionOf } from "../support/harness.ts"
import { Dice, SEED, STRESS } from "../support/stress.ts"
import { requireTermination } from "../support/termination.ts"
import * as tasks from "./scope-tasks.ts"

/** For each kind of pool; with `STRESS=100` eight hundred deaths. */
const DEATHS = 8 * STRESS

/** Of the forks; these are ended by the interrupt alone. */
const threadFactory = platformThreads({ terminateAfter: Infinity })

const POOLS: Readonly<Record<string, () => ExecutorService>> = {
  fixed: () => Executors.newFixedThreadPool(2, threadFactory),
  scheduled: () => Executors.newScheduledThreadPool(2, threadFactory),
  "fork/join": () => new ForkJoinPool({ parallelism: 2, threadFactory }),
  "a thread per task": () => Executors.newThreadPerTaskExecutor(threadFactory),
}

for (const [kind, open] of Object.entries(POOLS)) {
  test(`[SS24][SS23] wherever the thread of a scope dies, no fork, no count and no lock is lost: ${kind}`, async () => {
    await requireTermination()
    const dice = new Dice(SEED)
    const own = Executors.newFixedThreadPool(2)
    const executor = open()
    const legacy = { executor, lock: new ReentrantLock(), forked: new AtomicInteger(), begun: new AtomicInteger() }
    const deaths = Array.from({ length: DEATHS }, (_, n) => {
      const place = tasks.PLACES[n % tasks.PLACES.length] as (typeof tasks.PLACES)[number]
      return own.submit(tasks.bequeath, place, 1 + dice.roll(6), dice.roll(10), legacy)
    })
    for (const error of await Promise.all(deaths.map((death) => rejectionOf(death)))) {
      assert.ok(error instanceof ThreadDeathError, `SEED=${SEED}: ${String(error)}`)
    }
    await executor.close()
    await own.close()
    assert.equal(legacy.lock.tryLock(), true, `SEED=${SEED}`)
    assert.equal(own.completedTaskCount, DEATHS)
    if (executor instanceof ThreadPoolExecutor)
      assert.equal(executor.completedTaskCount, legacy.forked.get(), `SEED=${SEED}`)
  })
}
