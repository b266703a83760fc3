/**
 * What the tasks of the contract do, apart from how they do it. The suite asks for "a task that waits at this gate" or "one that
 * throws this"; what it gets can be submitted to the executor it tests, whose threads decide what a task can be:
 *
 * - on virtual threads a closure, which shares everything with the test (local-work.ts);
 * - on platform threads a function of a module, told by numbers where in shared memory to leave its marks (portable-work.ts);
 * - for an executor across machines, whose nodes are in the process of the test, a function of a catalogue that is told which closure to call (named-work.ts).
 *
 * A function that refers to nothing around it is all of these, and need not be asked for: simple-tasks.ts.
 */
import type { Callable } from "corepool"
import type { MakeFactory } from "../../support/pools.ts"
import type { AnyExecutorService } from "./subject.ts"

/** Holds tasks until the test lets them go. All of them give the gate's value then. */
export interface WorkGate {
  /** A task that stays inside until the gate opens, whatever happens to its thread. */
  readonly body: Callable<unknown>
  /** One that fails with InterruptedError if its thread is interrupted before. */
  readonly interruptible: Callable<unknown>
  /** One that ends then, as if nothing had happened. */
  readonly yielding: Callable<unknown>

  /** How many tasks came in. */
  readonly entries: number
  /** How many are inside now. */
  readonly inside: number
  /** How many were inside at once. */
  readonly most: number
  /** How many were ended by an interrupt: their wait by InterruptedError, and their thread's signal was aborted. */
  readonly interrupted: number

  /** Waits until so many have come in. */
  entered(count?: number): Promise<void>
  /**
   * Lets everybody inside look around, and waits until they have. How many of them have an interrupt pending: an
   * interruptible one has not, it is gone.
   */
  noticed(): Promise<number>
  /** Lets everybody go, also those who come later. */
  open(): void
}

/** What tasks write down, each once: that they ran, and in which order. */
export interface Notes {
  /** A task that notes this. */
  task(text: string): Callable<unknown>
  /** One that does so after a while, and is asynchronous. */
  later(text: string): Callable<unknown>
  /** The same as `task`, as a function and its arguments. */
  call(text: string): [fn: (...args: never[]) => unknown, ...args: never[]]
  readonly texts: readonly string[]
}

/** A number in plain memory, where nothing but the executor orders who sees what. */
export interface Cell {
  value: number
  /** A task that adds 1; gives what it has found. */
  readonly increment: Callable<number>
}

export interface Work extends AsyncDisposable {
  /** Whether test and tasks have the same objects. If not, values that go from one to the other are copied. */
  readonly sharesObjects: boolean
  /** How many tasks a test has if it is to have many: each may cost a thread. */
  readonly many: number

  gate(value?: unknown): WorkGate
  notes(): Notes
  cell(): Cell

  returning(value: unknown): Callable<unknown>
  throwing(error: Error): Callable<never>
  rejecting(error: Error): Callable<never>
  readonly threadName: Callable<string>
  /** Throws an error whose message is the name of the task's thread. */
  readonly throwingItsThread: Callable<never>
  /** Whether an interrupt is pending for the task's thread. */
  readonly isInterrupted: Callable<boolean>
  /** A task that submits a note to the executor, and does not wait for it. */
  submittingTo(executor: AnyExecutorService, notes: Notes, text: string): Callable<unknown>
  /** A task that closes the executor. */
  closing(executor: AnyExecutorService): Callable<unknown>

  /** No thread that starts from now on begins with a task, until this is disposed of. */
  holdThreads(): Disposable

  /** That `actual` is what was sent from task to test, or there and back: itself, or as good a copy as can be. */
  assertArrived(actual: unknown, sent: unknown): void
}

/** How the tasks of an executor come into being, and on which threads they run. */
export interface WorkKind {
  open(): Work
  readonly threads: MakeFactory
  /** Whether threads take so long to start that tests share an executor wherever they leave it as it was. */
  readonly sharesExecutors: boolean
}
