import { type Control, isPaused } from "../../core/control-word.ts"
import type { Gate } from "../../core/gate.ts"
import type { Flow } from "../../memory/flow/flow.ts"
import { type Steps, TIMEOUT } from "../../memory/flow/waiting.ts"
import { ACQUIRED_SHARED, CANCELLED } from "../../memory/thread/node-pool.ts"
import type { ThreadContext } from "../../memory/thread/thread-context.ts"
import { SHARED, WaitQueue } from "../../memory/wait/wait-queue.ts"

/**
 * The gate of a pool of platform threads, in its memory: any thread may pause the pool, and any other may resume it.
 *
 * `open` wakes the first worker. A worker that passes leaves the queue as one that has acquired in SHARED mode, and so
 * wakes the next. A thread that dies after it has cleared PAUSED and before it has woken a worker does no harm: a death
 * wakes all that wait.
 */
export class SharedGate implements Gate {
  readonly #control: Control
  readonly #waiters: WaitQueue
  readonly #sleeps: () => void

  /** Occupies `QUEUE.SIZE` words from `base` on. `sleeps` is called when a worker begins to wait. */
  constructor(context: ThreadContext, words: Int32Array, base: number, control: Control, sleeps: () => void) {
    this.#control = control
    this.#waiters = new WaitQueue(context, words, base, { isShared: true })
    this.#sleeps = sleeps
  }

  *passing(flow: Flow): Steps<boolean> {
    const node = this.#waiters.enter(flow, SHARED, true)
    let how: number = CANCELLED
    try {
      this.#sleeps()
      for (;;) {
        // Woken though not the first: by a death, perhaps of the thread that was to link in this node.
        if (!this.#waiters.isFirst(node)) this.#waiters.tend(node.index)
        if (!isPaused(this.#control.snapshot)) {
          how = ACQUIRED_SHARED
          return true
        }
        if ((yield node) === TIMEOUT) return false
      }
    } finally {
      this.#waiters.leave(node, how)
    }
  }

  open(): void {
    this.#waiters.wakeFirst()
  }
}
