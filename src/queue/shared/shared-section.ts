import { pause } from "#atomics"
import { availableParallelism } from "node:os"
import { IllegalStateError } from "../../errors.ts"
import { reacquiring } from "../../lock/acquiring.ts"
import type { LockSync } from "../../lock/lock-sync.ts"
import { currentFlow, type Flow } from "../../memory/flow/flow.ts"
import type { ThreadContext } from "../../memory/thread/thread-context.ts"
import type { MemoryRecord } from "../../memory/record.ts"
import { EXCLUSIVE } from "../../memory/wait/wait-queue.ts"
import { blocking, type Steps } from "../../memory/flow/waiting.ts"
import { CONTROL } from "./shared-layout.ts"

/** How often to look before queueing for the lock: others are inside for a fraction of a microsecond. */
export const SPINS: number = availableParallelism() > 1 ? 100 : 0

const NESTED = "A comparator cannot use the queue that it orders"

/** What is protected. */
export interface Protected {
  /** Others may have made the memory larger. */
  refresh(): void
  /** Lets go of what belongs to the dead. */
  sweep(): void
  /** The same; and puts everything in order, whatever somebody who died inside has left. */
  repair(): void
}

/**
 * The critical section of a shared queue: who is in it has the queue to itself. It is short and never waits for
 * anything inside, so even a thread with an event loop can afford to block for it; the steps of a wait, which other
 * flows of their thread may be blocked above, queue for it like for anything else.
 *
 * Who gets the lock from a thread that died inside first has the queue repaired; who finds that any thread has died
 * since the last visit, swept.
 */
export class SharedSection {
  readonly #sync: LockSync
  readonly #threadContext: ThreadContext
  readonly #control: MemoryRecord
  readonly #content: Protected
  readonly #spins: number
  /** Who of this thread is inside. */
  #flow: Flow | undefined
  #isSound = false
  /** Those to be woken on leaving: thread and node by turns. */
  #toWake: number[] = []

  constructor(sync: LockSync, control: MemoryRecord, content: Protected, spins: number) {
    this.#spins = spins
    this.#sync = sync
    this.#threadContext = sync.memory.threadContext
    this.#control = control
    this.#content = content
  }

  /** Enters; blocks if somebody is inside. Say {@link leave} in a `finally`. */
  enter(): void {
    if (this.#flow !== undefined) throw new IllegalStateError(NESTED)
    const flow = currentFlow()
    if (!this.#tryToLock(flow)) blocking(this.#queueing(flow))
    this.#begin(flow)
  }

  /** Enters; the flow waits if somebody is inside, whatever happens. */
  *entering(flow: Flow): Steps<void> {
    if (!this.#tryToLock(flow)) yield* this.#queueing(flow)
    this.#begin(flow)
  }

  /** Does something inside, and leaves. */
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

  /** Leaves, and wakes who is to be woken. If not all was done that was begun, the next one repairs. */
  leave(done: boolean): void {
    if (done || this.#isSound) this.#control.write(CONTROL.BUSY, 0)
    this.#isSound = false
    const toWake = this.#toWake
    const count = toWake.length
    if (count > 0) this.#toWake = [] // those who go on now may have others to wake
    this.#release()
    for (let i = 0; i < count; i += 2) this.#threadContext.wake(toWake[i] as number, toWake[i + 1] as number)
  }

  /** Something failed, but everything is in order all the same. */
  failSafely(): void {
    this.#isSound = true
  }

  /** Wakes a wait as soon as the section has been left: it goes on at once if it is one of this thread. */
  wakeLater(thread: number, node: number): void {
    if (thread !== 0) this.#toWake.push(thread, node)
  }

  *#queueing(flow: Flow): Steps<void> {
    const { queue } = this.#sync
    yield* reacquiring(queue, flow, queue.enter(flow, EXCLUSIVE, false), () => this.#sync.barge(flow))
  }

  /** Tries for a moment. In the queue, others may have to wait for a thread that is busy with something else. */
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
      this.#sync.letGo(flow, 1) // there is another object over the same memory, and this thread is in there already
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
    if (this.#sync.letGo(flow, 1)) this.#sync.queue.wakeFirst()
  }
}
