import { currentFlow, interrupted, waitFailed } from "../memory/flow/flow.ts"
import { type Keeper, Parked } from "../memory/flow/wait-list.ts"
import { noteBlocked, noteUnblocked } from "../observing.ts"
import { KEEPER_OF, REPORT, WAIT_IS_OVER } from "./internals.ts"

/** A future, as far as a wait needs it. */
interface Awaitable {
  readonly isDone: boolean
  /** What is to keep the wait: the wait itself, if the future has no other. */
  [KEEPER_OF](wait: ResultWait): Keeper
  /** The wait that was alone is over. */
  [WAIT_IS_OVER](): void
  /** The outcome, returned or thrown. */
  [REPORT](): unknown
  get(): Promise<unknown>
}

/**
 * A wait for a future's result without a limit, which is by far the most frequent one. It does the same as
 * `awaiting(…)` with a generator, but saves a generator and a driver for each of a hundred thousand futures. Most
 * futures have one wait in all their life. While it is alone it needs no list: it is kept by itself.
 *
 * It also stands for the promise that `then` returns to the engine: see promise-job.ts.
 */
export class ResultWait extends Parked implements Keeper {
  readonly #future: Awaitable
  readonly #resolve: (value: never) => void
  readonly #reject: (reason: unknown) => void
  #isNoted = false

  constructor(future: Awaitable, resolve: (value: never) => void, reject: (reason: unknown) => void) {
    super(currentFlow())
    this.#future = future
    this.#resolve = resolve
    this.#reject = reject
  }

  override get subject(): unknown {
    return this.#future
  }

  start(): this {
    if (this.#future.isDone) this.wake()
    else if (this.flow.consumeInterrupt()) this.#reject(interrupted())
    else {
      this.enter(this.#future[KEEPER_OF](this))
      this.#isNoted = noteBlocked(this.flow.owner, "Future")
    }
    return this
  }

  protected override leave(): void {
    super.leave()
    if (this.#isNoted) noteUnblocked(this.flow.owner, "Future")
    this.#isNoted = false
  }

  wake(): void {
    this.leave()
    let value: unknown
    try {
      value = this.#future[REPORT]()
    } catch (error) {
      this.#reject(error)
      return
    }
    this.#resolve(value as never)
  }

  interrupt(): void {
    if (this.place === undefined) return
    this.leave()
    this.flow.consumeInterrupt()
    this.#reject(interrupted(" while waiting"))
  }

  // ------------------------------------------------------------------ as its own keeper

  get interruptible(): boolean {
    return true
  }

  append(): boolean {
    return true
  }

  unlink(): void {
    this.#future[WAIT_IS_OVER]()
  }

  signalAll(): void {
    try {
      this.wake()
    } catch (error) {
      waitFailed(error)
    }
  }

  // ------------------------------------------------------------------ as a promise, which is made only if it is used

  // oxlint-disable-next-line unicorn/no-thenable -- stands for a promise
  then(onFulfilled?: () => unknown): Promise<unknown> {
    return (this.place === undefined ? OVER : this.#future.get().then(nothing, nothing)).then(onFulfilled)
  }

  catch(): Promise<unknown> {
    return this.then(nothing)
  }

  finally(onFinally?: (() => void) | null): Promise<unknown> {
    return this.then(nothing).finally(onFinally)
  }
}

const nothing = (): void => undefined

/** Of a wait that is over. */
const OVER: Promise<void> = /* @__PURE__ */ Promise.resolve()
