import { exitBySignal, forgetSignals, listenToSignals } from "#host/server/server"
import type { SignalName } from "./node-options.ts"

/**
 * Closes a node on signals that end its process. The first signal makes the node drain; after that the node no longer
 * keeps the process alive, and the process ends by itself when the rest of the program lets it. A second signal ends it
 * at once.
 */
export class SignalWatch {
  readonly #signals: readonly SignalName[]
  readonly #drain: () => void
  readonly #onSignal = (signal: string): void => this.#receive(signal)
  #isDraining = false
  #isWatching = false

  constructor(signals: readonly SignalName[], drain: () => void) {
    this.#signals = signals
    this.#drain = drain
  }

  start(): void {
    if (this.#isWatching) return
    this.#isWatching = true
    listenToSignals(this.#signals, this.#onSignal)
  }

  /** Restores the earlier meaning of the signals. */
  stop(): void {
    this.#isWatching = false
    forgetSignals(this.#signals, this.#onSignal)
  }

  #receive(signal: string): void {
    if (this.#isDraining) exitBySignal(signal)
    this.#isDraining = true
    this.#drain()
  }
}
