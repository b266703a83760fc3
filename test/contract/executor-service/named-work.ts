/** {@link Work} for an executor across machines whose nodes are in this process: functions of a catalogue, and closures that these call. */
import { bind, type Callable, virtualThreads } from "corepool"
import assert from "node:assert/strict"
import { LOCAL } from "./local-work.ts"
import * as tasks from "./named-tasks.ts"
import { shown } from "./portable-work.ts"
import type { AnyExecutorService } from "./subject.ts"
import type { Cell, Notes, Work, WorkGate, WorkKind } from "./work.ts"

export const NAMED: WorkKind = {
  open: () => new NamedWork(),
  threads: virtualThreads,
  sharesExecutors: false,
}

/** The same, if to open an executor takes long. */
export const NAMED_SHARED: WorkKind = { ...NAMED, sharesExecutors: true }

function named<T>(closure: Callable<T>): Callable<T> {
  return bind(tasks.call, tasks.numberOf(closure)) as Callable<T>
}

class NamedWork implements Work {
  readonly sharesObjects = false
  readonly many = 20
  readonly #local = LOCAL.open()

  gate(value?: unknown): WorkGate {
    return new NamedGate(this.#local.gate(value))
  }

  notes(): Notes {
    return new NamedNotes(this.#local.notes())
  }

  cell(): Cell {
    const cell: Cell = { value: 0, increment: named((): number => cell.value++) }
    return cell
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

  readonly threadName: Callable<string> = named(this.#local.threadName)
  readonly throwingItsThread: Callable<never> = named(this.#local.throwingItsThread)
  readonly isInterrupted: Callable<boolean> = named(this.#local.isInterrupted)

  submittingTo(executor: AnyExecutorService, notes: Notes, text: string): Callable<unknown> {
    return named(() => void executor.submit(notes.task(text)))
  }

  closing(executor: AnyExecutorService): Callable<unknown> {
    return named(() => executor.close())
  }

  holdThreads(): Disposable {
    return this.#local.holdThreads()
  }

  assertArrived(actual: unknown, sent: unknown): void {
    assert.deepEqual(shown(actual), shown(sent))
    if (typeof sent !== "object" || sent === null) return
    assert.notEqual(actual, sent)
    assert.equal(Object.getPrototypeOf(actual), Object.getPrototypeOf(sent))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#local[Symbol.asyncDispose]()
  }
}

class NamedGate implements WorkGate {
  readonly #gate: WorkGate
  readonly body: Callable<unknown>
  readonly interruptible: Callable<unknown>
  readonly yielding: Callable<unknown>

  constructor(gate: WorkGate) {
    this.#gate = gate
    this.body = named(gate.body)
    this.interruptible = named(gate.interruptible)
    this.yielding = named(gate.yielding)
  }

  get entries(): number {
    return this.#gate.entries
  }

  get inside(): number {
    return this.#gate.inside
  }

  get most(): number {
    return this.#gate.most
  }

  get interrupted(): number {
    return this.#gate.interrupted
  }

  entered(count?: number): Promise<void> {
    return this.#gate.entered(count)
  }

  noticed(): Promise<number> {
    return this.#gate.noticed()
  }

  open(): void {
    this.#gate.open()
  }
}

class NamedNotes implements Notes {
  readonly #notes: Notes

  constructor(notes: Notes) {
    this.#notes = notes
  }

  get texts(): readonly string[] {
    return this.#notes.texts
  }

  task(text: string): Callable<unknown> {
    return named(this.#notes.task(text))
  }

  later(text: string): Callable<unknown> {
    return named(this.#notes.later(text))
  }

  call(text: string): [fn: (...args: never[]) => unknown, ...args: never[]] {
    return [tasks.call, tasks.numberOf(this.#notes.task(text)) as never]
  }
}
