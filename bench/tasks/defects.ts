/** What the rivals' threads do in defects.ts, each with one argument. */
import { setTimeout as sleep } from "node:timers/promises"
import { threadId } from "node:worker_threads"

/** Shared with the main thread: the first word opens the gate, the second counts, the others are a log. */
export type Words = Int32Array

export async function wait(ms: number): Promise<number> {
  await sleep(ms)
  return ms
}

export async function spin(ms: number): Promise<string> {
  const end = performance.now() + ms
  while (performance.now() < end);
  return "ended by itself"
}

/** Writes its number behind those of the tasks before it. */
export async function mark({ words, i }: { words: Words; i: number }): Promise<void> {
  words[2 + Atomics.add(words, 1, 1)] = i
}

/** Counts, then stays until the gate opens. */
export async function hold(words: Words): Promise<void> {
  Atomics.add(words, 1, 1)
  Atomics.wait(words, 0, 0)
}

/** Counts on, a step each ms. */
export async function steps({ words, n }: { words: Words; n: number }): Promise<void> {
  for (let i = 0; i < n; i++) {
    Atomics.add(words, 1, 1)
    await sleep(1)
  }
}

export async function thread(): Promise<number> {
  return threadId
}

export async function giveFunction(): Promise<() => void> {
  return () => undefined
}

export async function exit(): Promise<never> {
  process.exit(3)
}

export async function throwUncaught(): Promise<never> {
  setTimeout(() => {
    throw new Error("thrown where nobody catches")
  })
  return new Promise(() => undefined)
}

export async function fillHeap(): Promise<number> {
  const filled: unknown[] = []
  for (;;) filled.push(Array.from({ length: 1000 }, (_, i) => ({ i })))
}

export async function throwCircle(): Promise<never> {
  const error: Error & { self?: unknown } = new Error("with a circle")
  error.self = error
  throw error
}

export async function throwBigInt(): Promise<never> {
  throw Object.assign(new Error("with a BigInt"), { amount: 4n })
}

export async function throwUndefined(): Promise<never> {
  const nothing: unknown = undefined
  throw nothing
}
