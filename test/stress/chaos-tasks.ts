/** What the threads of chaos.test.ts run. */
import { task, transfer } from "corepool"

export const add = task(import.meta.url, function add(a: number, b: number): number {
  return a + b
})

export const later = task(import.meta.url, async function later(a: number, b: number): Promise<number> {
  await new Promise((resolve) => setImmediate(resolve))
  return a + b
})

/** More than is worth being copied twice. */
export const copyBack = task(import.meta.url, function copyBack(bytes: Uint8Array): Uint8Array {
  return bytes
})

export const moveBack = task(import.meta.url, function moveBack(bytes: Uint8Array): Uint8Array {
  return transfer(bytes)
})

export const fail = task(import.meta.url, function fail(index: number, _: number): never {
  throw new RangeError(`task ${index}`)
})

export const exit = task(import.meta.url, function exit(): void {
  process.exit(3)
})

export const devour = task(import.meta.url, function devour(): void {
  const hoard: unknown[] = []
  for (;;) hoard.push(Array.from({ length: 1000 }, () => 1))
})

export const throwLater = task(import.meta.url, function throwLater(): Promise<never> {
  return new Promise(() => {
    setTimeout(() => {
      throw new Error("thrown later")
    })
  })
})

export const spin = task(import.meta.url, function spin(): void {
  for (;;);
})

export const same = task(import.meta.url, function same<T>(value: T): T {
  return value
})
