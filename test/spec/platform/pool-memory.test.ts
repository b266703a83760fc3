/**
 * That pools which have ended leave nothing behind. One test asks for the garbage collector, to see what it cannot
 * collect; in the others it has to come by itself.
 */
import { type ExecutorService, Executors, IllegalStateError, PriorityBlockingQueue, ThreadPoolExecutor } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { countsSharedMemory } from "#host/runtime/capabilities"
import { collectGarbage } from "../../support/garbage.ts"
import { thrownBy } from "../../support/harness.ts"
import { meet } from "./tasks.ts"

/** So many pools, of which so many have to be gone in the end. */
const POOLS = 1_500
const GONE = 300

/** So many more pools at most, with a turn of the event loop each, until the collector has told of what it has found. */
const MORE = 5 * POOLS

const kinds: Record<string, () => ExecutorService> = {
  "a fixed pool": () => Executors.newFixedThreadPool(1),
  "a pool with priorities": () =>
    new ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 1, workQueue: new PriorityBlockingQueue() }),
  "a scheduled pool": () => Executors.newScheduledThreadPool(1),
  "a fork/join pool": () => Executors.newWorkStealingPool(1),
}

for (const [kind, make] of Object.entries(kinds)) {
  test(`[PL50] the memory of ${kind} that has ended is given back, also if the event loop gets no turn`, async () => {
    let gone = 0
    const registry = new FinalizationRegistry<undefined>(() => gone++)
    for (let i = 0; i < POOLS; i++) {
      const pool = make()
      registry.register(pool, undefined)
      await pool.close() // which takes no turn of the event loop if no thread was started
    }
    // The collector works while the program does, and in the time that other programs leave it: so the program goes on.
    const isEnough = (): boolean => gone >= GONE
    for (let i = 0; i < MORE && !isEnough(); i++) {
      await make().close()
      await new Promise((resolve) => setImmediate(resolve))
    }
    assert.ok(isEnough())
  })
}

/**
 * A pool that is kept in memory takes more than this: five to nine times as much; where shared memory counts, which is all
 * that the pool has reserved, 17 times as much. There the collector also keeps single pools to which an old word of the
 * stack still points.
 */
const BYTES_OF_A_POOL = countsSharedMemory ? 1_000_000 : 3_000

for (const [kind, make] of Object.entries(kinds)) {
  test(`[PL50] without a turn of the event loop nothing keeps ${kind} that has ended`, async () => {
    const used = (): number => {
      collectGarbage()
      return process.memoryUsage().heapUsed
    }
    const before = used()
    for (let i = 0; i < POOLS; i++) await make().close()
    assert.ok(used() - before < POOLS * BYTES_OF_A_POOL)
  })
}

test("[PL50] a thread that was given pools gives back the memory of those that have ended", async () => {
  await using threads = Executors.newFixedThreadPool(1)
  let gone = 0
  for (let i = 0; i < MORE && gone < GONE; i++) {
    await using pool = Executors.newFixedThreadPool(1)
    gone = await threads.submit(meet, pool)
  }
  assert.ok(gone >= GONE)
})

test("[PL51] thousands of pools can be open at a time; one more than 4,096 is refused, and when one has ended there is room again", async () => {
  const pools: ExecutorService[] = []
  const refused = thrownBy(() => {
    for (;;) pools.push(Executors.newFixedThreadPool(1))
  })
  assert.ok(refused instanceof IllegalStateError)
  assert.match(refused.message, /has 4096 pools of platform threads that have not ended/)
  assert.equal(pools.length, 4096)
  assert.equal(await pools.at(-1)?.submit(() => 7), 7)
  await pools.pop()?.close()
  pools.push(Executors.newFixedThreadPool(1))
  await Promise.all(pools.map((pool) => pool.close()))
})
