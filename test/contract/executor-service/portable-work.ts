/** {@link Work} for platform threads: functions of a module, and shared memory. */
import { bind, type Callable, platformThreads } from "corepool"
import assert from "node:assert/strict"
import { eventually } from "../../support/harness.ts"
import { HELD_THREAD, holdThreads } from "../../support/held-thread.ts"
import { reserve, words } from "../../support/inherited-words.ts"
import * as tasks from "./portable-tasks.ts"
import { GATE, MOST_NOTES } from "./portable-tasks.ts"
import type { AnyExecutorService } from "./subject.ts"
import type { Cell, Notes, Work, WorkGate, WorkKind } from "./work.ts"

/** How a task waits at a gate: an asynchronous one leaves the event loop of its thread free, the other one does not. */
interface Waiting {
  readonly pass: (gate: number, value: unknown) => unknown
  readonly passAlert: (gate: number, value: unknown) => unknown
  readonly passYielding: (gate: number, value: unknown) => unknown
}

const kindOf = (waiting: Waiting): WorkKind => ({
  open: () => new PortableWork(waiting),
  threads: (options) => platformThreads({ ...options, terminateAfter: Infinity, preload: [HELD_THREAD] }),
  sharesExecutors: true,
})

/** Tasks of platform threads that await what they wait for. */
export const AWAITING: WorkKind = kindOf(tasks)

/** Tasks that block their threads. */
export const BLOCKING: WorkKind = kindOf({
  pass: tasks.passSync,
  passAlert: tasks.passAlertSync,
  passYielding: tasks.passYieldingSync,
})

class PortableWork implements Work {
  readonly sharesObjects = false
  readonly many = 5
  readonly #waiting: Waiting
  readonly #gates: SharedMemoryGate[] = []

  constructor(waiting: Waiting) {
    this.#waiting = waiting
  }

  gate(value?: unknown): WorkGate {
    const gate = new SharedMemoryGate(this.#waiting, value)
    this.#gates.push(gate)
    return gate
  }

  notes(): SharedMemoryNotes {
    return new SharedMemoryNotes()
  }

  cell(): Cell {
    const at = reserve(1)
    return {
      get value() {
        return words[at] as number
      },
      set value(value) {
        words[at] = value
      },
      increment: bind(tasks.increment, at),
    }
  }

  returning(value: unknown): Callable<unknown> {
    return bind(tasks.giveBack, value)
  }

  throwing(error: Error): Callable<never> {
    return bind(tasks.throwIt, error)
  }

  rejecting(error: Error): Callable<never> {
    return bind(tasks.rejectWith, error)
  }

  readonly threadName: Callable<string> = tasks.threadName
  readonly throwingItsThread: Callable<never> = tasks.throwItsThread
  readonly isInterrupted: Callable<boolean> = tasks.isInterrupted

  submittingTo(executor: AnyExecutorService, notes: SharedMemoryNotes, text: string): Callable<unknown> {
    return bind(tasks.submitTo, executor, notes.at, notes.numberOf(text))
  }

  closing(executor: AnyExecutorService): Callable<unknown> {
    return bind(tasks.close, executor)
  }

  holdThreads(): Disposable {
    return holdThreads()
  }

  assertArrived(actual: unknown, sent: unknown): void {
    assert.deepEqual(shown(actual), shown(sent))
    if (typeof sent !== "object" || sent === null) return
    assert.notEqual(actual, sent)
    assert.equal(Object.getPrototypeOf(actual), Object.getPrototypeOf(sent))
  }

  /** The executor may go on to serve other tests: nobody is to be left inside of it. */
  [Symbol.asyncDispose](): Promise<void> {
    for (const gate of this.#gates) gate.open()
    return eventually(() => this.#gates.every(({ inside }) => inside === 0))
  }
}

/** Of an error what a runtime adds to it is left out: where it was made, and where it was thrown. */
export function shown(value: unknown): unknown {
  if (!(value instanceof Error)) return value
  const { name, message, cause, code } = value as Error & { readonly code?: unknown }
  return { name, message, cause, code }
}

class SharedMemoryGate implements WorkGate {
  readonly #at = reserve(GATE.SIZE)
  readonly body: Callable<unknown>
  readonly interruptible: Callable<unknown>
  readonly yielding: Callable<unknown>

  constructor({ pass, passAlert, passYielding }: Waiting, value: unknown) {
    this.body = bind(pass, this.#at, value)
    this.interruptible = bind(passAlert, this.#at, value)
    this.yielding = bind(passYielding, this.#at, value)
  }

  #load(word: number): number {
    return Atomics.load(words, this.#at + word)
  }

  get entries(): number {
    return this.#load(GATE.ENTRIES)
  }

  get inside(): number {
    return this.#load(GATE.INSIDE)
  }

  get most(): number {
    return this.#load(GATE.MOST)
  }

  get interrupted(): number {
    return this.#load(GATE.INTERRUPTED)
  }

  entered(count = 1): Promise<void> {
    return eventually(() => this.entries >= count)
  }

  async noticed(): Promise<number> {
    const answers = this.#load(GATE.ANSWERS)
    const pending = this.#load(GATE.PENDING)
    Atomics.add(words, this.#at + GATE.QUESTION, 1)
    // Who leaves instead of answering has looked around as well.
    await eventually(() => this.#load(GATE.ANSWERS) - answers >= this.inside)
    return this.#load(GATE.PENDING) - pending
  }

  open(): void {
    Atomics.store(words, this.#at + GATE.OPEN, 1)
    Atomics.notify(words, this.#at + GATE.OPEN)
  }
}

class SharedMemoryNotes implements Notes {
  readonly at: number = reserve(1 + MOST_NOTES)
  /** From 1 on: 0 is what was not written yet. */
  readonly #known: string[] = [""]

  numberOf(text: string): number {
    return this.#known.push(text) - 1
  }

  task(text: string): Callable<unknown> {
    const [fn, ...args] = this.call(text)
    return bind(fn, ...args)
  }

  later(text: string): Callable<unknown> {
    return bind(tasks.noteLater, this.at, this.numberOf(text))
  }

  call(text: string): [fn: (...args: never[]) => unknown, ...args: never[]] {
    return [tasks.note, this.at as never, this.numberOf(text) as never]
  }

  get texts(): string[] {
    const texts: string[] = []
    for (let i = 1; i <= MOST_NOTES; i++) {
      const text = Atomics.load(words, this.at + i)
      if (text === 0) break
      texts.push(this.#known[text] as string)
    }
    return texts
  }
}
