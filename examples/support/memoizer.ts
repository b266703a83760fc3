/**
 * A function that remembers its results: the well-known use of FutureTask.
 *
 *     const memoizer = new Memoizer((id: number) => loadUser(id))
 *     await memoizer.get(7) // loads; everybody who asks meanwhile waits for the same load
 *     await memoizer.get(7) // remembers
 *
 * A remembered promise would do for that much. The future adds that the computation can be cancelled, that a caller
 * can be interrupted or lose patience without harm to the others, and that all of it is seen from outside.
 *
 * What comes to nothing is not remembered. A cancelled computation is started anew by those who wait for it. A
 * failure is told to all who wait for it, so that a thousand callers do not try a thousand times, but the next caller
 * tries again: most failures are about a moment, and one that is kept makes the moment last for ever.
 */
import { FutureTask, InterruptedError } from "corepool"

export class Memoizer<K, V> {
  readonly #compute: (key: K) => V | PromiseLike<V>
  readonly #memory = new Map<K, Computation<V>>()

  constructor(compute: (key: K) => V | PromiseLike<V>) {
    this.#compute = compute
  }

  /** How many keys have a value, or soon will. */
  get size(): number {
    return this.#memory.size
  }

  /** The value of the key: remembered, or computed by this caller, or waited for. */
  async get(key: K): Promise<V> {
    for (;;) {
      const known = this.#memory.get(key)
      const computation = known ?? this.#start(key)
      try {
        return await computation.get()
      } catch (error) {
        const anew = computation.isCancelled || (known !== undefined && broke(computation, error))
        if (!anew) throw error
      }
    }
  }

  /**
   * Cancels the computation of this key, if there is one. It is not interrupted: it runs in some caller's own thread,
   * which may have other things to do.
   */
  cancel(key: K): boolean {
    return this.#memory.get(key)?.cancel() ?? false
  }

  /** Forgets the value of this key. One that is just being computed still reaches those who wait for it. */
  forget(key: K): boolean {
    return this.#memory.delete(key)
  }

  /**
   * No `await` between looking and remembering: so nobody can come in between, and there is one computation at a
   * time.
   */
  #start(key: K): Computation<V> {
    const computation: Computation<V> = new Computation(
      () => this.#compute(key),
      () => this.#remove(key, computation),
    )
    this.#memory.set(key, computation)
    void computation.run() // in the caller's own thread
    return computation
  }

  /** Removes the key only if this is still its computation: it may have been forgotten, and another be under way. */
  #remove(key: K, computation: Computation<V>): void {
    if (this.#memory.get(key) === computation) this.#memory.delete(key)
  }
}

/** Calls `onFailure` when it ends without a value; those who wait have not yet gone on then. */
class Computation<V> extends FutureTask<V> {
  readonly #onFailure: () => void

  constructor(compute: () => V | PromiseLike<V>, onFailure: () => void) {
    super(compute)
    this.#onFailure = onFailure
  }

  protected override done(): void {
    if (this.state !== "success") this.#onFailure()
  }
}

/** Whether the caller that computed was interrupted over it. That was meant for that caller and for nobody else. */
function broke(computation: Computation<unknown>, error: unknown): boolean {
  return error instanceof InterruptedError && computation.state === "failed" && computation.exceptionNow() === error
}
