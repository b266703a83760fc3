import { IllegalStateError, UnsupportedOperationError } from "../../errors.ts"
import type { RemoteTasks } from "../../future/task-observers.ts"
import { uncaught } from "../../memory/flow/guard.ts"
import type { Steps } from "../../memory/flow/waiting.ts"
import type { Connection } from "./connection.ts"
import type { FutureHost } from "../job/distributed-future.ts"
import type { JobEntry } from "./job-entry.ts"
import type { Ledger } from "./ledger.ts"

/** How futures of distributed tasks reach their jobs: to cancel them, and to learn when they are due. */
export class RemoteJobs implements RemoteTasks, FutureHost {
  readonly #ledger: Ledger
  readonly #connection: Connection
  readonly #cancel: (entry: JobEntry, interrupt: boolean) => void

  constructor(ledger: Ledger, connection: Connection, cancel: (entry: JobEntry, interrupt: boolean) => void) {
    this.#ledger = ledger
    this.#connection = connection
    this.#cancel = cancel
  }

  look(): void {
    // Futures are completed as soon as this process gets an event.
  }

  /** Always true: the future is cancelled here, even if the engine has decided otherwise and the event has not come. */
  cancel(handle: number, mayInterruptIfRunning: boolean): boolean {
    const entry = this.#ledger.get(handle)
    if (entry !== undefined) this.#cancel(entry, mayInterruptIfRunning)
    return true
  }

  startOf(handle: number): number | undefined {
    return this.#ledger.get(handle)?.startedAt
  }

  report(error: unknown): void {
    uncaught(error)
  }

  timeOf(handle: number): { time: number; isRunning: boolean } {
    return this.dueOf(handle) ?? { time: Infinity, isRunning: false }
  }

  hold(handle: number, isHeld: boolean): void {
    const entry = this.#ledger.get(handle)
    if (entry !== undefined) this.#ledger.change(entry, () => (entry.isHeld = isHeld))
  }

  argumentsOf(): readonly unknown[] {
    throw new IllegalStateError("The arguments of a distributed task stay with its future")
  }

  awaited(): void {
    // Another machine runs the task, whichever thread waits.
  }

  // oxlint-disable-next-line require-yield -- it never waits
  *blocking(): Steps<void> {
    throw new UnsupportedOperationError(
      "getSync() cannot wait for a task on another machine, whose outcome comes by the event loop of this thread: use `await future.get()`",
    )
  }

  dueOf(handle: number): { time: number; isRunning: boolean; now: number } | undefined {
    const entry = this.#ledger.get(handle)
    if (entry === undefined) return undefined
    const now = this.#connection.now()
    return { time: entry.dueAt ?? now + entry.plan.delay, isRunning: entry.isRunning, now }
  }
}
