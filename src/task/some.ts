/**
 * The items of a chunk of `map`, in a worker thread: one after the other, without a turn of the event loop in between
 * as long as the function returns no promise.
 */
import { runtime } from "#host/clock"
import { isPromiseLike } from "../checks.ts"
import { currentFlow } from "../memory/flow/flow.ts"
import { type ChunkOutcome, isObject, type ItemFunction, noteWrapped } from "./each.ts"

type Eventually<T> = T | Promise<T>

/** As `eachOf`, which has noted the function. */
export function eachAtOnce<I, O>(fn: ItemFunction<I, O>): (items: readonly I[]) => Eventually<Awaited<O>[]> {
  return (items) => {
    const results: Awaited<O>[] = []
    while (results.length < items.length) {
      const result = fn(items[results.length] as I)
      if (isPromiseLike(result)) return awaitEach(fn, items, results, result)
      results.push(result as Awaited<O>)
    }
    return results
  }
}

async function awaitEach<I, O>(
  fn: ItemFunction<I, O>,
  items: readonly I[],
  results: Awaited<O>[],
  first: PromiseLike<O>,
): Promise<Awaited<O>[]> {
  results.push(await first)
  while (results.length < items.length) results.push(await fn(items[results.length] as I))
  return results
}

/** A chunk begins no further item after so many milliseconds. */
const LONGEST_CHUNK = 4

/**
 * As `eachOf`, but it stops early: when {@link LONGEST_CHUNK} is over, when the thread is interrupted, and when an
 * item fails. If that is the first item, the whole function fails with its error.
 */
export function someOf<I, O>(
  fn: ItemFunction<I, O>,
  portable: (error: unknown) => unknown = (error) => error,
): (items: readonly I[]) => Eventually<ChunkOutcome<Awaited<O>>> {
  const made = (items: readonly I[]): Eventually<ChunkOutcome<Awaited<O>>> => {
    const run = new ChunkRun<I, O>(items, portable)
    for (;;) {
      let result: O | PromiseLike<O>
      try {
        result = fn(run.item)
        if (isPromiseLike(result)) return awaitSome(fn, run, result)
      } catch (error) {
        return run.failed(error)
      }
      if (run.isOverWith(result as Awaited<O>)) return run.outcome
    }
  }
  noteWrapped(made, fn, "some")
  return made
}

async function awaitSome<I, O>(
  fn: ItemFunction<I, O>,
  run: ChunkRun<I, O>,
  first: PromiseLike<O>,
): Promise<ChunkOutcome<Awaited<O>>> {
  try {
    let isOver = run.isOverWith(await first)
    while (!isOver) isOver = run.isOverWith(await fn(run.item))
  } catch (error) {
    return run.failed(error)
  }
  return run.outcome
}

class ChunkRun<I, O> {
  readonly #items: readonly I[]
  readonly #portable: (error: unknown) => unknown
  readonly #results: Awaited<O>[] = []
  readonly #begun = runtime.now()
  readonly #flow = currentFlow()

  constructor(items: readonly I[], portable: (error: unknown) => unknown) {
    this.#items = items
    this.#portable = portable
  }

  /** The item whose turn it is. */
  get item(): I {
    return this.#items[this.#results.length] as I
  }

  get #time(): number {
    return runtime.now() - this.#begun
  }

  /** The item has this result. True if no other item is to be begun. */
  isOverWith(result: Awaited<O>): boolean {
    this.#results.push(result)
    // The function may change an object that it has returned, so an object is sent before the next item begins.
    if (this.#results.length === this.#items.length || isObject(result)) return true
    return this.#flow.looksInterrupted || this.#time > LONGEST_CHUNK
  }

  get outcome(): ChunkOutcome<Awaited<O>> {
    return [this.#time, this.#results]
  }

  failed(error: unknown): ChunkOutcome<Awaited<O>> {
    if (this.#results.length === 0) throw error
    return [this.#time, this.#results, this.#portable(error)]
  }
}
