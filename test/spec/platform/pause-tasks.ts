/** What the threads of pause.test.ts run. */
import { type ExecutorService, fork, task } from "corepool"
import { words } from "../../support/shared-words.ts"

export const pauseIt = task(import.meta.url, function pauseIt(executor: ExecutorService): boolean {
  executor.pause()
  return executor.isPaused
})

export const resumeIt = task(import.meta.url, function resumeIt(executor: ExecutorService): boolean {
  executor.resume()
  return executor.isPaused
})

export const awaitIt = task(import.meta.url, function awaitIt(executor: ExecutorService, index: number) {
  Atomics.add(words, index, 1)
  return executor.awaitQuiescence()
})

export const part = task(import.meta.url, function part(gate: number): number {
  Atomics.add(words, gate, 1)
  while (Atomics.load(words, gate + 1) === 0) Atomics.wait(words, gate + 1, 0)
  return 1
})

export const leaf = task(import.meta.url, function leaf(): number {
  return 1
})

/** Goes through the gate, and then divides itself; the forks are not joined by itself at once. */
export const divide = task(import.meta.url, async function divide(gate: number): Promise<number> {
  part(gate)
  const parts = Array.from({ length: 8 }, () => fork(leaf))
  let sum = 0
  for (const it of parts) sum += await it
  return sum
})

export const childOf = task(import.meta.url, function childOf(executor: ExecutorService, gate: number): number {
  part(gate)
  return executor.submit(leaf).getSync()
})
