/**
 * The ExecutorCompletionService of suite "invoke", without the completions that Java's would not deliver: those of
 * tasks that the pool dropped.
 */
import { type Completion, ExecutorCompletionService, type Future } from "corepool"
import { translate } from "../deliberate-differences.ts"
import { ScenarioError } from "../json.ts"
import type { WatchedPool } from "./watched-pool.ts"

/** Why a wait is given up and taken up again: see {@link Completions.shutdownNow}. */
const HELD = new Error("held")

export class Completions {
  readonly #pool: WatchedPool
  readonly #service: ExecutorCompletionService<unknown>
  /** What the service gave to the pool, and whose it is. */
  readonly #commands = new Map<unknown, { future: Future<unknown> | undefined }>()
  readonly #dropped = new Set<Future<unknown> | undefined>()
  /** Those who wait, longest first. */
  readonly #takers = new Set<AbortController>()
  #resumed: Promise<void> = Promise.resolve()

  constructor(pool: WatchedPool) {
    this.#pool = pool
    this.#service = new ExecutorCompletionService(pool)
  }

  /** The future comes in a box: it is a thenable. */
  submit(callable: () => unknown): { readonly future: Future<unknown> | undefined } {
    const box: { future: Future<unknown> | undefined } = { future: undefined }
    this.#pool.executing = (command) => this.#commands.set(command, box)
    try {
      box.future = this.#service.submit(callable)
    } finally {
      this.#pool.executing = () => {}
    }
    return box
  }

  /** The next completion if there is one now. */
  poll(): Completion<unknown> | undefined {
    for (;;) {
      const found = this.#service.poll()
      if (found === undefined || this.#isShown(found)) return found
    }
  }

  /** The next completion within that time, which may be `Infinity`. */
  async next(timeout: number): Promise<Completion<unknown> | undefined> {
    const deadline = performance.now() + timeout
    for (;;) {
      const taker = new AbortController()
      const { signal } = taker
      this.#takers.add(taker)
      try {
        const left = deadline - performance.now()
        const found = await (timeout === Infinity
          ? this.#service.take({ signal })
          : this.#service.poll({ timeout: left, signal }))
        if (found === undefined || this.#isShown(found)) return found
      } catch (error) {
        if (error !== HELD) throw error
        await this.#resumed
      } finally {
        this.#takers.delete(taker)
      }
    }
  }

  /**
   * Shuts the pool down; tells how many tasks it returned.
   *
   * The tasks that it drops are delivered here but not in Java. Somebody waiting who got such a completion and asked
   * again would have lost his place in line to those behind him. So the waits are given up before the call and taken
   * up after it, in the same order, when the completions that Java does not know are gone.
   */
  shutdownNow(): number {
    const dropped = [...this.#pool.queue].flatMap((command) => this.#commands.get(command) ?? [])
    for (const { future } of dropped) this.#dropped.add(future)
    const held = dropped.length > 0 ? [...this.#takers] : []
    let resume = (): void => {}
    if (held.length > 0) this.#resumed = new Promise((resolve) => (resume = resolve))
    for (const taker of held) taker.abort(HELD)
    const returned = this.#pool.shutdownNow()
    if (held.length > 0 && this.poll() !== undefined) {
      throw new ScenarioError("A completion was there though somebody waited for one")
    }
    resume()
    return returned.length
  }

  #isShown({ future }: Completion<unknown>): boolean {
    return translate("completion", { droppedByPool: this.#dropped.has(future), inJava: true }).inJava
  }
}
