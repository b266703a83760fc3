/**
 * What tests share, and the rules for writing one.
 *
 * 1. The title names the rules that are checked and says in one sentence what is true: `"[TP12] an idle thread is not reused
 *    below the core size"`. One property a test; one more test for each way in which it can go wrong.
 * 2. Wait for a condition, never for a time: `await eventually(() => pool.poolSize === 0)`. A duration may be a setting (a
 *    keep-alive of 1 ms); it is never compared with anything.
 * 3. That something does *not* happen is shown by letting everything else happen: `await turns()` lets go on whatever
 *    needs no timer. Then look.
 * 4. Whatever is started is ended, also if an assertion fails half-way. Pools and gates come from `await using pools = new Pools()`
 *    (pools.ts), which at the end opens the gates, stops the pools and waits for them.
 * 5. Nothing is printed. An error that ends a thread is recorded, and one that the test did not ask for fails it.
 * 6. Errors are checked by class, and by message where a user would read it.
 * 7. A test that has to know *when* a task runs holds it with a Gate.
 */
import { FutureTask, Thread } from "corepool"
import { setImmediate as turn, setTimeout as pause } from "node:timers/promises"

/** Nothing a test waits for takes a hundredth of this: it only turns a test that would hang into one that fails. */
const PATIENCE = 60_000

/** Enough turns for anything that can go on without a timer to have gone on. */
const STILL = 8

/** Real time, also while a test has a clock of its own. */
const realNow = performance.now.bind(performance)

/** What is not there after so many turns takes place in another thread, which may need our processor. */
const PATIENT_AFTER = 100

/** Waits until the condition holds, looking once in a turn of the event loop, and later once in a while. */
export async function eventually(condition: () => boolean): Promise<void> {
  const deadline = realNow() + PATIENCE
  for (let looks = 1; !condition(); looks++) {
    if (realNow() > deadline) throw new Error(`Never came true: ${String(condition)}`)
    await (looks < PATIENT_AFTER ? turn() : pause(1))
  }
}

/** Lets the event loop go round a few times: whatever needs no timer is over then, or waits for the test. */
export async function turns(count: number = STILL): Promise<void> {
  for (let left = count; left > 0; left--) await turn()
}

/** What a call throws; fails if it throws nothing. */
export function thrownBy(call: () => unknown): unknown {
  try {
    call()
  } catch (error) {
    return error
  }
  throw new Error(`Threw nothing: ${String(call)}`)
}

/** What a promise, or a future, rejects with; fails if it does not. */
export async function rejectionOf(pending: PromiseLike<unknown>): Promise<unknown> {
  let value: unknown
  try {
    value = await pending
  } catch (error) {
    return error
  }
  throw new Error(`Was not rejected but gave ${String(value)}`)
}

/**
 * Holds tasks until the test lets them go.
 *
 *     const gate = pools.gate()
 *     pool.execute(gate.body)
 *     await gate.entered()
 *     …                          the task runs and stays running
 *     gate.open()
 */
export class Gate {
  /** The threads that came in, in order. */
  readonly threads: Thread[] = []
  /** How many went out again. */
  passed = 0
  #outcome: (() => unknown) | undefined
  #release: () => void = () => undefined
  /** A plain promise: an interrupt does not end a wait for it. */
  readonly #released = new Promise<void>((resolve) => (this.#release = resolve))
  /** Settles with it; a wait for this can be interrupted. */
  readonly #way = new FutureTask(() => this.#outcome?.())

  /** A task that stays inside until the gate opens, whatever happens to its thread. */
  readonly body = async (): Promise<unknown> => {
    this.threads.push(Thread.currentThread())
    await this.#released
    this.passed++
    return this.#outcome?.()
  }

  /**
   * A task that stays inside until the gate opens or its thread is interrupted; then it fails with InterruptedError.
   */
  readonly interruptible = async (): Promise<unknown> => {
    this.threads.push(Thread.currentThread())
    try {
      return await this.#way.get()
    } finally {
      this.passed++
    }
  }

  /** How many tasks came in. */
  get entries(): number {
    return this.threads.length
  }

  /** How many are inside now. */
  get inside(): number {
    return this.threads.length - this.passed
  }

  /** Waits until so many have come in. */
  async entered(count = 1): Promise<void> {
    await eventually(() => this.entries >= count)
  }

  /** Lets everybody go, also those who come later. No effect the second time. */
  open(value?: unknown): void {
    this.#end(() => value)
  }

  /** Lets everybody go with this error. */
  fail(error: unknown): void {
    this.#end(() => {
      throw error
    })
  }

  #end(outcome: () => unknown): void {
    this.#outcome ??= outcome
    this.#release()
    void this.#way.run()
  }
}
