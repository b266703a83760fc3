/**
 * What a burst of tiny tasks cannot do without: a loop with the same promises and as many atomic operations, and nothing
 * else. It has no errors, cancellation, interrupts, policies, sizes or deaths, and knows one function.
 */
import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { A, B, DONE, IDLE, newRing, NEXT, OF_SUBMITTER, operate, recordOf, RESULT, TAIL, wordsOf } from "./bare-ring.ts"
import { anObject, anObjectAll, burst, twoNumbers, twoNumbersAll } from "./platform-burst.ts"
import { inTime, MAIN, onMain, type PlatformContender, type PlatformContest } from "./platform-contest.ts"
import { against, THREADS, times } from "./platform-contenders.ts"

/** How much of the bare loop's speed corepool should have: 1.3 times its time at most. */
const TARGET = 0.77

/** With so many waits a future keeps the functions of the engine, and makes no promise: as those of corepool. */
const MANY = 64

let waits = 0

type Settle = (value: number) => void

class BareFuture implements PromiseLike<number> {
  #value: number | undefined
  #waiter: Settle | undefined

  settle(value: number): void {
    this.#value = value
    if (this.#waiter === undefined) return
    waits--
    this.#waiter(value)
  }

  #wait(settle: Settle): void {
    waits++
    this.#waiter = settle
  }

  // oxlint-disable-next-line unicorn/no-thenable -- stands for a future
  then<R, E>(
    onFulfilled?: ((value: number) => R | PromiseLike<R>) | null,
    onRejected?: ((reason: unknown) => E | PromiseLike<E>) | null,
  ): Promise<R | E> {
    if (this.#value !== undefined) return Promise.resolve(this.#value).then(onFulfilled, onRejected)
    if (waits <= MANY) {
      const promise = new Promise<number>((resolve) => {
        this.#wait(resolve)
      })
      return promise.then(onFulfilled, onRejected)
    }
    this.#wait(onFulfilled as Settle)
    return undefined as never // the engine drops it
  }
}

/** Without the operations that the loop below does itself. */
const AT_SUBMISSION = { loads: OF_SUBMITTER.loads - 3, stores: OF_SUBMITTER.stores - 1, changes: 1 }
const AT_RESULT = { loads: 1, stores: 1, changes: 0 }

/** `Atomics.waitAsync` is newer than the library of types that Node 20 is built with. */
type WaitAsync = (words: Int32Array, index: number, value: number) => { value: string | Promise<string> }
const { waitAsync } = Atomics as unknown as { waitAsync: WaitAsync }

class BarePool {
  readonly #words = newRing()
  readonly #futures: (BareFuture | undefined)[] = []
  #pending = 0

  async open(): Promise<this> {
    const module = new URL("tasks/bare-worker.js", import.meta.url)
    await Promise.all(times(THREADS, () => once(new Worker(module, { workerData: this.#words }), "online")))
    return this
  }

  submit(a: number, b: number): BareFuture {
    const words = this.#words
    const tail = Atomics.load(words, TAIL)
    const record = recordOf(tail)
    const future = new BareFuture()
    operate(words, record, AT_SUBMISSION)
    words[wordsOf(record) + A] = a
    words[wordsOf(record) + B] = b
    this.#futures[record] = future
    if (this.#pending++ === 0) void this.#hear()
    Atomics.compareExchange(words, TAIL, tail, (tail + 1) | 0)
    if (Atomics.load(words, IDLE) !== 0) {
      Atomics.store(words, IDLE, 0)
      Atomics.notify(words, TAIL)
    }
    return future
  }

  async #hear(): Promise<void> {
    do {
      await waitAsync(this.#words, DONE, 0).value
      this.#look()
    } while (this.#pending > 0)
  }

  #look(): void {
    const words = this.#words
    const done: number[] = []
    for (let at = Atomics.exchange(words, DONE, 0); at !== 0; at = words[wordsOf(at - 1) + NEXT] as number)
      done.push(at - 1)
    for (const record of done.reverse()) {
      operate(words, record, AT_RESULT)
      const future = this.#futures[record]
      this.#futures[record] = undefined
      this.#pending--
      future?.settle(words[wordsOf(record) + RESULT] as number)
    }
  }
}

let opened: Promise<BarePool> | undefined

type Await = (futures: readonly BareFuture[]) => Promise<readonly number[]>

function bare(idiom: string, results: Await): PlatformContender {
  return {
    name: `the bare loop, ${idiom}`,
    share: 1,
    async sample(n) {
      const pool = await (opened ??= new BarePool().open())
      return burst(n, () => results(times(n, (i) => pool.submit(i, 1))))
    },
  }
}

const bareEach = bare("await each", async (futures) => {
  const results: number[] = []
  for (const future of futures) results.push(await future)
  return results
})

const bareAll = bare("Promise.all", (futures) => Promise.all(futures))

const TINY = "tiny tasks at once on 2 threads, beside a bare loop of the same promises and atomic operations"

export const floor: PlatformContest = {
  name: "platform-floor",
  bouts: [
    {
      n: 100_000,
      metrics: [onMain(TINY), inTime(TINY)],
      pairs: [
        ...[twoNumbers, anObject].flatMap((our) => against(our, [bareEach], { [MAIN]: TARGET })),
        ...[twoNumbersAll, anObjectAll].flatMap((our) => against(our, [bareAll], { [MAIN]: TARGET })),
      ],
    },
  ],
}
