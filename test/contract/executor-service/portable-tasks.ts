/**
 * What the threads run for portable-work.ts. Words that belong together are named by where they begin.
 *
 * Not from "corepool" as a whole: there are hundreds of threads, and each would have to load all of it.
 */
import { InterruptedError } from "#src/errors.js"
import { task } from "#src/task/index.js"
import { Thread } from "#src/thread/thread.js"
import { words } from "../../support/inherited-words.ts"
import type { AnyExecutorService } from "./subject.ts"

// ------------------------------------------------------------------ gates

/** The words of a gate. */
export const GATE = {
  OPEN: 0,
  ENTRIES: 1,
  INSIDE: 2,
  MOST: 3,
  INTERRUPTED: 4,
  /** The number of the last question, how many have answered questions so far, and how many of these had an interrupt pending. */
  QUESTION: 5,
  ANSWERS: 6,
  PENDING: 7,
  SIZE: 8,
} as const

/** How long somebody at a gate waits before it looks again whether it is open, or somebody asks, in ms. */
const GLANCE = 1

/** Somebody at a gate: begins when it comes. */
class Visit {
  readonly #at: number
  readonly #signal = Thread.currentThread().signal
  /** The last question that it has answered. Who comes later answers the last one too. */
  #answered = 0

  constructor(gate: number) {
    this.#at = gate
    const inside = Atomics.add(words, gate + GATE.INSIDE, 1) + 1
    let most = Atomics.load(words, gate + GATE.MOST)
    while (most < inside) {
      const seen = Atomics.compareExchange(words, gate + GATE.MOST, most, inside)
      if (seen === most) break
      most = seen
    }
    Atomics.add(words, gate + GATE.ENTRIES, 1)
  }

  /** Looks around; true if the gate is still closed. */
  stays(): boolean {
    const question = Atomics.load(words, this.#at + GATE.QUESTION)
    if (question !== this.#answered) {
      this.#answered = question
      if (Thread.currentThread().isInterrupted) Atomics.add(words, this.#at + GATE.PENDING, 1)
      Atomics.add(words, this.#at + GATE.ANSWERS, 1)
    }
    return Atomics.load(words, this.#at + GATE.OPEN) === 0
  }

  leave(): void {
    Atomics.sub(words, this.#at + GATE.INSIDE, 1)
  }

  /** Leaves because of this error. */
  breakOff(error: unknown): void {
    if (error instanceof InterruptedError && this.#signal.aborted) Atomics.add(words, this.#at + GATE.INTERRUPTED, 1)
  }
}

export const pass = task(import.meta.url, async function pass(gate: number, value: unknown): Promise<unknown> {
  const visit = new Visit(gate)
  while (visit.stays()) await new Promise((resolve) => setTimeout(resolve, GLANCE))
  visit.leave()
  return value
})

export const passSync = task(import.meta.url, function passSync(gate: number, value: unknown): unknown {
  const visit = new Visit(gate)
  while (visit.stays()) Atomics.wait(words, gate + GATE.OPEN, 0, GLANCE)
  visit.leave()
  return value
})

export const passAlert = task(import.meta.url, async function passAlert(gate: number, value: unknown) {
  const visit = new Visit(gate)
  try {
    while (visit.stays()) await Thread.sleep(GLANCE)
    return value
  } catch (error) {
    visit.breakOff(error)
    throw error
  } finally {
    visit.leave()
  }
})

export const passAlertSync = task(import.meta.url, function passAlertSync(gate: number, value: unknown): unknown {
  const visit = new Visit(gate)
  try {
    while (visit.stays()) Thread.sleepSync(GLANCE)
    return value
  } catch (error) {
    visit.breakOff(error)
    throw error
  } finally {
    visit.leave()
  }
})

export const passYielding = task(import.meta.url, async function passYielding(gate: number, value: unknown) {
  try {
    return await passAlert(gate, value)
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error
    return value
  }
})

export const passYieldingSync = task(import.meta.url, function passYieldingSync(gate: number, value: unknown): unknown {
  try {
    return passAlertSync(gate, value)
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error
    return value
  }
})

// ------------------------------------------------------------------ notes

/** The words of notes: how many there are, and then each of them. A series may come to more runs before the test looks: those are not noted. */
export const MOST_NOTES = 15

export const note = task(import.meta.url, function note(notes: number, text: number): void {
  const count = Atomics.add(words, notes, 1)
  if (count < MOST_NOTES) Atomics.store(words, notes + 1 + count, text)
})

export const noteLater = task(import.meta.url, async function noteLater(notes: number, text: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve))
  note(notes, text)
})

/** Plainly: that is the point of it. */
export const increment = task(import.meta.url, function increment(cell: number): number {
  const found = words[cell] as number
  words[cell] = found + 1
  return found
})

// ------------------------------------------------------------------ the rest

export const giveBack = task(import.meta.url, function giveBack(value: unknown): unknown {
  return value
})

export const throwIt = task(import.meta.url, function throwIt(error: Error): never {
  throw error
})

export const rejectWith = task(import.meta.url, async function rejectWith(error: Error): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve))
  throw error
})

export const threadName = task(import.meta.url, function threadName(): string {
  return Thread.currentThread().name
})

export const throwItsThread = task(import.meta.url, function throwItsThread(): never {
  throw new Error(Thread.currentThread().name)
})

export const isInterrupted = task(import.meta.url, function isInterrupted(): boolean {
  return Thread.currentThread().isInterrupted
})

export const submitTo = task(
  import.meta.url,
  function submitTo(executor: AnyExecutorService, notes: number, text: number) {
    executor.submit(note, notes, text)
  },
)

export const close = task(import.meta.url, function close(executor: AnyExecutorService): Promise<void> {
  return executor.close()
})
