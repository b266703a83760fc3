/** Pools of all kinds that are stopped while tasks wait, by threads of all kinds, some of which die meanwhile. */
import {
  ArrayBlockingQueue,
  Executors,
  type ExecutorService,
  ForkJoinPool,
  type Future,
  platformThreads,
  PriorityBlockingQueue,
  ScheduledThreadPoolExecutor,
  type ThreadFactory,
  ThreadPoolExecutor,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually } from "../support/harness.ts"
import { mortalThreads } from "../support/mortal.ts"
import { SharedCount } from "../support/shared-words.ts"
import { Dice, SEED, STRESS } from "../support/stress.ts"
import * as tasks from "./shutdown-tasks.ts"

const THREADS = { corePoolSize: 2, maximumPoolSize: 2 } as const
const MOST_TASKS = 400

const POOLS = {
  fixed: (threadFactory: ThreadFactory) => new ThreadPoolExecutor({ ...THREADS, threadFactory }),
  bounded: (threadFactory: ThreadFactory) =>
    new ThreadPoolExecutor({ ...THREADS, threadFactory, workQueue: new ArrayBlockingQueue(2 * MOST_TASKS) }),
  priority: (threadFactory: ThreadFactory) =>
    new ThreadPoolExecutor({ ...THREADS, threadFactory, workQueue: new PriorityBlockingQueue() }),
  scheduled: (threadFactory: ThreadFactory) => new ScheduledThreadPoolExecutor({ corePoolSize: 2, threadFactory }),
  "fork/join": (threadFactory: ThreadFactory) => new ForkJoinPool({ parallelism: 2, threadFactory }),
} as const

type Pool = ThreadPoolExecutor | ForkJoinPool

interface Round {
  readonly dice: Dice
  readonly pool: Pool
  /** By which tasks are submitted. */
  readonly view: ExecutorService
  readonly other: ThreadPoolExecutor
}

/** How many tasks came back; undefined if the thread that got them has died, or they were cancelled with their pool. */
type Stop = (round: Round) => Promise<number | undefined>

/** What a future gives, or undefined. */
const given = async (future: Future<number>): Promise<number | undefined> => {
  try {
    return await future
  } catch {
    return undefined
  }
}

const STOPS: Readonly<Record<string, Stop>> = {
  "the owner": ({ pool }) => Promise.resolve(pool.shutdownNow().length),
  "a task of the pool": ({ pool, view }) => given(view.submit(tasks.stop, pool)),
  "a task of another pool": ({ pool, other }) => given(other.submit(tasks.stop, pool)),
  "a task of the pool that dies": ({ pool, view, dice }) =>
    given(view.submit(tasks.stopAndDie, pool, dice.roll(dice.roll(20_000) + 1))),
  "a task of another pool that dies": ({ pool, other, dice }) =>
    given(other.submit(tasks.stopAndDie, pool, dice.roll(dice.roll(20_000) + 1))),
  "a task of another pool that is terminated": async ({ pool, other }) => {
    const said = new SharedCount()
    const stopping = other.submit(tasks.stopAndSay, pool, said.index)
    await eventually(() => said.value === 1)
    other.shutdownNow() // its thread is terminated if it takes too long
    return await given(stopping)
  },
}

for (const [kind, makePool] of Object.entries(POOLS)) {
  for (const [who, stop] of Object.entries(STOPS)) {
    test(`[ST4] a ${kind} pool is stopped by ${who}: no future stays pending, and the pool ends`, async (t) => {
      t.diagnostic(`SEED=${SEED}`)
      const factory = who.endsWith("that dies") ? mortalThreads : platformThreads
      for (let round = 0; round < STRESS; round++) await play(kind, makePool, factory(), stop, new Dice(SEED + round))
    })
  }
}

async function play(
  kind: string,
  makePool: (factory: ThreadFactory) => Pool,
  factory: ThreadFactory,
  stop: Stop,
  dice: Dice,
): Promise<void> {
  await using submitter = Executors.newFixedThreadPool(1)
  await using other = Executors.newFixedThreadPool(1, factory)
  await using pool = makePool(factory)
  const view = kind === "priority" ? pool.with({ priority: 1 }) : pool
  const said = new SharedCount()
  const elsewhere = submitter.submit(tasks.submitMany, view, dice.roll(MOST_TASKS), said.index)
  await eventually(() => said.value === 1)
  const ours: Future<number>[] = []
  let refused = 0
  const submit = (): void => {
    try {
      ours.push(view.submit(tasks.add, ours.length, 1))
    } catch (error) {
      if ((error as Error).name !== "RejectedExecutionError") throw error
      refused++
    }
  }
  const count = dice.roll(MOST_TASKS)
  for (let i = 0; i < count; i++) submit()
  const stopping = stop({ dice, pool, view, other })
  for (let i = 0; i < count; i++) submit() // which may be too late
  const back = await stopping
  if (!pool.isShutdown) pool.shutdownNow() // the thread has died before it began
  assert.equal(await pool.awaitTermination(), true)
  const errorOf = (future: Future<number>): string => String(future.exceptionNow())
  const states = ours.map((future) => (future.state === "failed" ? errorOf(future) : future.state))
  states.push(...(await elsewhere))
  const amount = (state: string): number => states.filter((it) => it === state).length
  assert.equal(amount("running"), 0, "pending for ever")
  // A task in hand when the pool is stopped is interrupted, perhaps while its module is loaded, and ended if that takes too long.
  const isWell = (state: string): boolean => /^(success|cancelled|(InterruptedError|ThreadDeathError).*)$/.test(state)
  assert.deepEqual(
    states.filter((state) => !isWell(state)),
    [],
  )
  assert.ok(refused <= count)
  if (!(pool instanceof ThreadPoolExecutor)) return
  assert.equal(pool.queue.size, 0)
  if (back === undefined) return
  // What a thread took and then might not begin, as the pool was stopped, was cancelled, and did not come back.
  const dropped = amount("cancelled") - back
  assert.ok(dropped >= 0 && (dropped === 0 || kind === "scheduled"), `${dropped} dropped`)
}
