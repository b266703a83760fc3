/** What the threads of these tests run. */
import { bind, fork, ForkJoinPool, type ForkJoinTask, IllegalStateError, invokeAll, task, Thread } from "corepool"
import { words } from "../../support/shared-words.ts"

export function sequentialFib(n: number): number {
  return n < 2 ? n : sequentialFib(n - 1) + sequentialFib(n - 2)
}

/** Divides down to the end. */
export const fib = task(import.meta.url, function fib(n: number): number {
  if (n < 2) return n
  const other = fork(fib, n - 1)
  return fib(n - 2) + other.join()
})

/** Joins what was forked first, first. */
export const fibInOrder = task(import.meta.url, function fibInOrder(n: number): number {
  if (n < 8) return sequentialFib(n)
  const parts = [fork(fibInOrder, n - 1), fork(fibInOrder, n - 3), fork(fibInOrder, n - 4)]
  return parts.reduce((sum, part) => sum + part.join(), 0)
})

export const threadName = task(import.meta.url, function threadName(): string {
  return Thread.currentThread().name
})

export const same = task(import.meta.url, function same(value: unknown): unknown {
  return value
})

export const count = task(import.meta.url, function count(index: number): number {
  return Atomics.add(words, index, 1) + 1
})

/** Says that it is there, and blocks until the gate is open. */
export const pass = task(import.meta.url, function pass(gate: number): string {
  Atomics.add(words, gate, 1)
  while (Atomics.load(words, gate + 1) === 0) Atomics.wait(words, gate + 1, 0)
  return Thread.currentThread().name
})

/** Computes until so many have come to the gate, who then are in other threads. */
export function waitAt(gate: number, arrivals: number): void {
  while (Atomics.load(words, gate) < arrivals);
}

/** Whether a task that nobody steals gets the very arguments, and `join` the very result. Needs a pool of one thread. */
export const keepsIdentity = task(import.meta.url, function keepsIdentity(): boolean {
  const map = new Map()
  return fork(same, map).join() === map
})

/** The task that another thread steals, and what comes back. */
export const haveStolen = task(import.meta.url, function haveStolen(gate: number, value: unknown): unknown {
  const forked = fork(passValue, gate, value)
  waitAt(gate, 1)
  return forked.join()
})

export const passValue = task(import.meta.url, function passValue(gate: number, value: unknown): unknown {
  Atomics.add(words, gate, 1)
  return value
})

export const fail = task(import.meta.url, function fail(gate: number, message: string): never {
  Atomics.add(words, gate, 1)
  throw Object.assign(new RangeError(message, { cause: new TypeError("inner") }), { code: "E_OWN" })
})

/** The stack of what a forked task throws, run here or by a thief. */
export const joinFailing = task(import.meta.url, function joinFailing(gate: number, isStolen: boolean): unknown {
  const forked = fork(fail, gate, "too hot")
  if (isStolen) waitAt(gate, 1)
  return forked.join()
})

/** Forks so many at once, each of which counts; how many were over before the first join. */
export const forkMany = task(import.meta.url, function forkMany(index: number, n: number): void {
  const all: ForkJoinTask<number>[] = []
  for (let i = 0; i < n; i++) all.push(fork(count, index))
  for (const each of all) each.join()
})

/** Forks so many and joins none. */
export const forkAndForget = task(import.meta.url, function forkAndForget(index: number, n: number): void {
  for (let i = 0; i < n; i++) fork(count, index)
})

/** In which order one thread runs what it has forked and not joined. */
export const order: string[] = []

export const note = task(import.meta.url, function note(name: string): void {
  order.push(name)
})

export const noteThree = task(import.meta.url, function noteThree(): void {
  for (const name of ["a", "b", "c"]) fork(note, name)
})

export const takeOrder = task(import.meta.url, function takeOrder(): string[] {
  return order.splice(0)
})

export const overflow = task(import.meta.url, function overflow(depth: number): number {
  return 1 + fork(overflow, depth + 1).join()
})

let self: ForkJoinTask<unknown> | undefined

export const joinSelf = task(import.meta.url, function joinSelf(): unknown {
  return self?.join()
})

export const forkJoinSelf = task(import.meta.url, function forkJoinSelf(): unknown {
  self = fork(joinSelf)
  return self.join()
})

/** Its part waits for it in turn. */
export const joinInCircle = task(import.meta.url, function joinInCircle(): unknown {
  self = fork(joinOther)
  return self.join()
})

const joinOther = task(import.meta.url, function joinOther(): unknown {
  return fork(joinSelf).join()
})

export const sleepALittle = task(import.meta.url, async function sleepALittle(value: number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 1))
  return value
})

/** What comes of joining an asynchronous task, and of awaiting it. */
export const joinAsync = task(import.meta.url, async function joinAsync(): Promise<unknown[]> {
  const forked = fork(sleepALittle, 7)
  let refusal: unknown
  try {
    forked.join()
  } catch (error) {
    refusal = error
  }
  return [refusal instanceof IllegalStateError, await forked, forked.state]
})

/** Awaits parts that are not asynchronous. */
export const awaitParts = task(import.meta.url, async function awaitParts(n: number): Promise<number> {
  const parts = [fork(fib, n - 1), fork(fib, n - 2)] as const
  return (await parts[0]) + (await parts[1])
})

export const forkBadly = task(import.meta.url, function forkBadly(gate: number): string[] {
  const attempts = [
    () => fork(same, () => gate),
    () => fork(same, { lock: Symbol("no") }),
    () => fork(Math.abs, 1),
    () => fork("fib" as never),
  ]
  const names = attempts.map((attempt) => {
    try {
      attempt()
      return "accepted"
    } catch (error) {
      return (error as Error).name
    }
  })
  return [...names, String(fork(same, 1).join())]
})

/** The parts of a tree, each of which forks two more until it is told to stop by an error. */
export const grow = task(import.meta.url, function grow(index: number): void {
  Atomics.add(words, index, 1)
  for (;;) {
    const left = fork(burn, index)
    fork(burn, index).join()
    left.join()
  }
})

export const burn = task(import.meta.url, function burn(index: number): void {
  Atomics.add(words, index + 1, 1)
})

/** Has its part stolen, and then joins it. */
export const joinStolen = task(import.meta.url, function joinStolen(gate: number): string {
  const forked = fork(pass, gate)
  waitAt(gate, 1)
  return forked.join()
})

export const viaInvokeAll = task(import.meta.url, function viaInvokeAll(n: number): number {
  if (n < 2) return n
  const [a, b] = invokeAll(bind(viaInvokeAll, n - 1), bind(viaInvokeAll, n - 2))
  return a + b
})

/** What is known of the tasks after one of them has failed. */
export const failAmong = task(import.meta.url, function failAmong(gate: number, index: number): string[] {
  const outcomes: string[] = []
  for (const failing of [0, 1, 2]) {
    const tasks = [0, 1, 2].map((i) => (i === failing ? bind(fail, gate, `no ${i}`) : bind(count, index)))
    try {
      invokeAll(...tasks)
    } catch (error) {
      outcomes.push((error as Error).message)
    }
  }
  return outcomes
})

export const exit = task(import.meta.url, function exit(gate: number): void {
  Atomics.add(words, gate, 1)
  process.exit(3)
})

/** Its part ends the thread that has stolen it. */
export const joinDying = task(import.meta.url, function joinDying(gate: number): void {
  const forked = fork(exit, gate)
  waitAt(gate, 1)
  forked.join()
})

/** Forks so many, and ends its thread. */
export const forkAndExit = task(import.meta.url, function forkAndExit(index: number, n: number): void {
  for (let i = 0; i < n; i++) fork(count, index)
  process.exit(3)
})

export const viaPool = task(import.meta.url, async function viaPool(pool: ForkJoinPool, n: number): Promise<number> {
  const [a, b] = await Promise.all([pool.submit(fib, n), pool.invoke(fib, n)])
  return a + b
})

export const invokeInside = task(import.meta.url, function invokeInside(pool: ForkJoinPool, n: number): number {
  return pool.invokeSync(fib, n)
})

/** Adds something to each element; of shared memory, so that others see it. */
export const addTo = task(
  import.meta.url,
  function addTo(array: Int32Array, from: number, to: number, n: number): void {
    if (to - from > 64) {
      const middle = (from + to) >> 1
      const other = fork(addTo, array, from, middle, n)
      addTo(array, middle, to, n)
      other.join()
    } else for (let i = from; i < to; i++) array[i] = (array[i] as number) + n
  },
)

/** Says that it is there, and sleeps until it is interrupted, which it says, too. */
export const sleepUntilInterrupted = task(import.meta.url, function sleepUntilInterrupted(index: number): void {
  Atomics.add(words, index, 1)
  try {
    Thread.sleepSync(100_000_000)
  } finally {
    Atomics.add(words, index, 1)
  }
})

/** Has its part stolen, which sleeps. */
export const joinSleeping = task(import.meta.url, function joinSleeping(index: number): void {
  const forked = fork(sleepUntilInterrupted, index)
  waitAt(index, 1)
  forked.join()
})

/** Never ends, whatever it is told. */
export const endless = task(import.meta.url, function endless(index: number): void {
  Atomics.add(words, index, 1)
  for (;;);
})

/** Has its part stolen, which never ends. */
export const joinEndless = task(import.meta.url, function joinEndless(index: number): void {
  const forked = fork(endless, index)
  waitAt(index, 1)
  forked.join()
})

export const cancelPart = task(import.meta.url, function cancelPart(index: number): unknown[] {
  const forked = fork(count, index)
  const answers: unknown[] = [forked.cancel(), forked.isCancelled]
  try {
    forked.join()
  } catch (error) {
    answers.push((error as Error).name)
  }
  return answers
})

/** Waits for the pool that it keeps from ending. */
export const waitForOwnPool = task(import.meta.url, async function waitForOwnPool(pool: ForkJoinPool) {
  const names: string[] = []
  for (const wait of [() => pool.close(), () => pool.awaitQuiescence()]) {
    try {
      await wait()
    } catch (error) {
      names.push((error as Error).name)
    }
  }
  return names
})
