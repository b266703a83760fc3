/**
 * Defects of other pools, each as a setup that any pool of corepool can be put through: it throws if the pool misbehaves. Tests run
 * them, and so does `npm run bench -- defects` beside the peers that fail. The numbers are those of docs/spec/peers.md.
 */
import { tasksOf, type ThreadPoolExecutor, type ThreadPoolOptions } from "corepool"

/** What a setup asks of the threads of a pool. */
export interface ThreadWishes {
  readonly terminateAfter?: number
  readonly resourceLimits?: { readonly maxOldGenerationSizeMb?: number }
}

/** Makes a pool of worker threads. Who gives it looks after the pool: a setup that fails half-way leaves it running. */
export type NewPool = (options: ThreadPoolOptions, threads?: ThreadWishes) => ThreadPoolExecutor

export interface Setup {
  readonly defect: number
  readonly title: string
  run(newPool: NewPool): Promise<void>
}

/** The functions that the threads run. */
export const work = tasksOf<typeof import("./tasks.ts")>(new URL("tasks.js", import.meta.url))

export function fixed(size: number): ThreadPoolOptions {
  return { corePoolSize: size, maximumPoolSize: size }
}

export function count<T>(n: number, make: (i: number) => T): T[] {
  return Array.from({ length: n }, (_, i) => make(i))
}

/** Words that the threads share with the setup: a gate, a counter, a log. See tasks.ts. */
export class SharedWords {
  readonly words: Int32Array = new Int32Array(new SharedArrayBuffer(4 * 64))

  /** Lets go on whoever is held. */
  open(): void {
    Atomics.store(this.words, 0, 1)
  }

  /** How many have counted. */
  get counter(): number {
    return Atomics.load(this.words, 1)
  }

  /** The numbers that were marked, in order. */
  get log(): number[] {
    return [...this.words.subarray(2, 2 + this.counter)]
  }
}
