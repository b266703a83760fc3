/** An executor that the contract is put to, and what it need not be able to do. */
import {
  CancellationError,
  type CorepoolError,
  type ExecutorService,
  InterruptedError,
  type Runnable,
  type ThreadFactory,
} from "corepool"
import type { WorkKind } from "./work.ts"

/** What not every executor can do. */
export type Ability =
  /** Keeps tasks waiting for a thread. */
  | "queue"
  /** Lets tasks that wait start in the order in which they came. */
  | "order"
  /** Refuses tasks after shutdown with RejectedExecutionError. */
  | "refusal"
  /** Returns what never started from `shutdownNow`. */
  | "return"
  /** Cancels the futures of what `shutdownNow` returns, and returns work that can be run elsewhere. */
  | "hand-back"
  /** Tells the given factory's handler of errors. */
  | "handler"
  /** Knows its own threads, so that `close` notices that it would wait for itself. */
  | "self-knowledge"
  /** Can be paused, and knows when it is quiescent. */
  | "pause"
  /** Captures what tasks write. */
  | "capture"

/** Some executors can only promise what `shutdownNow` returns. */
export type AnyExecutorService = ExecutorService<Runnable[] | Promise<Runnable[]>>

export interface ExecutorUnderTest {
  readonly name: string
  /** How many tasks run at once; Infinity if as many as come. */
  readonly threads: number
  /** Opens a fresh executor with threads of this factory. */
  readonly open: (factory: ThreadFactory) => AnyExecutorService | Promise<AnyExecutorService>
  /** What its tasks can be. Default: closures, for virtual threads. */
  readonly work?: WorkKind
  /** Whether its `shutdownNow` cancels what runs, and does not leave it to the tasks what comes of the interrupt. */
  readonly cancelsOnShutdown?: boolean
  /** What it cannot do, and why. */
  readonly lacks?: { readonly [A in Ability]?: string }
}

/** What a task fails with that lets `shutdownNow` end it. */
export function errorOfShutdown({ cancelsOnShutdown = false }: ExecutorUnderTest): typeof CorepoolError {
  return cancelsOnShutdown ? CancellationError : InterruptedError
}

/** The option that skips a test if the executor lacks something it needs, with the reason. */
export function needs(subject: ExecutorUnderTest, ...abilities: Ability[]): { skip: string | false } {
  const reason = abilities.map((ability) => subject.lacks?.[ability]).find((lack) => lack !== undefined)
  return { skip: reason ?? false }
}
