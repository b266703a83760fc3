/** What the setups of all peers share: how a defect is told, and a few instruments. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Words } from "./tasks/defects.ts"

export interface Verdict {
  /** Undefined if the setup did not come to an end: that says nothing. */
  readonly reproduced: boolean | undefined
  /** What was to be seen, in a few words. */
  readonly seen: string
}

/** Something that goes wrong in a peer; the numbers are those of docs/spec/peers.md. */
export interface PeerDefect {
  readonly number: number
  readonly peer: string
  readonly setup: string
  reproduce(): Promise<Verdict>
}

/** Whoever has not answered by then, never will. */
const PATIENCE = 2_000

export const PENDING: unique symbol = Symbol("pending")

/** What becomes of a promise: its value, its error, or nothing. */
export function outcomeOf(
  promise: PromiseLike<unknown>,
): Promise<{ value: unknown } | { error: unknown } | typeof PENDING> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(PENDING), PATIENCE)
    promise.then(
      (value) => {
        clearTimeout(timer)
        resolve({ value })
      },
      (error: unknown) => {
        clearTimeout(timer)
        resolve({ error })
      },
    )
  })
}

/** The same in a few words. */
export async function tellOutcome(promise: PromiseLike<unknown>): Promise<string> {
  const outcome = await outcomeOf(promise)
  if (outcome === PENDING) return "pending"
  if ("value" in outcome) return `gives ${String(outcome.value)}`
  return `fails: ${messageOf(outcome.error)}`
}

export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : JSON.stringify(error)
  return (message ?? "undefined").split("\n")[0] ?? ""
}

export function newWords(length = 64): Words {
  return new Int32Array(new SharedArrayBuffer(4 * length))
}

/** What tasks `mark` wrote, in order. */
export function logOf(words: Words): number[] {
  return [...words.subarray(2, 2 + Atomics.load(words, 1))]
}

export function open(words: Words): void {
  Atomics.store(words, 0, 1)
  Atomics.notify(words, 0)
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(1)
}

/** The path of a module with tasks. */
export function tasks(name: string): URL {
  return new URL(`tasks/${name}.js`, import.meta.url)
}

export function count<T>(n: number, make: (i: number) => T): T[] {
  return Array.from({ length: n }, (_, i) => make(i))
}
