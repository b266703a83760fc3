/** What the threads do. They speak to the setup by shared words: 0 is a gate, 1 a counter, the others are a log. */
import { Thread } from "corepool"
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises"
import { threadId } from "node:worker_threads"

export function add(a: number, b: number): number {
  return a + b
}

export function thread(): number {
  return threadId
}

/** Its number, `turns` turns of the event loop later. */
export async function later(turns: number, value: number): Promise<number> {
  for (let left = turns; left > 0; left--) await turn()
  return value
}

/** Counts, and stays until the gate is open. */
export async function hold(words: Int32Array): Promise<string> {
  Atomics.add(words, 1, 1)
  while (Atomics.load(words, 0) === 0) await sleep(1)
  return "held"
}

/** Writes its number behind those of the tasks before it; then stays for some turns. */
export async function mark(words: Int32Array, i: number, turns: number): Promise<void> {
  words[2 + Atomics.add(words, 1, 1)] = i
  for (let left = turns; left > 0; left--) await turn()
}

/** Computes until it is interrupted. */
export function compute(words: Int32Array): void {
  while (!Thread.interrupted()) Atomics.add(words, 1, 1)
}

/** Computes, and listens to nobody. */
export function computeDeaf(words: Int32Array): never {
  for (;;) Atomics.add(words, 1, 1)
}

/** Counts a step each turn until its signal is aborted. */
export async function walk(words: Int32Array): Promise<void> {
  const { signal } = Thread.currentThread()
  while (!signal.aborted) {
    Atomics.add(words, 1, 1)
    await turn()
  }
}

export function giveFunction(): () => void {
  return () => undefined
}

export function exit(code: number): never {
  process.exit(code)
}

/** Throws where nobody can catch it, and never ends. */
export function throwUncaught(): Promise<never> {
  setImmediate(() => {
    throw new Error("thrown where nobody catches")
  })
  return new Promise(() => undefined)
}

export function fillHeap(): never {
  const filled: unknown[] = []
  for (;;) filled.push(Array.from({ length: 1000 }, (_, i) => ({ i })))
}

export function throwCircle(): never {
  const error: Error & { self?: unknown } = new Error("with a circle")
  error.self = error
  throw error
}

export function throwBigInt(): never {
  throw Object.assign(new RangeError("with a BigInt"), { amount: 4n })
}

export function throwUndefined(): never {
  const nothing: unknown = undefined
  throw nothing
}
