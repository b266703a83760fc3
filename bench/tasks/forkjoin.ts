/** What the threads of corepool do in the contest "forkjoin". */
import { corepool } from "../corepool.ts"
import { CUT_OFF, sequentialFib } from "./fib.ts"

const { fork, task } = await corepool()

export const nothing = task(import.meta.url, function nothing(): void {})

/** Forks so many that do nothing, and joins each. */
export const forkEach = task(import.meta.url, function forkEach(n: number): number {
  for (let i = 0; i < n; i++) fork(nothing).join()
  return n
})

export const fib = task(import.meta.url, function fib(n: number): number {
  if (n < CUT_OFF) return sequentialFib(n)
  const other = fork(fib, n - 1)
  return fib(n - 2) + other.join()
})

/** Divides down to the end. */
export const wholeFib = task(import.meta.url, function wholeFib(n: number): number {
  if (n < 2) return n
  const other = fork(wholeFib, n - 1)
  return wholeFib(n - 2) + other.join()
})
