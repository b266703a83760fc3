/**
 * What the driver of a scenario of suite "scheduled" and the worker threads of its pool share: a log of what tasks do, and for
 * each task how often it has run, and whether it wants its future to be cancelled, which only the driver can do.
 */
import { ScenarioError } from "../json.ts"
import { type Event, events, type TimedPart } from "./timed-part.ts"
import type { Entry } from "./timed-stage.ts"

/** More than any scenario has. */
const MOST_TASKS = 64
const MOST_ENTRIES = 4096

const TASK = { RUNS: 0, CANCEL: 1, SIZE: 2 } as const
const ENTRY = { NUMBER: 0, RUN: 1, EVENT: 2, IS_WRITTEN: 3, SIZE: 4 } as const

/** How many entries there are; how many cancellations were asked for. */
const COUNT = 0
const ASKED = 1
const TASKS_AT = 2
const ENTRIES_AT = TASKS_AT + MOST_TASKS * TASK.SIZE
const WORDS = ENTRIES_AT + MOST_ENTRIES * ENTRY.SIZE

/** Values of CANCEL. */
const NO = 0
const WANTED = 1
const DONE = 2

export class TimedMemory {
  readonly buffer: SharedArrayBuffer
  readonly #words: Int32Array
  /** When each entry was written. */
  readonly #times: Float64Array
  #read = 0

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(WORDS * 4 + MOST_ENTRIES * 8)) {
    this.buffer = buffer
    this.#words = new Int32Array(buffer, MOST_ENTRIES * 8)
    this.#times = new Float64Array(buffer, 0, MOST_ENTRIES)
  }

  // ------------------------------------------------------------------ for the tasks

  begin(part: TimedPart): number {
    const run = Atomics.add(this.#words, taskAt(part.number) + TASK.RUNS, 1) + 1
    this.write(part, run, "started")
    return run
  }

  write({ number, name }: TimedPart, run: number, event: Event): void {
    const index = Atomics.add(this.#words, COUNT, 1)
    if (index >= MOST_ENTRIES) throw new ScenarioError(`Task ${name} runs too often: there is no room to write it down`)
    const entry = ENTRIES_AT + index * ENTRY.SIZE
    this.#words[entry + ENTRY.NUMBER] = number
    this.#words[entry + ENTRY.RUN] = run
    this.#words[entry + ENTRY.EVENT] = events.indexOf(event)
    this.#times[index] = Date.now()
    Atomics.store(this.#words, entry + ENTRY.IS_WRITTEN, 1)
  }

  /** Asks for the cancellation of the task's future, and blocks until that is done. */
  askSync({ number }: TimedPart): void {
    const word = this.#ask(number)
    while (Atomics.load(this.#words, word) === WANTED) Atomics.wait(this.#words, word, WANTED)
  }

  async ask({ number }: TimedPart): Promise<void> {
    const word = this.#ask(number)
    await changeOf(this.#words, word, WANTED)
  }

  #ask(number: number): number {
    const word = taskAt(number) + TASK.CANCEL
    Atomics.store(this.#words, word, WANTED)
    Atomics.add(this.#words, ASKED, 1)
    Atomics.notify(this.#words, ASKED)
    return word
  }

  // ------------------------------------------------------------------ for the driver

  get length(): number {
    return Atomics.load(this.#words, COUNT)
  }

  /** How many runs have begun and not ended. */
  get inside(): number {
    let count = 0
    for (let index = 0; index < this.length; index++) count += this.#eventAt(index) === "started" ? 1 : -1
    return count
  }

  /** What was written since the last call. */
  news(): Entry[] {
    const news: Entry[] = []
    for (; this.#read < this.length; this.#read++) {
      const entry = ENTRIES_AT + this.#read * ENTRY.SIZE
      if (Atomics.load(this.#words, entry + ENTRY.IS_WRITTEN) === 0) break
      news.push({
        number: this.#words[entry + ENTRY.NUMBER] as number,
        run: this.#words[entry + ENTRY.RUN] as number,
        event: this.#eventAt(this.#read),
        at: this.#times[this.#read] as number,
      })
    }
    return news
  }

  #eventAt(index: number): Event {
    return events[this.#words[ENTRIES_AT + index * ENTRY.SIZE + ENTRY.EVENT] as number] as Event
  }

  /** Answers those who ask for a cancellation, until {@link stopAnswering}. */
  async answer(cancel: (number: number) => void): Promise<void> {
    for (let seen = 0; seen >= 0; seen = await changeOf(this.#words, ASKED, seen)) {
      for (let number = 0; number < MOST_TASKS; number++) {
        const word = taskAt(number) + TASK.CANCEL
        if (Atomics.load(this.#words, word) !== WANTED) continue
        cancel(number)
        Atomics.store(this.#words, word, DONE)
        Atomics.notify(this.#words, word)
      }
    }
  }

  stopAnswering(): void {
    Atomics.store(this.#words, ASKED, -1)
    Atomics.notify(this.#words, ASKED)
    for (let number = 0; number < MOST_TASKS; number++) {
      Atomics.store(this.#words, taskAt(number) + TASK.CANCEL, NO)
      Atomics.notify(this.#words, taskAt(number) + TASK.CANCEL)
    }
  }
}

function taskAt(number: number): number {
  if (number >= MOST_TASKS) throw new ScenarioError(`There are more than ${MOST_TASKS} tasks`)
  return TASKS_AT + number * TASK.SIZE
}

type WaitAsync = (
  words: Int32Array,
  index: number,
  value: number,
) => { async: false; value: string } | { async: true; value: Promise<string> }

/** Waits until the word has another value than this one, which it returns. */
async function changeOf(words: Int32Array, index: number, value: number): Promise<number> {
  const { waitAsync } = Atomics as unknown as { waitAsync: WaitAsync }
  for (let now: number; (now = Atomics.load(words, index)) === value;) {
    const waiting = waitAsync(words, index, now)
    if (waiting.async) await waiting.value
  }
  return Atomics.load(words, index)
}
