/** Tasks for silent-methods.test.ts. */
import { task, type ThreadPoolExecutor } from "corepool"

export const add = task(import.meta.url, function add(a: number, b: number): number {
  return a + b
})

/** The sum of the numbers below `count`, each of which a task of its own gives. */
export const sumOf = task(import.meta.url, function sumOf(pool: ThreadPoolExecutor, count: number): number {
  let sum = 0
  for (let i = 0; i < count; i++) sum += pool.submit(add, i, 0).getSync()
  return sum
})

/** Replaces the method, named as `Map.get`, once the thread has nothing to do. */
export const silence = task(import.meta.url, function silence(method: string): void {
  const [type, name] = method.split(".") as ["Array" | "Map" | "Set", string]
  const { prototype } = globalThis[type]
  setTimeout(() => {
    Object.defineProperty(prototype, name, { value: () => undefined, configurable: true, writable: true })
  })
})

export const exitTwice = task(import.meta.url, function exitTwice(then: "exits" | "spins"): never {
  setTimeout(() => {
    if (then === "exits") process.exit(2)
    for (;;);
  })
  process.exit(1)
})
