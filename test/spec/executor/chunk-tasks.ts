/** What the threads of map-chunks.test.ts run. */
import { task, Thread } from "corepool"
import { words } from "../../support/shared-words.ts"

export const square = task(import.meta.url, function square(n: number): number {
  return n * n
})

/** What an item does, after it has counted itself at its word. */
export type Deed = "return" | "block" | "await" | "interrupt" | "throw" | "throw a function" | "exit"

export interface Item {
  readonly word: number
  readonly deed: Deed
  readonly n: number
}

/** Returns `n`, and whether the thread was interrupted when the item began. */
export const act = task(import.meta.url, function act({ word, deed, n }: Item): unknown {
  Atomics.add(words, word, 1)
  const wasInterrupted = Thread.interrupted()
  const result = [n, wasInterrupted]
  switch (deed) {
    case "return":
      return result
    case "block": // longer than a chunk may take
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6)
      return result
    case "await":
      return Promise.resolve(result)
    case "interrupt":
      Thread.currentThread().interrupt()
      return result
    case "throw":
      throw Object.assign(new RangeError(`item ${n}`), { n })
    case "throw a function":
      // oxlint-disable-next-line typescript/only-throw-error -- what a task may do all the same
      throw () => n
    case "exit":
      return process.exit(3)
  }
})

export const numberIn = task(import.meta.url, function numberIn({ n }: { n: number }): number {
  return n
})

const scratch = new Float64Array(1)

/** Returns the same array each time. */
export const reusing = task(import.meta.url, function reusing(n: number): Float64Array {
  scratch[0] = n
  return scratch
})
