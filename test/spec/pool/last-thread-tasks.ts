/** What the threads of last-thread.test.ts run. */
import { task, type ThreadPoolExecutor } from "corepool"
import { words } from "../../support/shared-words.ts"

export const die = task(import.meta.url, function die(): never {
  throw new Error("the task")
})

export const add = task(import.meta.url, function add(a: number, b: number): number {
  return a + b
})

export const passAndExit = task(import.meta.url, function passAndExit(gate: number): void {
  Atomics.add(words, gate, 1)
  while (Atomics.load(words, gate + 1) === 0) Atomics.wait(words, gate + 1, 0)
  process.exit(3)
})

/** On platform threads: the thread can do nothing any more, not even tell that it has ended. */
export const spoil = task(import.meta.url, function spoil(): void {
  Reflect.set(globalThis, "Math", undefined)
})

/** What becomes of tasks that a thread submits which did not make the pool. */
export const outcomesOf = task(import.meta.url, async function outcomesOf(pool: ThreadPoolExecutor): Promise<string[]> {
  const futures = [1, 2, 3].map((n) => pool.submit(add, n, 1))
  const all = await Promise.allSettled(futures)
  return all.map((it) => (it.status === "fulfilled" ? String(it.value) : (it.reason as Error).name))
})
