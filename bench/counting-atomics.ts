/**
 * Counts the atomic operations of the thread that loads it. corepool takes the functions of Atomics when it is loaded, so
 * this module has to be loaded before: contention.ts passes it by `--import`, which holds for worker threads too.
 */

export interface Counts {
  loads: number
  stores: number
  /** Those that change a word and never fail. */
  changes: number
  /** `compareExchange` that has changed the word. */
  set: number
  /** `compareExchange` that has found another value. */
  failed: number
  notified: number
  /** How often the thread has blocked, or begun to listen. */
  waits: number
  /** The failed ones, by the place in the code. */
  readonly places: Record<string, number>
}

export const counts: Counts = {
  loads: 0,
  stores: 0,
  changes: 0,
  set: 0,
  failed: 0,
  notified: 0,
  waits: 0,
  places: {},
}

type Operation = (...args: unknown[]) => unknown

const atomics = Atomics as unknown as Record<string, Operation>

function count(key: Exclude<keyof Counts, "places">, ...names: string[]): void {
  for (const name of names) {
    const operation = atomics[name] as Operation
    atomics[name] = (...args) => {
      counts[key]++
      return operation(...args)
    }
  }
}

count("loads", "load")
count("stores", "store")
count("changes", "add", "sub", "or", "and", "xor", "exchange")
count("notified", "notify")
count("waits", "wait", "waitAsync")

const compareExchange = atomics["compareExchange"] as Operation
atomics["compareExchange"] = (words, index, expected, value) => {
  const found = compareExchange(words, index, expected, value)
  if (found === expected) counts.set++
  else {
    counts.failed++
    const place = placeOfCaller()
    counts.places[place] = (counts.places[place] ?? 0) + 1
  }
  return found
}

/** The functions that have led to the operation, from a stack: failures are few. */
function placeOfCaller(): string {
  const lines = new Error("for its stack").stack?.split("\n").slice(3) ?? []
  const names = lines.map((line) => /at (?:async )?(?:new )?([\w.#$]+) \(/.exec(line)?.[1]?.replace(/^.*\./, "") ?? "?")
  return names.slice(0, 4).reverse().join(" > ")
}
