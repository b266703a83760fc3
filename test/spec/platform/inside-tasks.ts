/** Tasks that run inside of others, as their pool has no idle thread. */
import { type AtomicInteger, type ExecutorService, StructuredTaskScope, task, Thread } from "corepool"

const NEVER_ENDS = 2 ** 30

export const echo = task(import.meta.url, function echo(n: number): number {
  return n
})

export const flaky = task(import.meta.url, function flaky(runs: AtomicInteger): number {
  const run = runs.incrementAndGet()
  if (run < 3) throw new Error(`no ${run}`)
  return run
})

export const block = task(import.meta.url, function block(begun: AtomicInteger): void {
  begun.incrementAndGet()
  Thread.sleepSync(NEVER_ENDS)
})

export const spin = task(import.meta.url, function spin(begun: AtomicInteger): void {
  begun.incrementAndGet()
  for (;;);
})

export const hang = task(import.meta.url, async function hang(begun: AtomicInteger, stopped: AtomicInteger) {
  begun.incrementAndGet()
  try {
    await Thread.sleep(NEVER_ENDS)
  } finally {
    stopped.incrementAndGet()
  }
})

/** Blocks its thread when it goes on. */
export const blockLater = task(import.meta.url, async function blockLater(begun: AtomicInteger): Promise<void> {
  begun.incrementAndGet()
  await Thread.sleep(0)
  Thread.sleepSync(NEVER_ENDS)
})

export const INNER = { block, blockLater, hang, spin } as const
export type Inner = keyof typeof INNER

/** Waits for a task, at some depth. */
export const waitFor = task(
  import.meta.url,
  async function waitFor(pool: ExecutorService, inner: Inner, depth: number, begun: AtomicInteger): Promise<void> {
    if (depth > 1) await pool.submit(waitFor, pool, inner, depth - 1, begun)
    else await pool.submit(INNER[inner], begun, begun)
  },
)

/** The error of what the time limit ends, and whether the waiting task is interrupted. */
async function endOf(wait: () => Promise<unknown>): Promise<string> {
  try {
    await wait()
    return "none"
  } catch (error) {
    return `${(error as Error).name}, ${Thread.interrupted()}`
  }
}

export const withTimeout = task(
  import.meta.url,
  function withTimeout(pool: ExecutorService, inner: Inner, begun: AtomicInteger): Promise<string> {
    return endOf(() => pool.with({ timeout: 20 }).submit(INNER[inner], begun, begun).get())
  },
)

export const withOrTimeout = task(
  import.meta.url,
  function withOrTimeout(pool: ExecutorService, inner: Inner, begun: AtomicInteger): Promise<string> {
    return endOf(() => pool.submit(INNER[inner], begun, begun).orTimeout(20).get())
  },
)

export const withAttempts = task(
  import.meta.url,
  function withAttempts(pool: ExecutorService, inner: Inner, begun: AtomicInteger): Promise<string> {
    const view = pool.with({ retry: { attempts: 2, delay: 1, attemptTimeout: 20 } })
    return endOf(() => view.submit(INNER[inner], begun, begun).get())
  },
)

export const withScope = task(
  import.meta.url,
  function withScope(pool: ExecutorService, inner: Inner, begun: AtomicInteger): Promise<string> {
    return endOf(async () => {
      await using scope = StructuredTaskScope.open(undefined, { executor: pool, timeout: 20 })
      scope.fork(INNER[inner], begun, begun)
      await scope.join()
    })
  },
)

export const cancelInside = task(
  import.meta.url,
  async function cancelInside(pool: ExecutorService, begun: AtomicInteger, stopped: AtomicInteger): Promise<string> {
    const future = pool.submit(hang, begun, stopped)
    const end = future.get().catch((error: unknown) => (error as Error).name)
    while (begun.get() === 0) await Thread.sleep(1)
    future.cancel(true)
    while (stopped.get() === 0) await Thread.sleep(1)
    return `${await end}, ${Thread.interrupted()}`
  },
)

export const retryInside = task(
  import.meta.url,
  async function retryInside(pool: ExecutorService, runs: AtomicInteger): Promise<string> {
    const future = pool.with({ retry: { attempts: 4, delay: 1 } }).submit(flaky, runs)
    return `${await future} in ${future.attempts}`
  },
)
