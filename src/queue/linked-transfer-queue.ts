import { requireTimeout } from "../checks.ts"
import { TimeoutError } from "../errors.ts"
import type { Shared } from "../memory/shared/shared-memory.ts"
import type { WaitOptions } from "../memory/flow/waiting.ts"
import { BlockingQueue, opened } from "./base/blocking-queue.ts"
import { TransferCore } from "./base/transfer-core.ts"

const TYPE = "LinkedTransferQueue"

/**
 * First in, first out, without a limit, and a producer can wait until its element has been received: `transfer`.
 *
 * The element of a waiting transfer is in the queue like any other, behind those that came before. If it is removed by
 * other means than taking (`remove(e)`, `clear` …), the transfer counts as done, as in Java; if the transfer is given
 * up, the element is withdrawn. Closing the queue leaves it inside: it can still be received.
 *
 * An interrupt is noticed only by a flow that has to wait.
 */
export class LinkedTransferQueue<E> extends BlockingQueue<E> {
  readonly #core: TransferCore<E>

  constructor() {
    const core = new TransferCore<E>(TYPE)
    super(core)
    this.#core = core
  }

  /** The same queue that another thread has posted. */
  static from<E>(shared: Shared): LinkedTransferQueue<E> {
    return opened(new LinkedTransferQueue<E>(), TYPE, shared)
  }

  /** Whether a consumer waits to take. */
  get hasWaitingConsumer(): boolean {
    return this.waitingConsumerCount > 0
  }

  /** How many consumers wait to take. */
  get waitingConsumerCount(): number {
    return this.#core.waitingConsumerCount
  }

  /** Inserts and waits until the element has been received. */
  transfer(e: E, wait?: WaitOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      const received = (done: boolean): void => {
        if (done) resolve()
        else reject(this.isClosed ? this.#core.refusal() : new TimeoutError("No thread received the element in time"))
      }
      this.#core.hand(e, { resolve: received, reject }, wait)
    })
  }

  /** Inserts and waits until the element has been received; blocks the thread. */
  transferSync(e: E): void {
    if (!this.#core.handSync(e, Infinity)) throw this.#core.refusal()
  }

  /** Hands over to a consumer that already waits to take; otherwise false, and nothing is inserted. */
  tryTransfer(e: E): boolean
  /** Inserts and waits until the element has been received; if it is not in time it is withdrawn: false. */
  tryTransfer(e: E, wait: WaitOptions): Promise<boolean>
  tryTransfer(e: E, wait?: WaitOptions): boolean | Promise<boolean> {
    if (wait !== undefined) return new Promise((resolve, reject) => this.#core.hand(e, { resolve, reject }, wait))
    this.#core.check(e)
    return this.#core.handOver(e)
  }

  /** As `tryTransfer` with a limit; blocks the thread. */
  tryTransferSync(e: E, ms: number): boolean {
    return this.#core.handSync(e, requireTimeout("ms", ms))
  }
}
