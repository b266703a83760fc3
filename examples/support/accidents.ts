/** Ways for a thread to die. */
import { task } from "corepool"

export const leave = task(import.meta.url, function leave(code: number): void {
  process.exit(code) // inside of a worker thread that ends the thread
})

/** Fails where nobody can catch it: in a callback. */
export const throwLater = task(import.meta.url, function throwLater(): Promise<void> {
  return new Promise(() => {
    setImmediate(() => {
      throw new Error("thrown by a timer")
    })
  })
})

export const hoard = task(import.meta.url, function hoard(): void {
  for (const rooms: unknown[] = []; ;) rooms.push(Array.from({ length: 1000 }, () => ({})))
})
