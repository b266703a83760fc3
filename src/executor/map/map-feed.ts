import { isPromiseLike, typeError } from "../../checks.ts"
import { RejectedExecutionError } from "../../errors.ts"
import type { FutureTask } from "../../future/future-task.ts"
import { WILL_BE_AWAITED } from "../../future/internals.ts"
import { guarded, uncaught } from "../../memory/flow/guard.ts"
import type { ChunkFunction } from "../../task/each.ts"
import { type Steps, WaitList } from "../../memory/flow/waiting.ts"
import { Carrier } from "../carrier.ts"
import type { TaskHost } from "../executor.ts"
import { CALLABLE, TASK_FOR, WITHDRAW } from "../internals.ts"

/** What the items come from. */
export type Source<I> = Iterator<I> | AsyncIterator<I>

/** Items that make one task, which is undefined until it is started. */
export interface Chunk<I, R> {
  items: readonly I[]
  /** The number of the first of them among all items. */
  readonly first: number
  task: ChunkTask<R> | undefined
}

/**
 * The chunks of `map` under way, between the source of the items and the consumer of the results. `R` is the result of
 * a task.
 *
 * How it works. The chunks are a list, in the order of their items. At most `window` of them are under way or done but
 * not consumed. The consumer calls `fill` and waits for the chunk whose turn it is: the first if ordered, else the
 * first that ends. No task runs ahead of the consumer by more than the window, and the source is read no further than
 * that.
 *
 * If the executor rejects a chunk because it is full, the filling just ends: when a chunk ends there will be room.
 */
export class MapFeed<I, R> {
  readonly #executor: TaskHost
  readonly #work: ChunkWork<I, R>
  readonly #source: Source<I>
  readonly #isAsync: boolean
  readonly #ordered: boolean
  readonly #window: number
  readonly #size: number
  /** In the order of the items. */
  protected readonly chunks: Chunk<I, R>[] = []
  /** How many items they have. */
  protected itemCount = 0
  /** How many items were read. */
  #read = 0
  /** How many of the chunks have a task. */
  #started = 0
  /** Signalled when a chunk or a filling ends. */
  readonly #progress = new WaitList()
  #filling = false
  /** The source must not be read any more: it is at its end, or failed, or the consumer has gone. */
  #exhausted = false
  #stopped = false
  #failure: { readonly error: unknown } | undefined
  /** A chunk was rejected, and none has ended since: trying again would be of no use. */
  #full = false

  constructor(
    executor: TaskHost,
    work: ChunkWork<I, R>,
    source: Source<I>,
    isAsync: boolean,
    ordered: boolean,
    window: number,
    size: number,
  ) {
    this.#executor = executor
    this.#work = work
    this.#source = source
    this.#isAsync = isAsync
    this.#ordered = ordered
    this.#window = window
    this.#size = size
  }

  /** How many items the next chunk has. */
  protected get size(): number {
    return this.#size
  }

  /**
   * Fills the window from the source. The consumer does not wait for an asynchronous source: that must not hold up
   * results. A synchronous one is read at once.
   */
  fill(): void {
    if (this.#filling || this.#full || this.#stopped || this.#started >= this.#window) return
    if (!this.#exhausted || this.#started < this.chunks.length) void this.#fillWindow()
  }

  async #fillWindow(): Promise<void> {
    this.#filling = true
    try {
      while (this.#startWaiting() && !this.#exhausted && this.chunks.length < this.#window) {
        const items: I[] = []
        const { size } = this
        if (size === 0) break
        while (items.length < size && !this.#exhausted) {
          let isDone = true // so that an error of the source leaves it exhausted
          try {
            const result = this.#source.next()
            const next = requireResult<I>(this.#isAsync ? await result : result)
            // Any value counts as true or false here, as for `for…of`.
            // oxlint-disable-next-line typescript/strict-boolean-expressions -- see above
            if (!next.done) {
              const { value } = next
              if (value === undefined && !this.#isAsync) refusePromise(next)
              items.push(value)
              isDone = false
            }
          } finally {
            if (isDone) this.#exhausted = true
          }
          if (!isDone && this.isLast(items)) break
        }
        if (this.#stopped) return
        if (items.length > 0) this.chunks.push({ items, first: this.#read, task: undefined })
        this.#read += items.length
        this.itemCount += items.length
      }
    } catch (error) {
      this.#failure = { error }
    }
    this.#filling = false
    if (this.#isAsync) this.#progress.signal()
  }

  /** Starts the chunks that have no task. False if that must wait until a chunk ends or is consumed. */
  #startWaiting(): boolean {
    for (let i = 0; this.#started < this.chunks.length; i++) {
      const chunk = this.chunks[i] as Chunk<I, R>
      if (chunk.task === undefined && (this.#started >= this.#window || !this.#start(chunk))) return false
    }
    return true
  }

  /** False if the executor is full, which the end of a chunk will change. */
  #start(chunk: Chunk<I, R>): boolean {
    const { run, bound } = this.#work
    const { items, first } = chunk
    const args: Parameters<typeof run> = bound.length === 0 ? [items, first] : [items, first, bound]
    const result = this.#executor[TASK_FOR](this.#executor[CALLABLE](run, args))
    chunk.task = new ChunkTask(result, () => {
      this.#full = false
      this.ended(chunk)
      this.#progress.signal()
    })
    this.#started++
    try {
      this.#executor.execute(chunk.task)
      return true
    } catch (error) {
      chunk.task = undefined
      this.#started--
      guarded(() => result.cancel())
      if (!(error instanceof RejectedExecutionError) || this.#executor.isShutdown || this.#started === 0) throw error
      this.#full = true
      return false
    }
  }

  /** Whether a chunk ends with the last of these items. */
  protected isLast(_items: readonly I[]): boolean {
    return false
  }

  /** The task of the chunk is over. */
  protected ended(_chunk: Chunk<I, R>): void {}

  /** Takes the chunk whose turn it is out of the list, if it is done, and returns its future. */
  poll(): FutureTask<R> | undefined {
    if (this.#failure !== undefined) throw this.#failure.error
    for (const chunk of this.chunks) {
      const { task } = chunk
      if (task?.isDone === true) {
        this.chunks.splice(this.chunks.indexOf(chunk), 1)
        this.itemCount -= chunk.items.length
        this.#started--
        this.#full = false // it is worth another try
        return task.future
      }
      if (this.#ordered) break
    }
    return undefined
  }

  get isOver(): boolean {
    return this.chunks.length === 0 && !this.#filling
  }

  /**
   * Waits until a chunk is over. If the consumer is itself a task of the pool, it may run the first chunk on the spot:
   * all threads of the pool may wait for chunks that are still queued.
   */
  *progress(): Steps<void> {
    const first = this.chunks[0]?.task
    if (first !== undefined) first.future[WILL_BE_AWAITED](false)
    if (first?.isDone !== true) yield this.#progress
  }

  /** The consumer has come to its end, or has left the loop. */
  stop(): void {
    this.#stopped = true
    for (const { task } of this.chunks) {
      if (task === undefined) continue
      guarded(() => task.future.cancel(true))
      this.#executor[WITHDRAW](task)
    }
    if (this.#exhausted) return
    this.#exhausted = true
    void closeSource(this.#source)
  }
}

/** What a task does with its items. */
export interface ChunkWork<I, R> {
  readonly run: ChunkFunction<I, R | PromiseLike<R>>
  /** Arguments that come before the item. */
  readonly bound: readonly unknown[]
}

/** What `next()` has returned, if `for…of` accepts it. */
function requireResult<I>(result: unknown): IteratorResult<I> {
  if ((typeof result === "object" && result !== null) || typeof result === "function") {
    return result as IteratorResult<I>
  }
  throw wrongResult(result)
}

/** A promise has neither `done` nor `value`. */
function refusePromise(result: object): void {
  if (isPromiseLike(result)) throw wrongResult(result)
}

function wrongResult(result: unknown): TypeError {
  return typeError("items", "a source whose next() gives objects with `value`", result)
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

/** Calls the feed when a chunk is over, however it ended. */
class ChunkTask<R> extends Carrier<R> {
  readonly #onEnd: () => void

  constructor(future: FutureTask<R>, onEnd: () => void) {
    super(future)
    this.#onEnd = onEnd
  }

  protected override futureEnded(): void {
    this.#onEnd()
  }
}
