/** What forks do in the chaos of scopes. */
import {
  type AtomicInteger,
  type ExecutorService,
  Joiner,
  type Lock,
  StructuredTaskScope,
  task,
  Thread,
} from "corepool"

export const echo = task(import.meta.url, function echo(n: number): number {
  return n
})

export const later = task(import.meta.url, async function later(n: number): Promise<number> {
  await Thread.sleep(1)
  return n
})

export const fail = task(import.meta.url, function fail(n: number): number {
  throw new RangeError(`${n}`)
})

export const exit = task(import.meta.url, function exit(_n: number): number {
  process.exit(1)
})

export const hang = task(import.meta.url, async function hang(n: number): Promise<number> {
  await Thread.sleep(2 ** 31)
  return n
})

/** Heeds no interrupt. */
export const spin = task(import.meta.url, function spin(_n: number): number {
  for (;;);
})

/** Forks to virtual threads, one of which may never end, and lets its thread die among them. */
export const dieAmongForks = task(import.meta.url, async function dieAmongForks(n: number): Promise<number> {
  await using scope = StructuredTaskScope.open(Joiner.awaitAll())
  scope.fork(() => Thread.sleep(2 ** 31))
  scope.fork(async () => {
    await Thread.sleep(1)
    process.exit(1)
  })
  await scope.join()
  return n
})

/** Forks to the pool that it runs in. */
export const forkOn = task(import.meta.url, async function forkOn(n: number, executor: ExecutorService) {
  await using scope = StructuredTaskScope.open(Joiner.allSuccessfulOrThrow<number>(), { executor, timeout: 1000 })
  scope.fork(later, n)
  scope.fork(n % 3 === 0 ? exit : echo, n)
  scope.fork(echo, n)
  return (await scope.join()).length
})

/** What the forks of a scope share whose thread dies. */
export interface Legacy {
  readonly executor: ExecutorService
  readonly lock: Lock
  /** How many forks were begun, by `fork` and by a thread. */
  readonly forked: AtomicInteger
  readonly begun: AtomicInteger
}

/** Where the thread of a scope dies: when it has forked, when some forks run, in `join`, in `close`. */
export const PLACES = ["forked", "running", "join", "close"] as const

/** Waits for the lock, or holds it, until it is interrupted. */
export const hold = task(import.meta.url, async function hold(lock: Lock, begun: AtomicInteger): Promise<void> {
  begun.incrementAndGet()
  await lock.lockInterruptibly()
  try {
    await Thread.sleep(2 ** 31)
  } finally {
    lock.unlock()
  }
})

/** Opens a scope with forks that do not end by themselves, and ends its thread. */
export const bequeath = task(
  import.meta.url,
  async function bequeath(place: (typeof PLACES)[number], count: number, delay: number, legacy: Legacy) {
    const { executor, lock, forked, begun } = legacy
    const before = begun.get()
    const scope = StructuredTaskScope.open(Joiner.awaitAll(), { executor })
    for (let i = 0; i < count; i++) {
      scope.fork(hold, lock, begun)
      forked.incrementAndGet()
    }
    if (place === "forked") process.exit(1)
    while (begun.get() === before) await Thread.sleep(1)
    if (place === "running") process.exit(1)
    setTimeout(() => process.exit(1), delay)
    await Promise.allSettled([place === "join" ? scope.join() : scope.close()]) // close() may be faster than the death
    await new Promise(() => undefined)
  },
)
