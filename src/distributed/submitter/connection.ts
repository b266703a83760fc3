import { runtime } from "#host/runtime/clock"
import { IllegalStateError } from "../../errors.ts"
import { inBackground } from "../job/background.ts"
import type { Engine, EngineListener, EngineQueue } from "../job/engine.ts"

/** The connection to the engine: opened when it is first needed, and opened again if that has failed. */
export class Connection {
  readonly #engine: Engine
  readonly #name: string
  readonly #listener: EngineListener
  #opening: Promise<EngineQueue> | undefined
  #queue: EngineQueue | undefined
  #isClosed = false

  constructor(engine: Engine, name: string, listener: EngineListener) {
    this.#engine = engine
    this.#name = name
    this.#listener = listener
  }

  /**
   * The queue. The listener gets all events from then on. Rejects if the engine cannot be reached, and after
   * {@link close}.
   */
  queue(): Promise<EngineQueue> {
    if (this.#isClosed) return Promise.reject(new IllegalStateError(`The executor \`${this.#name}\` has ended`))
    this.#opening ??= inBackground(() => this.#open())
    return this.#opening
  }

  async #open(): Promise<EngineQueue> {
    let queue: EngineQueue | undefined
    try {
      queue = await this.#engine.open(this.#name, "executor")
      await queue.listen(this.#listener)
    } catch (error) {
      this.#opening = undefined // the next caller tries again
      await queue?.close()
      throw error
    }
    return (this.#queue = queue)
  }

  /** The engine's clock; that of this machine before the first connection. */
  now(): number {
    return this.#queue?.now() ?? runtime.wallTime()
  }

  get isOpen(): boolean {
    return this.#queue !== undefined
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#opening === undefined) return
    const queue = await this.#opening.catch(() => undefined) // callers of queue() have got the error
    await queue?.close()
  }
}
