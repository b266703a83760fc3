/**
 * The items of a chunk of `map`, in a worker thread: one after the other, without a turn of the event loop in between
 * as long as the function returns no promise.
 */
import { runtime } from "#host/runtime/clock"
import { isPromiseLike } from "../checks.ts"
import { currentFlow } from "../memory/flow/flow.ts"
import { type ChunkOutcome, isSmall, type LastOutcome, noteFirst } from "./chunk-outcome.ts"
import { type ChunkFunction, type ItemFunction, noteWrapped, withBound } from "./each.ts"
import { passOnTransfers } from "./transfer.ts"

type Eventually<T> = T | Promise<T>

/** As `eachOf`, which has noted the function. */
export function eachAtOnce<I, O>(fn: ItemFunction<I, O>): ChunkFunction<I, Eventually<Awaited<O>[]>> {
  return (items, first = 0, bound) => {
    const call = withBound(fn, bound)
    const results: Awaited<O>[] = []
    noteFirst(results, first)
    while (results.length < items.length) {
      const result = call(items[results.length] as I)
      if (isPromiseLike(result)) return awaitEach(call, items, results, result)
      results.push(result as Awaited<O>)
    }
    passOnTransfers(results, results)
    return results
  }
}

async function awaitEach<I, O>(
  fn: ItemFunction<I, O>,
  items: readonly I[],
  results: Awaited<O>[],
  pending: PromiseLike<O>,
): Promise<Awaited<O>[]> {
  results.push(await pending)
  while (results.length < items.length) results.push(await fn(items[results.length] as I))
  passOnTransfers(results, results)
  return results
}

/** A chunk begins no further item after so many milliseconds. */
const LONGEST_CHUNK = 4

/** Prepares the result or the error of an item, which is not the first of its chunk, for its way. */
export type Packer = (value: unknown, isError: boolean, item: number) => LastOutcome

const asItIs: Packer = (value, isError) => ({ value, isError })

/**
 * As `eachOf`, but it stops early: when {@link LONGEST_CHUNK} is over, when the thread is interrupted, when a result is
 * not small, and when an item fails. If that is the first item, the whole function fails with its error.
 */
export function someOf<I, O>(
  fn: ItemFunction<I, O>,
  pack: Packer = asItIs,
): ChunkFunction<I, Eventually<ChunkOutcome<Awaited<O>>>> {
  const made: ChunkFunction<I, Eventually<ChunkOutcome<Awaited<O>>>> = (items, first = 0, bound) => {
    const run = new ChunkRun<I, O>(items, first, pack)
    const call = withBound(fn, bound)
    for (;;) {
      let result: O | PromiseLike<O>
      try {
        result = call(run.item)
        if (isPromiseLike(result)) return awaitSome(call, run, result)
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
  pending: PromiseLike<O>,
): Promise<ChunkOutcome<Awaited<O>>> {
  let next = pending
  for (;;) {
    let result: Awaited<O>
    try {
      result = await next
      if (run.isOverWith(result)) return run.outcome
      next = fn(run.item) as PromiseLike<O>
    } catch (error) {
      return run.failed(error)
    }
  }
}

class ChunkRun<I, O> {
  readonly #items: readonly I[]
  readonly #first: number
  readonly #pack: Packer
  readonly #results: Awaited<O>[] = []
  #last: LastOutcome | undefined
  readonly #begun = runtime.now()
  readonly #flow = currentFlow()

  constructor(items: readonly I[], first: number, pack: Packer) {
    this.#items = items
    this.#first = first
    this.#pack = pack
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
    const results = this.#results
    // The function may change an object that it has returned, so an object is sent before the next item begins.
    if (!isSmall(result)) {
      if (results.length > 0) this.#last = this.#pack(result, false, this.#first + results.length)
      else results.push(result)
      return true
    }
    results.push(result)
    return results.length === this.#items.length || this.#flow.looksInterrupted || this.#time > LONGEST_CHUNK
  }

  get outcome(): ChunkOutcome<Awaited<O>> {
    const results = noteFirst(this.#results, this.#first)
    const last = this.#last
    if (last !== undefined) {
      const outcome: ChunkOutcome<Awaited<O>> = [this.#time, results, last]
      if ("things" in last) passOnTransfers(outcome, [last])
      return outcome
    }
    const outcome: ChunkOutcome<Awaited<O>> = [this.#time, results]
    if (results.length === 1) passOnTransfers(outcome, results)
    return outcome
  }

  failed(error: unknown): ChunkOutcome<Awaited<O>> {
    const { length } = this.#results
    if (length === 0) throw error
    this.#last = this.#pack(error, true, this.#first + length)
    return this.outcome
  }
}
