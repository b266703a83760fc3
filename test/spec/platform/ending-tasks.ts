/** What the threads of ending.test.ts run. */
import {
  Executors,
  type ExecutorService,
  type FutureTask,
  type Runnable,
  task,
  type ThreadPoolExecutor,
  virtualThreads,
} from "corepool"
import { dyingAfter } from "../../support/mortal.ts"
import { words } from "../../support/shared-words.ts"

export const add = task(import.meta.url, function add(a: number, b: number): number {
  return a + b
})

export const sum = task(import.meta.url, function sum(bytes: Uint8Array): number {
  return bytes.reduce((total, byte) => total + byte, 0)
})

export const spin = task(import.meta.url, function spin(index: number): void {
  for (;;) Atomics.add(words, index, 1)
})

/** How many tasks come back. */
export const stop = task(import.meta.url, function stop(pool: ExecutorService): number {
  return pool.shutdownNow().length
})

/** The sum of what they give, run by another executor. */
export const stopAndRun = task(import.meta.url, async function stopAndRun(pool: ExecutorService): Promise<number> {
  await using other = Executors.newFixedThreadPool(1, virtualThreads())
  let total = 0
  for (const unrun of pool.shutdownNow()) {
    other.execute(unrun)
    total += await (unrun as FutureTask<number>)
  }
  return total
})

/** Dies after so many accesses to memory, or in the end. */
export const stopAndDie = task(import.meta.url, function stopAndDie(pool: ExecutorService, accesses: number): never {
  dyingAfter(accesses, () => pool.shutdownNow())
  process.exit(3)
})

export const shutDownAndDie = task(
  import.meta.url,
  function shutDownAndDie(pool: ExecutorService, accesses: number): never {
    dyingAfter(accesses, () => pool.shutdown())
    process.exit(3)
  },
)

/** Submits a task that nobody awaits. */
export const submitAndDie = task(
  import.meta.url,
  function submitAndDie(pool: ExecutorService, accesses: number): never {
    dyingAfter(accesses, () => void pool.submit(add, 1, 1))
    process.exit(3)
  },
)

export const resumeAndDie = task(
  import.meta.url,
  function resumeAndDie(pool: ThreadPoolExecutor, accesses: number): never {
    dyingAfter(accesses, () => pool.resume())
    process.exit(3)
  },
)

/** Of whichever copy of the library has made it. */
function isTask(value: unknown): boolean {
  return typeof value === "object" && value !== null && "isDone" in value && "run" in value
}

/**
 * Shuts the pool down, and stands at the gate when so many tasks are taken out of its queue. Counts them.
 */
export const stopSlowly = task(
  import.meta.url,
  function stopSlowly(pool: ExecutorService, after: number, gate: number, count: number): void {
    const { push } = Array.prototype
    Reflect.set(Array.prototype, "push", function (this: unknown[], ...items: unknown[]) {
      if (isTask(items[0]) && Atomics.add(words, count, 1) === after) {
        Atomics.add(words, gate, 1)
        while (Atomics.load(words, gate + 1) === 0) Atomics.wait(words, gate + 1, 0)
      }
      return push.apply(this, items)
    })
    try {
      pool.shutdownNow()
    } finally {
      Reflect.set(Array.prototype, "push", push)
    }
  },
)

/** What is done to the queue of another thread's pool. */
export const operations = {
  clear: (pool: ThreadPoolExecutor) => pool.queue.clear(),
  removeIf: (pool: ThreadPoolExecutor) => pool.queue.removeIf(() => true),
  retainAll: (pool: ThreadPoolExecutor) => pool.queue.retainAll([]),
} as const

export const operate = task(
  import.meta.url,
  function operate(pool: ThreadPoolExecutor, operation: keyof typeof operations): void {
    operations[operation](pool)
  },
)

/** Takes all tasks out of the queue, and runs or cancels them. */
export const drain = task(import.meta.url, async function drain(pool: ThreadPoolExecutor): Promise<number> {
  const tasks: Runnable[] = []
  const count = pool.queue.drainTo(tasks)
  for (const [i, it] of (tasks as FutureTask<unknown>[]).entries()) {
    if (i % 2 === 0) await it.run()
    else it.cancel()
  }
  return count
})

/** Takes all tasks out of the queue, and keeps them. */
const kept: Runnable[] = []
export const drainAndKeep = task(import.meta.url, function drainAndKeep(pool: ThreadPoolExecutor): number {
  return pool.queue.drainTo(kept)
})

export const exit = task(import.meta.url, function exit(): void {
  process.exit(3)
})

/** What becomes of tasks that this thread submits, when the gate has been opened. */
export const submitMany = task(
  import.meta.url,
  async function submitMany(pool: ExecutorService, n: number, index: number): Promise<string[]> {
    const futures = Array.from({ length: n }, (_, i) => pool.submit(add, i, 1))
    Atomics.store(words, index, 1)
    await Promise.allSettled(futures)
    return futures.map(({ state }) => state)
  },
)

/** What `submit` says, or the future, of a pool whose handler is a function of another thread's. */
export const submitRefused = task(import.meta.url, async function submitRefused(pool: ExecutorService) {
  try {
    return await pool.submit(add, 1, 2)
  } catch (error) {
    return (error as Error).name
  }
})
