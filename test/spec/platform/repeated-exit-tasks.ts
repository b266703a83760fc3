/** Tasks for repeated-exit.test.ts. */
import { task } from "corepool"

export const add = task(import.meta.url, function add(a: number, b: number): number {
  return a + b
})

export const exitTwice = task(import.meta.url, function exitTwice(then: "exits" | "spins"): never {
  setTimeout(() => {
    if (then === "exits") process.exit(2)
    for (;;);
  })
  process.exit(1)
})
