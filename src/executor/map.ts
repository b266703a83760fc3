/**
 * `map`: a function over a stream of items, on an executor, with back-pressure.
 *
 * How it works: up to `window` chunks are under way or finished but not yet consumed. The consumer's `next()` starts
 * filling the window from the source and waits for the chunk whose turn it is: the oldest if ordered, else the first
 * that ends. No task runs ahead of the consumer by more than the window, and the source is read no further than that.
 *
 * If the executor rejects a chunk because it is full, the filling just ends: when a chunk ends there will be room.
 */
import { requireBoolean, requireFunction, requireInteger, requireOptions, typeError } from "../checks.ts"
import { RejectedExecutionError } from "../errors.ts"
import type { FutureTask } from "../future/future-task.ts"
import { guarded, uncaught } from "../memory/flow/guard.ts"
import { awaiting, type Steps, WaitList } from "../memory/flow/waiting.ts"
import { eachOf } from "../task/each.ts"
import { Carrier } from "./carrier.ts"
import type { MapOptions, TaskHost } from "./executor.ts"

type Source<I> = Iterator<I> | AsyncIterator<I>

export function mapOver<I, O>(
  executor: TaskHost,
  fn: (item: I) => O | PromiseLike<O>,
  items: Iterable<I> | AsyncIterable<I>,
  options: MapOptions,
): AsyncIterable<Awaited<O>> {
  requireFunction("fn", fn)
  const known = { ordered: true, window: true, chunk: true } as const
  const { ordered = true, window = executor.defaultWindow, chunk = 1 } = requireOptions("options", options, known)
  requireBoolean("ordered", ordered)
  requireInteger("window", window, 1)
  requireInteger("chunk", chunk, 1)
  const open = sourceOf(items)
  return { [Symbol.asyncIterator]: () => mapping(executor, fn, open(), ordered, window, chunk) }
}

async function* mapping<I, O>(
  executor: TaskHost,
  fn: (item: I) => O | PromiseLike<O>,
  source: Source<I>,
  ordered: boolean,
  window: number,
  chunk: number,
): AsyncGenerator<Awaited<O>, void, undefined> {
  const feed = new Feed<I, Awaited<O>>(executor, eachOf(fn), source, window, chunk)
  try {
    for (;;) {
      feed.fill()
      const ready = feed.poll(ordered)
      if (ready !== undefined) for (const result of await ready.future.get()) yield result
      else if (feed.isOver) return
      else await awaiting(feed.progress())
    }
  } finally {
    feed.stop()
  }
}

/** The chunks under way between the source and the consumer. */
class Feed<I, O> {
  readonly #executor: TaskHost
  readonly #run: (batch: readonly I[]) => Promise<O[]>
  readonly #source: Source<I>
  readonly #window: number
  readonly #chunk: number
  readonly #underWay = new Set<ChunkTask<O>>()
  /** Signalled when a chunk or a filling ends. */
  readonly #progress = new WaitList()
  #filling = false
  /** The source must not be read any more: it is at its end, or failed, or the consumer has gone. */
  #exhausted = false
  #stopped = false
  #failure: { readonly error: unknown } | undefined
  /** A chunk that the executor had no room for. */
  #refused: I[] | undefined
  /** A chunk was rejected, and none has ended since: trying again would be of no use. */
  #full = false

  readonly #onChunkEnd = (): void => {
    this.#full = false
    this.#progress.signal()
  }

  constructor(
    executor: TaskHost,
    run: (batch: readonly I[]) => Promise<O[]>,
    source: Source<I>,
    window: number,
    chunk: number,
  ) {
    this.#executor = executor
    this.#run = run
    this.#source = source
    this.#window = window
    this.#chunk = chunk
  }

  /**
   * Starts filling the window, if it is not full and no filling is under way. The consumer does not wait for it: a slow
   * source must not hold up results.
   */
  fill(): void {
    if (this.#filling || this.#full || this.#stopped || !this.#hasMore || this.#underWay.size >= this.#window) return
    this.#filling = true
    void this.#fillWindow()
      .catch((error: unknown) => {
        this.#failure = { error }
      })
      .finally(() => {
        this.#filling = false
        this.#progress.signal()
      })
  }

  async #fillWindow(): Promise<void> {
    while (this.#underWay.size < this.#window && this.#hasMore) {
      const batch = this.#refused ?? (await this.#read())
      this.#refused = undefined
      if (this.#stopped || batch.length === 0 || !this.#start(batch)) return
    }
  }

  get #hasMore(): boolean {
    return this.#refused !== undefined || !this.#exhausted
  }

  /** The next chunk, shorter at the end of the source, empty beyond it. */
  async #read(): Promise<I[]> {
    const batch: I[] = []
    while (batch.length < this.#chunk && !this.#exhausted) {
      let next: IteratorResult<I>
      try {
        next = await this.#source.next()
      } catch (error) {
        this.#exhausted = true
        throw error
      }
      if (next.done === true) this.#exhausted = true
      else batch.push(next.value)
    }
    return batch
  }

  /** False if the executor is full, which the end of a chunk will change. */
  #start(batch: I[]): boolean {
    const result = this.#executor.taskFor(this.#executor.callable(this.#run, [batch]))
    const task = new ChunkTask(result, this.#onChunkEnd)
    try {
      this.#executor.execute(task)
    } catch (error) {
      guarded(() => result.cancel())
      if (!(error instanceof RejectedExecutionError) || this.#executor.isShutdown || this.#underWay.size === 0)
        throw error
      this.#refused = batch
      this.#full = true
      return false
    }
    this.#underWay.add(task)
    return true
  }

  /** The chunk whose turn it is, if it is done. */
  poll(ordered: boolean): ChunkTask<O> | undefined {
    if (this.#failure !== undefined) throw this.#failure.error
    for (const task of this.#underWay) {
      if (task.isDone) {
        this.#underWay.delete(task)
        this.#full = false // it is worth another try
        return task
      }
      if (ordered) break
    }
    return undefined
  }

  get isOver(): boolean {
    return this.#underWay.size === 0 && !this.#filling
  }

  *progress(): Steps<void> {
    yield this.#progress
  }

  /** The consumer has come to its end, or has left the loop. */
  stop(): void {
    this.#stopped = true
    for (const task of this.#underWay) {
      guarded(() => task.future.cancel(true))
      this.#executor.withdraw(task)
    }
    if (this.#exhausted) return
    this.#exhausted = true
    void closeSource(this.#source)
  }
}

/**
 * The caller does not await this: a source that waits for its next item would hold the consumer up for ever. So an
 * error of the source's clean-up has no handler, and goes to uncaughtException.
 */
async function closeSource(source: Source<unknown>): Promise<void> {
  try {
    await source.return?.()
  } catch (error) {
    uncaught(error)
  }
}

/** Wakes the consumer when a chunk is over, however it ended. */
class ChunkTask<O> extends Carrier<O[]> {
  readonly #onEnd: () => void

  constructor(future: FutureTask<O[]>, onEnd: () => void) {
    super(future)
    this.#onEnd = onEnd
  }

  protected override told(): void {
    this.#onEnd()
  }
}

function sourceOf<I>(items: Iterable<I> | AsyncIterable<I>): () => Source<I> {
  const iterable = items as Partial<Iterable<I> & AsyncIterable<I>> | null | undefined
  if (typeof iterable?.[Symbol.asyncIterator] === "function") {
    return () => (items as AsyncIterable<I>)[Symbol.asyncIterator]()
  }
  if (typeof iterable?.[Symbol.iterator] === "function") return () => (items as Iterable<I>)[Symbol.iterator]()
  throw typeError("items", "an iterable or async iterable", items)
}
