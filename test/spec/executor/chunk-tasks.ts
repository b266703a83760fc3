/** What the threads of map-chunks.test.ts run. */
import { task, Thread, transfer } from "corepool"
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

/** Returns `n`; for one number something that cannot be sent. */
export const sometimesAFunction = task(
  import.meta.url,
  function sometimesAFunction(kind: "function" | "member" | "symbol", at: number, n: number): unknown {
    if (n !== at) return n
    if (kind === "symbol") return Symbol("s")
    return kind === "function" ? () => n : { a: () => n }
  },
)

/** Deeper than the stack of a thread: no thread can send it. */
const DEPTH = 20_000

export const deepResult = task(import.meta.url, function deepResult(at: number, n: number): unknown {
  if (n !== at) return n
  let deep: object = {}
  for (let i = 0; i < DEPTH; i++) deep = { deep }
  return deep
})

/** Fails with an error whose causes only a thread with a larger stack than that of the main thread can copy. */
export const deepError = task(import.meta.url, function deepError(at: number, n: number): unknown {
  if (n !== at) return n
  let error = new Error("the innermost")
  for (let i = 0; i < 4000; i++) error = new Error("an outer one", { cause: error })
  throw error
})

export const longText = task(import.meta.url, function longText(n: number): string {
  return "x".repeat(n < 300 ? 1 : 5000)
})

/** Every 30th result is a port with a message in it. */
export const movedPort = task(import.meta.url, function movedPort(n: number): unknown {
  if (n % 30 !== 29) return n
  const { port1, port2 } = new MessageChannel()
  port1.postMessage("through the port")
  return transfer(port2)
})

export const scaled = task(import.meta.url, function scaled(factor: number, offset: number, n: number): number {
  return n * factor + offset
})

export const counted = task(import.meta.url, function counted(word: number, by: number): number {
  return Atomics.add(words, word, by)
})
