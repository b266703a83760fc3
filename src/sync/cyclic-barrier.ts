import { isPromiseLike, rangeError, requireFunction, requireInteger, requireTimeout } from "../checks.ts"
import { BrokenBarrierError, IllegalStateError } from "../errors.ts"
import { identityOf } from "../identity.ts"
import { FACTS, type Facts } from "../inspection.ts"
import { currentFlow } from "../memory/flow/flow.ts"
import { Shareable, type Shared, SharedMemory } from "../memory/shared/shared-memory.ts"
import { abortOf, awaiting, blocking, timeoutOf, type WaitOptions } from "../memory/flow/waiting.ts"
import { passing } from "../memory/flow/polling.ts"
import { BarrierCore } from "./barrier-core.ts"
import { BarrierGeneration } from "./barrier-generation.ts"

/** Each party has a slot in the memory of the barrier. As many as a Phaser may have. */
const MAX_PARTIES = 65_535

/** Called when all have arrived. */
export type BarrierAction = () => unknown

/**
 * A place where a number of tasks wait for each other. When the last one arrives, all go on, and the next round begins.
 *
 * The tasks may be flows of one thread or tasks in many. The last task to arrive runs the *action*, before any task
 * goes on. A promise that it returns is awaited first; so it must not be asynchronous if the last task may block in
 * `awaitSync`.
 *
 * All or none: if one task that waits gives up, because of a time limit, an interrupt or a signal, the barrier is
 * *broken*, and the others get `BrokenBarrierError`. So does every task that comes later, until `reset()`.
 *
 * **In other threads.** An action is a function and belongs to the thread that gave it. A barrier that was made with
 * one needs one in each thread: `CyclicBarrier.from(received, action)`. The action of the last task to arrive runs.
 *
 * **Death.** If a thread dies in which a task waits, or which runs the action, the barrier breaks.
 *
 * A task must not wait at the barrier from inside the barrier's action: it would wait for itself.
 *
 * **Memory effects.** What each task wrote to shared memory before it arrived is visible to the action, and what the
 * action wrote is visible to all tasks that go on.
 *
 * @example
 * ```ts
 * import { CyclicBarrier, Executors } from "corepool"
 *
 * const rows: number[] = []
 * const barrier = new CyclicBarrier(2, () => console.log(rows.toSorted().join()))
 * await using pool = Executors.newVirtualThreadPerTaskExecutor()
 * const compute = async (row: number): Promise<void> => {
 *   rows.push(row)
 *   await barrier.await() // goes on when both have come here
 * }
 * await Promise.all([pool.submit(compute, 1), pool.submit(compute, 2)])
 * // => 1,2
 * ```
 */
export class CyclicBarrier extends Shareable {
  readonly #core: BarrierCore
  readonly #action: BarrierAction | undefined

  /**
   * `parties` tasks make a round; `action` runs at its end.
   *
   * @throws RangeError unless `parties` is an integer from 1 to 65,535.
   */
  constructor(parties: number, action?: BarrierAction)
  /** @internal */
  constructor(parties: number | SharedMemory, action?: BarrierAction)
  constructor(parties: number | SharedMemory, action?: BarrierAction) {
    const memory = parties instanceof SharedMemory ? parties : create(parties, action)
    super("CyclicBarrier", memory)
    this.#core = new BarrierCore(memory)
    this.#action = action
  }

  /** The same barrier that another thread has posted. If it was made with an action, this thread needs one too. */
  static from(shared: Shared, action?: BarrierAction): CyclicBarrier {
    if (action !== undefined) requireFunction("action", action)
    const barrier = new CyclicBarrier(SharedMemory.open("CyclicBarrier", shared), action)
    const { hasAction } = barrier.#core.generation
    if (hasAction && action === undefined) {
      throw new TypeError(
        "Expected `action` to be a function: this barrier was made with an action, and the last task to arrive runs that of its own thread. Use CyclicBarrier.from(shared, action)",
      )
    }
    if (!hasAction && action !== undefined) {
      throw new TypeError(
        "Expected `action` to be undefined: this barrier was made without one, so that the other threads have none",
      )
    }
    return barrier
  }

  // ------------------------------------------------------------------ waiting

  /**
   * Waits until all have arrived: the arrival index, `parties - 1` for the first and 0 for the last. With a time limit:
   * `TimeoutError` if it is over before. A task that gives up breaks the barrier, even before it had to wait.
   */
  async await(wait?: WaitOptions): Promise<number> {
    const flow = currentFlow()
    const timeout = timeoutOf(wait)
    const signal = abortOf(wait)
    if (signal?.aborted === true) {
      await awaiting(this.#core.breaking(flow))
      signal.throwIfAborted()
    }
    const arrival = await awaiting(this.#core.arriving(flow, { timeout, blocks: false }), wait, "CyclicBarrier", this)
    if (typeof arrival === "number") return arrival
    try {
      const result = this.#action?.()
      if (isPromiseLike(result)) await result
    } catch (error) {
      await awaiting(this.#core.finishing(flow, arrival, false))
      throw error
    }
    return tripped(await awaiting(this.#core.finishing(flow, arrival, true)))
  }

  /**
   * Blocks the thread until all have arrived. An action that returns a promise breaks the barrier: it cannot be
   * awaited.
   */
  awaitSync(ms: number = Infinity): number {
    const flow = currentFlow()
    const way = { timeout: requireTimeout("ms", ms), blocks: true }
    const arrival = blocking(this.#core.arriving(flow, way), ms, "CyclicBarrier")
    if (typeof arrival === "number") return arrival
    try {
      this.#actSync()
    } catch (error) {
      blocking(this.#core.finishing(flow, arrival, false))
      throw error
    }
    return tripped(blocking(this.#core.finishing(flow, arrival, true)))
  }

  // ------------------------------------------------------------------ breaking and mending

  /**
   * Begins anew: waiting tasks get `BrokenBarrierError`, and so does the task that runs the action, when it is over.
   * Tasks that come now find the barrier whole.
   */
  reset(): void {
    passing(this.#core.resetting(currentFlow()))
  }

  /** Whether the barrier is broken. */
  get isBroken(): boolean {
    this.#lookForDeaths()
    return this.#core.generation.isBroken
  }

  // ------------------------------------------------------------------ asking

  /** How many tasks make a round. */
  get parties(): number {
    return this.#core.generation.parties
  }

  /** How many have arrived and wait for the rest. */
  get numberWaiting(): number {
    this.#lookForDeaths()
    const { arrived, tripper } = this.#core.generation
    return tripper === 0 ? arrived : arrived + 1 // the task that runs the action has arrived too
  }

  /** @internal */
  override get [FACTS](): Facts {
    return { parties: this.parties, numberWaiting: this.numberWaiting, isBroken: this.isBroken }
  }

  /** How many tasks it takes, and how many wait. */
  override toString(): string {
    const broken = this.isBroken ? ", broken" : ""
    return `${identityOf(this)}[Parties = ${this.parties}, Waiting = ${this.numberWaiting}${broken}]`
  }

  // ------------------------------------------------------------------ inside

  #actSync(): void {
    if (!isPromiseLike(this.#action?.())) return
    throw new IllegalStateError(
      "The action of the barrier returned a promise, and a thread that is blocked in awaitSync() cannot await it. Use an action that is over when it returns, or `await barrier.await()`",
    )
  }

  /** If all threads that wait here are dead, none of them has noticed the deaths. */
  #lookForDeaths(): void {
    if (!this.#core.generation.isUpToDate) passing(this.#core.looking(currentFlow()))
  }
}

function tripped(isCurrent: boolean): number {
  if (isCurrent) return 0
  throw new BrokenBarrierError("The barrier was reset, or broke because of a death, while its action was running")
}

function create(parties: number, action: BarrierAction | undefined): SharedMemory {
  requireInteger("parties", parties, 1)
  if (parties > MAX_PARTIES) throw rangeError("parties", `an integer ≤ ${MAX_PARTIES}`, parties)
  if (action !== undefined) requireFunction("action", action)
  const memory = SharedMemory.allocate(BarrierGeneration.size(parties))
  BarrierGeneration.begin(memory.words, parties, action !== undefined)
  return memory
}
