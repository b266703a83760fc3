import { decodeArguments } from "../../codec/arguments.ts"
import { TimeoutError } from "../../errors.ts"
import { CANCELLED, INTERRUPTED, INTERRUPTING } from "../../future/task-state.ts"
import type { RemoteTasks } from "../../future/task-observers.ts"
import type { Bell } from "../../memory/wait/bell.ts"
import { DUE, type Steps, TIMEOUT } from "../../memory/flow/waiting.ts"
import { SpinWait } from "../../memory/flow/spin-wait.ts"
import { fromShared } from "../../time/shared-clock.ts"
import { Timer } from "../../time/timer.ts"
import type { SubmissionService } from "./submission-service.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/** Where this thread hears of its tasks. */
export interface Mailbox {
  readonly bell: Bell
  readonly hasMail: () => boolean
  look(): void
  /** The task in this slot was cancelled here. */
  cancelled(slot: number): void
}

/** How long a thread looks before it blocks, in ms. */
const WATCH = 0.1

/**
 * What the futures of this thread ask for whose tasks are in shared memory: to be told, to be cancelled, to be waited
 * for. Those who wait in the pool's own threads help: see `SubmissionService.help`.
 */
export class RemoteFutures implements RemoteTasks {
  readonly #tasks: TaskRecords
  readonly #mailbox: Mailbox
  readonly #service: SubmissionService
  readonly #spinWait = new SpinWait(WATCH)
  /** How many calls of {@link blocking} this thread is in. */
  #blocked = 0
  /** The worker that was interrupted last, for the sake of a task; 0 if that had none. */
  #stopped = 0
  /**
   * While a future is told what has come of its task: the number of the worker that ran it, if what came of it is an
   * error.
   */
  ranOn: number | undefined

  constructor(tasks: TaskRecords, mailbox: Mailbox, service: SubmissionService) {
    this.#tasks = tasks
    this.#mailbox = mailbox
    this.#service = service
  }

  /** Whether this thread blocks for one of them. */
  get isBlocked(): boolean {
    return this.#blocked > 0
  }

  look(): void {
    this.#mailbox.look()
  }

  // ------------------------------------------------------------------ asking

  startOf(handle: number): number | undefined {
    const start = this.#tasks.startOf(this.#tasks.slotOf(handle))
    return start === 0 ? undefined : fromShared(start)
  }

  timeOf(handle: number): { time: number; isRunning: boolean } {
    const slot = this.#tasks.slotOf(handle)
    return { time: fromShared(this.#tasks.rankOf(slot)), isRunning: this.#service.isRunning(slot, handle) }
  }

  argumentsOf(handle: number): unknown[] {
    const encoded = this.#tasks.read(this.#tasks.slotOf(handle))
    const args = decodeArguments(encoded, [])
    encoded.release()
    return args
  }

  // ------------------------------------------------------------------ ending

  cancel(handle: number, mayInterruptIfRunning: boolean): boolean {
    const slot = this.#tasks.slotOf(handle)
    if (!this.#tasks.leaveNew(slot, mayInterruptIfRunning ? INTERRUPTING : CANCELLED)) return false
    if (mayInterruptIfRunning) {
      this.#stopped = this.#service.stop(slot, handle)
      this.#tasks.settle(slot, INTERRUPTED)
    }
    this.#mailbox.cancelled(slot)
    return true
  }

  report(error: unknown): void {
    const worker = this.ranOn
    if (worker === undefined) this.reportLocal(error, this.#stopped)
    else this.reportUncaught(error, worker)
  }

  /** Worker 0 has died of it, which was told then. */
  reportUncaught(error: unknown, worker: number): void {
    if (worker !== 0) this.#service.reportUncaught(error, worker)
  }

  /** See {@link SubmissionService.reportLocal}. */
  reportLocal(error: unknown, worker: number): void {
    this.#service.reportLocal(error, worker)
  }

  // ------------------------------------------------------------------ waiting

  /** What is not yet due is not yet to be helped with. */
  awaited(handle: number, isLimited: boolean): void {
    const slot = this.#tasks.slotOf(handle)
    const left = this.#service.untilHelp(slot) // before help() looks at the time: see blocking()
    if (!this.#tasks.isCurrent(handle) || this.#service.help(slot, false, isLimited)) return
    if (!isLimited) Timer.after(left, () => this.awaited(handle, false))
  }

  *blocking(future: { readonly isDone: boolean }, handle: number, isLimited: boolean): Steps<void> {
    const slot = this.#tasks.slotOf(handle)
    this.#blocked++
    try {
      for (;;) {
        this.look()
        if (future.isDone) return
        // Before help() looks at the time: a task that becomes due between the two looks is helped with at the next
        // one.
        const left = this.#service.untilHelp(slot)
        if (this.#service.help(slot, true, isLimited)) continue
        if (this.#glance()) continue
        const wake = yield { list: this.#mailbox.bell, atMost: Math.min(left, this.#service.dueIn(slot)) }
        if (wake === TIMEOUT) throw new TimeoutError("The task did not complete in time")
        if (wake === DUE) this.#service.serve(true)
      }
    } finally {
      this.#blocked--
    }
  }

  /** Keeps looking for a moment: to be woken takes longer than most tasks. True if something has arrived. */
  #glance(): boolean {
    return this.#spinWait.isWorthwhile && this.#spinWait.until(this.#mailbox.hasMail)
  }
}
