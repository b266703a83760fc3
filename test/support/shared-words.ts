/** What a test says and counts in {@link words}, for the tasks it sends to other threads. */
import { sharedNow } from "#src/time/shared-clock.js"
import { eventually } from "./harness.ts"
import { reserve, words } from "./inherited-words.ts"

export { words } from "./inherited-words.ts"

/**
 * A gate for tasks in other threads: each that comes says so and blocks until the gate is opened. With `using`, and after the
 * pool, lest a pool that is closed because a test has failed waits for ever.
 */
export class SharedGate implements Disposable {
  /** For the tasks: `pool.submit(tasks.pass, gate.index)`. */
  readonly index: number = reserve(2)

  get arrived(): number {
    return Atomics.load(words, this.index)
  }

  async reached(count = 1): Promise<void> {
    await eventually(() => this.arrived >= count)
  }

  open(): void {
    Atomics.store(words, this.index + 1, 1)
    Atomics.notify(words, this.index + 1)
  }

  [Symbol.dispose](): void {
    this.open()
  }
}

/** A word of the test's own. */
export class SharedCount {
  readonly index: number = reserve(1)

  get value(): number {
    return Atomics.load(words, this.index)
  }
}

/** What {@link SharedLog} holds: words for how many there are, and two for each. */
const LOG = { COUNT: 0, ENTRIES: 1, MOST: 1000 } as const

/** What tasks in other threads have done, in order: a number for each, and when: not before the moment that is told. */
export class SharedLog {
  /** For the tasks, together with {@link base}: see `note`. */
  readonly index: number = reserve(LOG.ENTRIES + LOG.MOST * 2)
  readonly base: number = sharedNow()

  /** How many are written, from the first on: a thread that is held up may have taken its place and written nothing yet. */
  get length(): number {
    const count = Math.min(Atomics.load(words, this.index + LOG.COUNT), LOG.MOST)
    let length = 0
    while (length < count && Atomics.load(words, this.index + LOG.ENTRIES + 2 * length + 1) !== 0) length++
    return length
  }

  /** Those of the first thousand. */
  get ids(): number[] {
    return Array.from({ length: this.length }, (_, i) => words[this.index + LOG.ENTRIES + 2 * i] as number)
  }

  /** In ms since this was made. */
  get times(): number[] {
    return Array.from({ length: this.length }, (_, i) => (words[this.index + LOG.ENTRIES + 2 * i + 1] as number) / 1000)
  }

  /** On the same scale, of this moment. */
  get now(): number {
    return sharedNow() - this.base
  }
}

/** By so much, in µs, the clocks of two threads may differ; what comes before its time by more is early. */
const { versions } = process
export const CLOCKS_AGREE: number = versions["bun"] === undefined && versions["deno"] === undefined ? 50 : 2000

/** For tasks: writes the number into the log; how many there are then. */
export function note(index: number, base: number, id: number): number {
  const entry = Atomics.add(words, index + LOG.COUNT, 1)
  if (entry < LOG.MOST) {
    words[index + LOG.ENTRIES + 2 * entry] = id
    // Not 0, and last: it says that the entry is written.
    Atomics.store(words, index + LOG.ENTRIES + 2 * entry + 1, Math.ceil((sharedNow() - base) * 1000) + CLOCKS_AGREE)
  }
  return entry + 1
}
