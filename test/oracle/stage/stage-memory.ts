/**
 * What the driver of a scenario and the worker threads of its pool share: for each task its gate, how often it started and
 * how it ended; for each thread what it is about (pool-thread.ts).
 *
 * Tasks are numbered by the driver, and a number is all that a task has to be told. A worker thread inherits the memory in the
 * environment data of the runtime when it is started: after that nothing need be sent to it.
 */
import { add, compareAndSet, load } from "#atomics"
import { InterruptedError, Semaphore } from "corepool"
import { ScenarioError } from "../json.ts"
import type { StageLegacy } from "./inheritance.ts"
import type { Ending, Part, Word } from "./part.ts"

/** More tasks than any scenario has; there are 25 steps at most. */
export const MOST_TASKS = 48

/** What is known of a task: the word that its gate was told, and how often what has happened to it. */
const TASK = { WORD: 0, STARTED: 1, RETURNED: 2, THREW: 3, INTERRUPTED: 4, CALLER: 5, SIZE: 6 } as const

const ENDINGS: Readonly<Record<Ending, number>> = {
  returned: TASK.RETURNED,
  threw: TASK.THREW,
  interrupted: TASK.INTERRUPTED,
  caller: TASK.CALLER,
}

/** Values of WORD. */
const WORDS: readonly Word[] = ["release", "fail"]
const UNTOLD = 0

export class StageMemory {
  readonly #words: Int32Array
  readonly #gates: (Semaphore | undefined)[]
  readonly #handles: StageLegacy["gates"]

  private constructor(words: Int32Array, gates: Semaphore[], handles: StageLegacy["gates"]) {
    this.#words = words
    this.#gates = gates
    this.#handles = handles
  }

  static create(): StageMemory {
    const words = new Int32Array(new SharedArrayBuffer(MOST_TASKS * TASK.SIZE * 4))
    const gates = Array.from({ length: MOST_TASKS }, () => new Semaphore(0))
    return new StageMemory(
      words,
      gates,
      gates.map(({ handle }) => handle),
    )
  }

  static open({ words, gates }: StageLegacy): StageMemory {
    return new StageMemory(words, [], gates)
  }

  /** What the other threads inherit of it. */
  get shared(): Pick<StageLegacy, "words" | "gates"> {
    return { words: this.#words, gates: this.#handles }
  }

  // ------------------------------------------------------------------ what happens to a task

  started(part: Part): void {
    add(this.#words, at(part) + TASK.STARTED, 1)
  }

  ended(part: Part, how: Ending): void {
    add(this.#words, at(part) + ENDINGS[how], 1)
  }

  startsOf(part: Part): number {
    return load(this.#words, at(part) + TASK.STARTED)
  }

  /** How often the task has ended, and how. */
  endsOf(part: Part): [how: Ending, times: number][] {
    return Object.entries(ENDINGS).map(([how, word]) => [how as Ending, load(this.#words, at(part) + word)])
  }

  // ------------------------------------------------------------------ gates

  tell(part: Part, word: Word): void {
    if (compareAndSet(this.#words, at(part) + TASK.WORD, UNTOLD, WORDS.indexOf(word) + 1)) this.#gateOf(part).release()
  }

  /** Waits for the word of a task, and blocks the thread. */
  hearSync(part: Part): Word | "interrupted" {
    for (;;) {
      try {
        this.#gateOf(part).acquireSync()
        return this.#wordOf(part)
      } catch (error) {
        if (!isInterrupt(error)) throw error
        if (!part.uninterruptible) return "interrupted"
      }
    }
  }

  async hear(part: Part): Promise<Word | "interrupted"> {
    for (;;) {
      try {
        await this.#gateOf(part).acquire()
        return this.#wordOf(part)
      } catch (error) {
        if (!isInterrupt(error)) throw error
        if (!part.uninterruptible) return "interrupted"
      }
    }
  }

  #gateOf({ number }: Part): Semaphore {
    return (this.#gates[number] ??= Semaphore.from(this.#handles[number] as StageLegacy["gates"][number]))
  }

  #wordOf(part: Part): Word {
    return WORDS[load(this.#words, at(part) + TASK.WORD) - 1] as Word
  }
}

function at({ name, number }: Part): number {
  if (number >= MOST_TASKS) throw new ScenarioError(`Task ${name} is one too many: there are gates for ${MOST_TASKS}`)
  return number * TASK.SIZE
}

function isInterrupt(error: unknown): boolean {
  return error instanceof InterruptedError
}
