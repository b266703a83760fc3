/** Tasks that leave something to be done, though they are over, and no thread has a task in hand. */
import { CountedCompleter, type ForkJoinPool, task } from "corepool"
import { words } from "../../support/shared-words.ts"
import { pass } from "./tasks.ts"

/** The root of a tree with one part, which goes through the first gate. When that is complete, the root goes through the second one. */
export class Root extends CountedCompleter {
  static {
    task(import.meta.url, this)
  }

  readonly gates: readonly [part: number, root: number]
  /** Counted when the root is complete. */
  readonly index: number

  constructor(gates: readonly [part: number, root: number], index: number) {
    super()
    this.gates = gates
    this.index = index
  }

  compute(): void {
    new Part(this, this.gates[0]).fork()
  }

  override onCompletion(): void {
    pass(this.gates[1])
    Atomics.add(words, this.index, 1)
  }
}

export class Part extends CountedCompleter {
  static {
    task(import.meta.url, this)
  }

  readonly gate: number

  constructor(completer: Root, gate: number) {
    super(completer)
    this.gate = gate
  }

  compute(): void {
    pass(this.gate)
    this.tryComplete()
  }
}

/** Leaves the root of a tree behind whose part another thread has. */
export const leaveToThief = task(
  import.meta.url,
  function leaveToThief(part: number, root: number, index: number): void {
    new Root([part, root], index).compute()
    while (Atomics.load(words, part) === 0);
  },
)

/** The same; then this thread is kept from hearing of the part by a timer, which goes through the gate `held`. */
export const leaveUnheard = task(
  import.meta.url,
  function leaveUnheard(part: number, root: number, index: number, held: number): void {
    new Root([part, root], index).compute()
    while (Atomics.load(words, part) === 0);
    setTimeout(() => pass(held), 0)
  },
)

/** Goes through the gate without blocking its thread. */
export const passLater = task(import.meta.url, async function passLater(gate: number): Promise<void> {
  Atomics.add(words, gate, 1)
  while (Atomics.load(words, gate + 1) === 0) await new Promise((resolve) => setImmediate(resolve))
})

/** Begins that in the midst of itself, as the pool has no other thread, and does not wait for it. */
export const leaveBeside = task(
  import.meta.url,
  async function leaveBeside(pool: ForkJoinPool, gate: number): Promise<void> {
    void pool.submit(passLater, gate).get()
    while (Atomics.load(words, gate) === 0) await new Promise((resolve) => setImmediate(resolve))
  },
)
