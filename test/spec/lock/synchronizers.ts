/** Synchronizers as a user would write them. */
import { AbstractQueuedSynchronizer } from "corepool"

/** One at a time, and no owner. */
export class Mutex extends AbstractQueuedSynchronizer {
  get isHeld(): boolean {
    return this.isHeldExclusively()
  }

  get value(): number {
    return this.state
  }

  tries(): boolean {
    return this.tryAcquire(1)
  }

  protected override tryAcquire(state: number): boolean {
    return this.compareAndSetState(0, state)
  }

  protected override tryRelease(_state: number): boolean {
    this.state = 0
    return true
  }

  protected override isHeldExclusively(): boolean {
    return this.state !== 0
  }
}

/** The same, but nobody overtakes. */
export class FairMutex extends Mutex {
  protected override tryAcquire(state: number): boolean {
    return !this.hasQueuedPredecessors() && super.tryAcquire(state)
  }
}

/** Closed until somebody opens it, for good. */
export class BooleanLatch extends AbstractQueuedSynchronizer {
  get isOpen(): boolean {
    return this.state !== 0
  }

  protected override tryAcquireShared(): number {
    return this.isOpen ? 1 : -1
  }

  protected override tryReleaseShared(): boolean {
    this.state = 1
    return true
  }
}

/** So many permits; all of them at once can be had exclusively. */
export class Permits extends AbstractQueuedSynchronizer {
  readonly #all: number

  constructor(count: number) {
    super()
    this.state = this.#all = count
  }

  protected override tryAcquireShared(count: number): number {
    for (;;) {
      const { state } = this
      const left = state - count
      if (left < 0 || this.compareAndSetState(state, left)) return left
    }
  }

  protected override tryReleaseShared(count: number): boolean {
    for (;;) {
      const { state } = this
      if (this.compareAndSetState(state, state + count)) return true
    }
  }

  protected override tryAcquire(): boolean {
    return this.compareAndSetState(this.#all, 0)
  }

  protected override tryRelease(): boolean {
    this.state = this.#all
    return true
  }
}

/** A mutex that fails once when it is told to. */
export class FailingMutex extends Mutex {
  acquiring: Error | undefined
  releasing: Error | "false" | undefined

  protected override tryAcquire(state: number): boolean {
    const failure = this.acquiring
    this.acquiring = undefined
    if (failure !== undefined) throw failure
    return super.tryAcquire(state)
  }

  protected override tryRelease(state: number): boolean {
    const failure = this.releasing
    this.releasing = undefined
    if (failure instanceof Error) throw failure
    return failure === undefined && super.tryRelease(state)
  }
}

/** Overrides nothing. */
export class Nothing extends AbstractQueuedSynchronizer {
  get isHeld(): boolean {
    return this.isHeldExclusively()
  }
}
