/** `map` on worker threads, without `chunk`: several items make one task, as many as take about a millisecond. */
import { runtime } from "#host/runtime/clock"
import type { BulkMap, TaskHost } from "../../executor/executor.ts"
import { DEFAULT_WINDOW } from "../../executor/internals.ts"
import { type Chunk, type ChunkWork, MapFeed } from "../../executor/map/map-feed.ts"
import { addSubmitter } from "../../future/merge-stacks.ts"
import { awaiting } from "../../memory/flow/waiting.ts"
import { type ChunkOutcome, isObject, isSmall } from "../../task/chunk-outcome.ts"
import { unpack } from "../../task/portable-error.ts"
import { submitterOf } from "../../task/reference.ts"
import { someOf } from "../../task/some.ts"
import { ChunkSize } from "./chunk-size.ts"

/** With more items in a task, `map` would not be faster, and other threads would wait longer at its end. */
const MOST_ITEMS = 1024

/** Milliseconds of reading after which a chunk has no further item: the event loop of this thread stands still. */
const LONGEST_READING = 0.1

/** At least after so many items the time is looked at. */
const MOST_BETWEEN_LOOKS = 16

export const bulkMap: BulkMap = (executor, fn, bound, source, ordered, window) =>
  new Results(new ChoosingFeed(executor, { run: someOf(fn), bound }, source, ordered, window), fn)

/** Chooses the number of items in a chunk. Items that a task has not begun become a chunk of their own. */
class ChoosingFeed<I, O> extends MapFeed<I, ChunkOutcome<O>> {
  #size: ChunkSize
  readonly #mostItems: number
  /** When the reading of the present chunk began, and the number of items after which the time is looked at. */
  #readingSince = 0
  #nextLook = 0

  constructor(
    executor: TaskHost,
    work: ChunkWork<I, ChunkOutcome<O>>,
    source: Iterator<I>,
    ordered: boolean,
    window: number | undefined,
  ) {
    const defaultWindow = executor[DEFAULT_WINDOW]
    super(executor, work, source, false, ordered, window ?? defaultWindow, 1)
    this.#mostItems = window ?? Infinity
    // Every thread should have two chunks, also if the caller's window is small.
    const most = window === undefined ? MOST_ITEMS : Math.max(1, Math.floor(window / defaultWindow))
    this.#size = new ChunkSize(Math.min(most, MOST_ITEMS))
  }

  protected override get size(): number {
    this.#readingSince = runtime.now()
    this.#nextLook = 1
    return Math.min(this.#size.size, this.#mostItems - this.itemCount)
  }

  /** The source may change an object that it has given: so an object is sent before the next item is read. */
  protected override isLast(items: readonly I[]): boolean {
    const { length } = items
    const item = items[length - 1]
    if (!isSmall(item)) {
      if (isObject(item)) this.#size = new ChunkSize(1)
      return true
    }
    if (length < this.#nextLook) return false
    this.#nextLook = length + Math.min(length, MOST_BETWEEN_LOOKS)
    return runtime.now() - this.#readingSince > LONGEST_READING
  }

  protected override ended(chunk: Chunk<I, ChunkOutcome<O>>): void {
    const { future } = chunk.task as NonNullable<typeof chunk.task>
    if (future.state !== "success") return
    const [time, results, last] = future.resultNow()
    const begun = results.length + (last === undefined ? 0 : 1)
    this.#size.note(begun, time)
    if (last !== undefined || isObject(results[0])) this.#size = new ChunkSize(1)
    if (last?.isError !== true && begun < chunk.items.length) this.#leaveOver(chunk, begun)
  }

  /** The items from this one on become chunks of their own, none of them larger than a new one would be. */
  #leaveOver(chunk: Chunk<I, ChunkOutcome<O>>, begun: number): void {
    const { size } = this.#size
    const rest: Chunk<I, ChunkOutcome<O>>[] = []
    for (let i = begun; i < chunk.items.length; i += size) {
      rest.push({ items: chunk.items.slice(i, i + size), first: chunk.first + i, task: undefined })
    }
    this.chunks.splice(this.chunks.indexOf(chunk) + 1, 0, ...rest)
    chunk.items = chunk.items.slice(0, begun)
  }
}

type Result<O> = IteratorResult<O, undefined>

/**
 * The results as an async iterator. It behaves as an async generator does: calls are answered one after the other, in
 * the order in which they came.
 *
 * An async generator would need several turns of the microtask queue for each result. Here a result that is there is
 * returned as a promise that is fulfilled already.
 */
class Results<I, O> implements AsyncIterableIterator<O, undefined> {
  readonly #feed: MapFeed<I, ChunkOutcome<O>>
  readonly #fn: (item: I) => unknown
  /** The results of the chunk whose turn it is, and how many of them were returned. */
  #results: readonly O[] = []
  #returned = 0
  /** What follows after these results. */
  #failure: { readonly error: unknown } | undefined
  #isOver = false
  /** How many calls have not been answered; `#latest` is fulfilled when the latest of them is. */
  #unanswered = 0
  #latest: Promise<unknown> = Promise.resolve()

  constructor(feed: MapFeed<I, ChunkOutcome<O>>, fn: (item: I) => unknown) {
    this.#feed = feed
    this.#fn = fn
  }

  next(): Promise<Result<O>> {
    const isThere = this.#unanswered === 0 && this.#returned < this.#results.length
    return isThere ? Promise.resolve(this.#take()) : this.#inTurn(() => this.#advance())
  }

  return(): Promise<Result<O>> {
    return this.#inTurn(() => {
      this.#end()
      return Promise.resolve(DONE)
    })
  }

  throw(error: unknown): Promise<Result<O>> {
    return this.#inTurn(() => {
      this.#end()
      return Promise.reject(error)
    })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }

  #take(): Result<O> {
    return { done: false, value: this.#results[this.#returned++] as O }
  }

  #inTurn(call: () => Promise<Result<O>>): Promise<Result<O>> {
    const before = this.#latest
    let open: ((value: unknown) => void) | undefined
    // Set before the call, in which the source may call this iterator.
    this.#latest = new Promise((resolve) => (open = resolve))
    const answer = this.#unanswered++ === 0 ? call() : before.then(call)
    const answered = (): void => {
      this.#unanswered--
      open?.(undefined)
    }
    answer.then(answered, answered)
    return answer
  }

  async #advance(): Promise<Result<O>> {
    try {
      while (!this.#isOver) {
        if (this.#returned < this.#results.length) return this.#take()
        if (this.#failure !== undefined) throw this.#failure.error
        this.#feed.fill()
        const done = this.#feed.poll()
        if (done !== undefined) this.#deliver(await done.get())
        else if (this.#feed.isOver) this.#end()
        else await awaiting(this.#feed.progress(), undefined, "Future", "map")
      }
      return DONE
    } catch (error) {
      this.#end()
      throw error
    }
  }

  #deliver(outcome: ChunkOutcome<O>): void {
    const [, results, last] = outcome
    this.#results = results
    this.#returned = 0
    if (last === undefined) return
    const unpacked = unpack(last)
    if ("value" in unpacked) results.push(unpacked.value as O)
    else {
      const frames = submitterOf(this.#fn)
      if (frames !== undefined) addSubmitter(unpacked.error, frames)
      this.#failure = unpacked
    }
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#results = []
    this.#returned = 0
    this.#feed.stop()
  }
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined }
