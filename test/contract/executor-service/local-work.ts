/** {@link Work} for virtual threads: closures. */
import { type Callable, InterruptedError, Thread, virtualThreads } from "corepool"
import assert from "node:assert/strict"
import { eventually, Gate, turns } from "../../support/harness.ts"
import type { AnyExecutorService } from "./subject.ts"
import type { Cell, Notes, Work, WorkGate, WorkKind } from "./work.ts"

export const LOCAL: WorkKind = {
  open: () => new LocalWork(),
  threads: virtualThreads,
  sharesExecutors: false,
}

class LocalWork implements Work {
  readonly sharesObjects = true
  readonly many = 50
  readonly #gates: LocalGate[] = []

  gate(value?: unknown): WorkGate {
    const gate = new LocalGate(value)
    this.#gates.push(gate)
    return gate
  }

  notes(): Notes {
    return new LocalNotes()
  }

  cell(): Cell {
    const cell = { value: 0, increment: () => cell.value++ }
    return cell
  }

  returning(value: unknown): Callable<unknown> {
    return () => value
  }

  throwing(error: Error): Callable<never> {
    return () => {
      throw error
    }
  }

  rejecting(error: Error): Callable<never> {
    return async () => {
      await turns(1)
      throw error
    }
  }

  readonly threadName: Callable<string> = () => Thread.currentThread().name

  readonly throwingItsThread: Callable<never> = () => {
    throw new Error(Thread.currentThread().name)
  }

  readonly isInterrupted: Callable<boolean> = () => Thread.currentThread().isInterrupted

  submittingTo(executor: AnyExecutorService, notes: Notes, text: string): Callable<unknown> {
    return () => void executor.submit(notes.task(text))
  }

  closing(executor: AnyExecutorService): Callable<unknown> {
    return () => executor.close()
  }

  /** They begin in a microtask at the earliest: never inside of what the test does without awaiting. */
  holdThreads(): Disposable {
    return { [Symbol.dispose]() {} }
  }

  assertArrived(actual: unknown, sent: unknown): void {
    assert.equal(actual, sent)
  }

  [Symbol.asyncDispose](): Promise<void> {
    for (const gate of this.#gates) gate.open()
    return eventually(() => this.#gates.every(({ inside }) => inside === 0))
  }
}

class LocalGate implements WorkGate {
  readonly #gate = new Gate()
  readonly #value: unknown
  interrupted = 0
  most = 0

  constructor(value: unknown) {
    this.#value = value
  }

  readonly body: Callable<unknown> = () => this.#pass(this.#gate.body)

  readonly interruptible: Callable<unknown> = async () => {
    const { signal } = Thread.currentThread()
    try {
      return await this.#pass(this.#gate.interruptible)
    } catch (error) {
      if (error instanceof InterruptedError && signal.aborted) this.interrupted++
      throw error
    }
  }

  readonly yielding: Callable<unknown> = async () => {
    try {
      return await this.interruptible()
    } catch (error) {
      if (!(error instanceof InterruptedError)) throw error
      return this.#value
    }
  }

  #pass(body: () => Promise<unknown>): Promise<unknown> {
    const passing = body()
    this.most = Math.max(this.most, this.inside)
    return passing
  }

  get entries(): number {
    return this.#gate.entries
  }

  get inside(): number {
    return this.#gate.inside
  }

  entered(count?: number): Promise<void> {
    return this.#gate.entered(count)
  }

  async noticed(): Promise<number> {
    await turns()
    return this.#gate.threads.filter((thread) => thread.isInterrupted).length
  }

  open(): void {
    this.#gate.open(this.#value)
  }
}

class LocalNotes implements Notes {
  readonly texts: string[] = []
  readonly #note = (text: string): unknown => this.texts.push(text)

  task(text: string): Callable<unknown> {
    return () => this.#note(text)
  }

  later(text: string): Callable<unknown> {
    return async () => {
      await turns()
      this.#note(text)
    }
  }

  call(text: string): [fn: (...args: never[]) => unknown, ...args: never[]] {
    return [this.#note, text as never]
  }
}
