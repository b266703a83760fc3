import { push } from "../../primordials.ts"
import { MEMORY, WAIT_QUEUE } from "../../lock/internals.ts"
import { pause } from "#atomics"
import { availableParallelism } from "#host/runtime/machine"
import { IllegalStateError } from "../../errors.ts"
import { reacquiring } from "../../lock/acquiring.ts"
import type { LockSync } from "../../lock/lock-sync.ts"
import { currentFlow, type Flow } from "../../memory/flow/flow.ts"
import type { ThreadContext } from "../../memory/thread/thread-context.ts"
import type { MemoryRecord } from "../../memory/record.ts"
import { EXCLUSIVE } from "../../memory/wait/wait-queue.ts"
import { passing } from "../../memory/flow/polling.ts"
import type { Steps } from "../../memory/flow/waiting.ts"
import { CONTROL } from "./shared-layout.ts"

/** How often to try before queueing for the lock: another thread is inside for a fraction of a microsecond. */
export const SPINS: number = availableParallelism() > 1 ? 100 : 0

const NESTED = "A comparator cannot use the queue that it orders"

/** The content that a section protects. */
export interface Protected {
  /** Another thread may have made the memory larger. */
  refresh(): void
  /** Frees the cells of dead threads. */
  sweep(): void
  /** Sweeps, and restores what a thread that died inside may have left half changed. */
  repair(): void
}

/**
 * The critical section of a shared queue: the flow inside has the queue to itself. The section is short and never waits
 * inside, so even a thread with an event loop can afford to block for it. The steps of a wait queue for the lock as for
 * any other, because other flows of their thread may be blocked above them.
 *
 * A thread that gets the lock from a thread that died inside first repairs the queue. A thread that finds that any
 * thread has died since the last visit sweeps it.
 */
export class SharedSection {
  readonly #sync: LockSync
  readonly #threadContext: ThreadContext
  readonly #control: MemoryRecord
  readonly #content: Protected
  readonly #spins: number
  /** The flow of this thread that is inside. */
  #flow: Flow | undefined
  #isSound = false
  /** Which waits to wake on leaving: thread and node by turns. */
  #toWake: number[] = []

  constructor(sync: LockSync, control: MemoryRecord, content: Protected, spins: number) {
    this.#spins = spins
    this.#sync = sync
    this.#threadContext = sync[MEMORY].threadContext
    this.#control = control
    this.#content = content
  }

  /** Enters; blocks while another flow is inside. Call {@link leave} in a `finally`. */
  enter(): void {
    if (this.#flow !== undefined) throw new IllegalStateError(NESTED)
    const flow = currentFlow()
    if (!this.#tryToLock(flow)) passing(this.#queueing(flow))
    this.#begin(flow)
  }

  /** Enters; the flow waits while another one is inside. Neither an interrupt nor a timeout ends that wait. */
  *entering(flow: Flow): Steps<void> {
    if (!this.#tryToLock(flow)) yield* this.#queueing(flow)
    this.#begin(flow)
  }

  /** Runs `body` inside, and leaves. */
  within<T>(body: () => T): T {
    let done = false
    try {
      const result = body()
      done = true
      return result
    } finally {
      this.leave(done)
    }
  }

  /**
   * Leaves, and wakes the noted waits. If `done` is false and the queue may be half changed, the next thread repairs.
   */
  leave(done: boolean): void {
    if (done || this.#isSound) this.#control.write(CONTROL.BUSY, 0)
    this.#isSound = false
    const toWake = this.#toWake
    const count = toWake.length
    if (count > 0) this.#toWake = [] // a flow that goes on now may note others to wake
    this.#release()
    for (let i = 0; i < count; i += 2) this.#threadContext.wake(toWake[i] as number, toWake[i + 1] as number)
  }

  /** The operation failed, but the queue is in order all the same. */
  failSafely(): void {
    this.#isSound = true
  }

  /** Wakes a wait as soon as the section has been left: a flow of this thread goes on at once. */
  wakeLater(thread: number, node: number): void {
    if (thread !== 0) push(this.#toWake, thread, node)
  }

  *#queueing(flow: Flow): Steps<void> {
    const { [WAIT_QUEUE]: queue } = this.#sync
    yield* reacquiring(queue, flow, queue.enter(flow, EXCLUSIVE, false), () => this.#sync.barge(flow))
  }

  /**
   * Spins for a moment. If this flow queued at once, it could have to wait for a thread that is busy with other work.
   */
  #tryToLock(flow: Flow): boolean {
    if (this.#sync.barge(flow)) return true
    for (let left = this.#spins; left > 0; left--) {
      pause()
      if (!this.#sync.isLocked && this.#sync.barge(flow)) return true
    }
    return false
  }

  #begin(flow: Flow): void {
    const { deaths } = this.#threadContext.registry
    const isBusy = this.#control.read(CONTROL.BUSY) !== 0
    if (isBusy && this.#sync.holds > 1) {
      this.#sync.letGo(flow, 1) // this thread is inside already, by another object over the same memory
      throw new IllegalStateError(NESTED)
    }
    this.#flow = flow
    this.#control.write(CONTROL.BUSY, 1)
    if (!isBusy && this.#control.read(CONTROL.DEATHS_SEEN) === deaths) {
      this.#content.refresh()
      return
    }
    try {
      this.#content.refresh()
      if (isBusy) this.#content.repair()
      else this.#content.sweep()
      this.#control.write(CONTROL.DEATHS_SEEN, deaths)
    } catch (error) {
      this.#release()
      throw error
    }
  }

  #release(): void {
    const flow = this.#flow as Flow
    this.#flow = undefined
    if (this.#sync.letGo(flow, 1)) this.#sync[WAIT_QUEUE].wakeFirst()
  }
}
