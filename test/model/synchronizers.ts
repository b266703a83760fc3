/**
 * What the models of all synchronizers have in common. Their objects are made by each body, over words of the set-up, in
 * the name of its thread; what becomes of them in the end is looked at in the words.
 */
import { load } from "#atomics"
import { Flow } from "#src/memory/flow/flow.js"
import type { SharedMemory } from "#src/memory/shared/shared-memory.js"
import { THREAD } from "#src/memory/thread/thread-registry.js"
import { QUEUE } from "#src/memory/wait/wait-queue.js"
import assert from "node:assert/strict"
import { explore, type Limits, type Model } from "./explore.ts"
import type { Program } from "./program.ts"
import { assertExplored } from "./support.ts"

/** A state takes about 50 microseconds. */
const MOST_STATES = 5_000_000

const MORE = Number(process.env["STRESS"] ?? 1) >= 10 ? 1 : 0

/** How often threads that could go on are left at most; once more if there is time, for it takes about five times as long. */
export function upTo(preemptions: number): Limits {
  return { preemptions: preemptions + MORE }
}

/** As a thread opens what others have posted to it: only in something shared may it block without a time limit. */
export function opened(program: Program, thread: string, words: Int32Array): SharedMemory {
  const memory = program.memory(thread, words)
  memory.isShared = true
  return memory
}

/** A flow whose interrupt flag is a word of the model, so that other threads can raise it at any step. For the set-up. */
export function interruptible(program: Program, thread: string): Flow {
  const flow = new Flow()
  flow.exposeFlag(program.registry.words, program.registry.entryOf(program.token(thread)) + THREAD.INTERRUPT)
  return flow
}

/** Nobody stands in the queue at the beginning of these words, or has left anything there to be done. */
export function assertNobodyWaits(words: Int32Array): void {
  for (const word of ["GUARD", "INBOX", "TAKEN", "HEAD", "LENGTH", "WAKE"] as const)
    assert.equal(load(words, QUEUE[word]), 0, word)
}

/** Explores the model, in which those in `kill` are buried when they die, and demands so many states. */
export function check<S extends { readonly program: Program }, R extends Record<string, unknown>>(
  atLeast: number,
  model: Model<S, R>,
): void {
  const report = explore({
    states: MOST_STATES,
    onKill: ({ program }: S, name: string) => program.reap(name),
    ...model,
  })
  if (process.env["VERBOSE"] !== undefined) process.stderr.write(`${JSON.stringify(report)}\n`)
  assertExplored(report, atLeast)
}
