/** What forks do in the chaos of scopes. */
import { type ExecutorService, Joiner, StructuredTaskScope, task, Thread } from "corepool"

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
