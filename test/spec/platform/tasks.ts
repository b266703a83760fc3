/** What the threads of these tests run. */
import { type ExecutorService, InterruptedError, task, Thread, ThreadPoolExecutor, virtualThreads } from "corepool"
import { getEnvironmentData } from "node:worker_threads"
import { words } from "../../support/shared-words.ts"

export const add = task(import.meta.url, function add(a: number, b: number): number {
  return a + b
})

export const same = task(import.meta.url, function same(value: unknown): unknown {
  return value
})

export const threadName = task(import.meta.url, function threadName(): string {
  return Thread.currentThread().name
})

/** Says that it is there, and blocks until the gate is open; deaf to interrupts. */
export const pass = task(import.meta.url, function pass(gate: number, result: unknown = gate): unknown {
  Atomics.add(words, gate, 1)
  while (Atomics.load(words, gate + 1) === 0) Atomics.wait(words, gate + 1, 0)
  return result
})

/** The same for a task that awaits. */
export const passAsync = task(import.meta.url, async function passAsync(gate: number): Promise<number> {
  Atomics.add(words, gate, 1)
  while (Atomics.load(words, gate + 1) === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  return gate
})

export const count = task(import.meta.url, function count(index: number): number {
  return Atomics.add(words, index, 1) + 1
})

export const fail = task(import.meta.url, function fail(message: string): never {
  throw Object.assign(new RangeError(message, { cause: new TypeError("inner") }), { code: "E_OWN", detail: { n: 1 } })
})

export const exit = task(import.meta.url, function exit(code: number): void {
  process.exit(code)
})

/** Waits for a task that ends the thread, which runs it itself if it is the only one. */
export const exitInside = task(import.meta.url, function exitInside(executor: ExecutorService): void {
  executor.submit(exit, 3).getSync()
})

export const throwLater = task(import.meta.url, function throwLater(): Promise<never> {
  return new Promise(() => {
    setTimeout(() => {
      throw new Error("thrown later")
    })
  })
})

export const rejectUnheard = task(import.meta.url, function rejectUnheard(): Promise<never> {
  void Promise.reject(new Error("unheard"))
  return new Promise(() => undefined)
})

export const devour = task(import.meta.url, function devour(): void {
  const hoard: unknown[] = []
  for (;;) hoard.push(Array.from({ length: 1000 }, () => 1))
})

export const spin = task(import.meta.url, function spin(index: number): void {
  for (;;) Atomics.add(words, index, 1)
})

/** Computes until it is interrupted; how it found out. */
export const spinUntilInterrupted = task(import.meta.url, function spinUntilInterrupted(index: number): string {
  Atomics.add(words, index, 1)
  while (!Thread.interrupted());
  Atomics.add(words, index, 1)
  return "interrupted"
})

/** Sleeps until it is interrupted; counts again when that has been heard. */
export const sleepUntilInterrupted = task(import.meta.url, async function sleepUntilInterrupted(index: number) {
  const { signal } = Thread.currentThread()
  Atomics.add(words, index, 1)
  try {
    await Thread.sleep(100_000_000)
  } catch (error) {
    if (error instanceof InterruptedError && signal.aborted) Atomics.add(words, index, 1)
  }
})

export const isInterrupted = task(import.meta.url, function isInterrupted(): boolean {
  return Thread.currentThread().isInterrupted
})

function pool(): ThreadPoolExecutor {
  return ThreadPoolExecutor.from(getEnvironmentData("pool") as never)
}

export const poolSizes = task(import.meta.url, function poolSizes(): unknown[] {
  const it = pool()
  return [it.corePoolSize, it.poolSize, it.activeCount, it.isShutdown, it === pool()]
})

export const sumOfChildren = task(import.meta.url, function sumOfChildren(n: number): number {
  const children = Array.from({ length: n }, (_, i) => pool().submit(add, i, 1))
  return children.reduce((sum, child) => sum + child.getSync(), 0)
})

export const fibonacci = task(import.meta.url, function fibonacci(n: number): number {
  if (n < 2) return n
  const other = pool().submit(fibonacci, n - 1)
  return fibonacci(n - 2) + other.getSync()
})

export const awaitChildren = task(import.meta.url, async function awaitChildren(n: number): Promise<number> {
  const children = Array.from({ length: n }, (_, i) => pool().submit(later, i))
  return (await Promise.all(children)).reduce((sum, value) => sum + value, 0)
})

export const later = task(import.meta.url, async function later(value: number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve))
  return value
})

export const blockForAsync = task(import.meta.url, function blockForAsync(): string {
  try {
    return String(pool().submit(later, 1).getSync())
  } catch (error) {
    return (error as Error).name
  }
})

/** What becomes of a child that waits at a gate, and is given to this executor. */
export const waitThrough = task(import.meta.url, async function waitThrough(executor: ExecutorService, gate: number) {
  return await executor.submit(passAsync, gate).then(String, (error: unknown) => (error as Error).name)
})

/** What becomes of a child that the pool has no room for. */
export const submitChild = task(import.meta.url, async function submitChild(): Promise<string> {
  try {
    return await pool().submit(threadName)
  } catch (error) {
    return (error as Error).name
  }
})

export const changeHandler = task(import.meta.url, function changeHandler(): string[] {
  const it = pool()
  const names: string[] = []
  for (const change of [
    () => (it.handler = () => undefined),
    () => (it.threadFactory = virtualThreads()),
    () => it.threadFactory.newThread(() => undefined),
  ]) {
    try {
      change()
    } catch (error) {
      names.push((error as Error).name)
    }
  }
  return names
})

/** Leaves a timer behind that uses the pool when the task is over: it waits for a task, and executes another one. */
export const leaveTimer = task(import.meta.url, function leaveTimer(executor: ExecutorService, index: number): void {
  setTimeout(() => {
    if (executor.submit(add, 1, 2).getSync() === 3) executor.execute(count, index)
  }, 1)
})

/** The pools that this thread has met, and how many of them are gone. */
const met = { gone: 0, registry: new FinalizationRegistry<undefined>(() => met.gone++) }

export const meet = task(import.meta.url, function meet(executor: ExecutorService): number {
  met.registry.register(executor, undefined)
  return met.gone
})
