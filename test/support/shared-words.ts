/**
 * Words that a test shares with the tasks it sends to other threads. Workers inherit them, so that no task has to carry
 * them: import this module in the test before the first pool is made, and in the module of the tasks.
 */
import { getEnvironmentData, isMainThread, setEnvironmentData } from "node:worker_threads"
import { eventually } from "./harness.ts"

const KEY = "corepool test words"

if (isMainThread && getEnvironmentData(KEY) === undefined) setEnvironmentData(KEY, new SharedArrayBuffer(4 * 4096))

export const words: Int32Array = new Int32Array(getEnvironmentData(KEY) as unknown as SharedArrayBuffer)

let used = 0

/**
 * A gate for tasks in other threads: each that comes says so and blocks until the gate is opened. With `using`, and after the
 * pool, lest a pool that is closed because a test has failed waits for ever.
 */
export class SharedGate implements Disposable {
  /** For the tasks: `pool.submit(tasks.pass, gate.index)`. */
  readonly index: number = used

  constructor() {
    used += 2
  }

  get arrived(): number {
    return Atomics.load(words, this.index)
  }

  async reached(count = 1): Promise<void> {
    await eventually(() => this.arrived >= count)
  }

  open(): void {
    Atomics.store(words, this.index + 1, 1)
    Atomics.notify(words, this.index + 1)
  }

  [Symbol.dispose](): void {
    this.open()
  }
}

/** A word of the test's own. */
export class SharedCount {
  readonly index: number = used++

  get value(): number {
    return Atomics.load(words, this.index)
  }
}
