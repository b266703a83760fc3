import { requireInteger } from "../../checks.ts"
import { AbstractQueuedSynchronizer } from "../../lock/abstract-queued-synchronizer.ts"

export const MIN_VALUE: number = -(2 ** 31)

interface Request {
  readonly weight: number
  readonly priority: number
  /** What the value was when the request was granted. */
  value: number
  readonly controller: AbortController | undefined
}

interface UnlockWait {
  readonly weight: number
  readonly priority: number
  readonly resolve: () => void
}

/** The value is the state. The argument is the number of a request. */
export class Permits extends AbstractQueuedSynchronizer {
  readonly #requests = new Map<number, Request>()
  readonly #unlockWaits = new Set<UnlockWait>()
  #cancelling = new AbortController()
  #lastRequest = 0

  constructor(value: number) {
    super()
    this.state = value
  }

  get value(): number {
    return this.state
  }

  /** The value before, when the request is granted. */
  async request(weight: number, priority: number, signal: AbortSignal | undefined): Promise<number> {
    signal?.throwIfAborted()
    const controller = signal === undefined ? undefined : new AbortController()
    const request: Request = { weight, priority, value: 0, controller }
    const id = (this.#lastRequest = (this.#lastRequest + 1) | 0)
    const abort = (): void => {
      this.#requests.delete(id)
      controller?.abort((signal as AbortSignal).reason)
      this.#tellUnlocked()
    }
    this.#requests.set(id, request)
    signal?.addEventListener("abort", abort)
    try {
      await this.acquireShared(id, { priority, signal: (controller ?? this.#cancelling).signal })
      return request.value
    } finally {
      this.#requests.delete(id)
      signal?.removeEventListener("abort", abort)
    }
  }

  change(by: number): void {
    this.releaseShared(requireInteger("value", this.state + by, MIN_VALUE))
  }

  set(value: number): void {
    this.releaseShared(requireInteger("value", value, MIN_VALUE))
  }

  cancel(reason: unknown): void {
    const cancelling = this.#cancelling
    const requests = [...this.#requests.values()]
    this.#cancelling = new AbortController()
    this.#requests.clear() // first: one that leaves the line must not let the next one in
    cancelling.abort(reason)
    for (const { controller } of requests) controller?.abort(reason)
    this.#tellUnlocked()
  }

  /** Resolves when a request like this would be granted at once. */
  unlocked(weight: number, priority: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      if (this.#couldHave(weight, priority)) {
        resolve()
        return
      }
      const wait: UnlockWait = {
        weight,
        priority,
        resolve: () => {
          signal?.removeEventListener("abort", giveUp)
          resolve()
        },
      }
      const giveUp = (): void => {
        this.#unlockWaits.delete(wait)
        reject(signal?.reason as Error)
      }
      signal?.addEventListener("abort", giveUp, { once: true })
      this.#unlockWaits.add(wait)
    })
  }

  #couldHave(weight: number, priority: number): boolean {
    if (weight > this.state) return false
    for (const request of this.#requests.values()) if (request.priority >= priority) return false
    return true
  }

  #tellUnlocked(): void {
    if (this.#unlockWaits.size === 0) return
    const able = [...this.#unlockWaits].filter(({ weight, priority }) => this.#couldHave(weight, priority))
    for (const wait of able) {
      this.#unlockWaits.delete(wait)
      wait.resolve()
    }
  }

  protected override tryAcquireShared(id: number): number {
    const request = this.#requests.get(id)
    if (request === undefined || this.hasQueuedPredecessors() || this.state < request.weight) return -1
    request.value = this.state
    this.state -= request.weight
    this.#requests.delete(id)
    this.#tellUnlocked()
    return 1
  }

  protected override tryReleaseShared(value: number): boolean {
    this.state = value
    this.#tellUnlocked()
    return true
  }
}
