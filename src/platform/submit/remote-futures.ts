import { readsWhileBlocked } from "#host/runtime/capabilities"
import { decodeArguments } from "../../codec/arguments.ts"
import { TimeoutError } from "../../errors.ts"
import type { FutureTask } from "../../future/future-task.ts"
import { ABANDON, COMPLETE, FAIL } from "../../future/internals.ts"
import { CANCELLED, INTERRUPTED, INTERRUPTING } from "../../future/task-state.ts"
import type { RemoteTasks } from "../../future/task-observers.ts"
import type { Bell } from "../../memory/wait/bell.ts"
import { DUE, type Steps, TIMEOUT } from "../../memory/flow/waiting.ts"
import { SpinWait } from "../../memory/flow/spin-wait.ts"
import { fromShared } from "../../time/shared-clock.ts"
import { Timer } from "../../time/timer.ts"
import { CARRIES } from "../memory/layout.ts"
import { ShortWaits } from "./short-waits.ts"
import type { SubmissionService } from "./submission-service.ts"
import { resultOf, withSubmitter } from "./task-calls.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/** Where this thread receives the outcomes of its tasks. */
export interface Mailbox {
  readonly bell: Bell
  /** How many tasks of this thread are not over. */
  readonly pending: number
  readonly hasMail: () => boolean
  look(): void
  /** This thread has cancelled the task in this slot. */
  cancelled(slot: number): void
  /** Whether the process has to stay alive for the task in this slot has changed. */
  held(slot: number, isHeld: boolean): void
  /** Throws if the task in this slot, or its outcome, needs a message: this thread reads none while it blocks. */
  requireNoMessage(slot: number): void
}

/** How long a thread spins before it blocks, in ms. */
const SPIN_TIME = 0.1

/**
 * Serves the futures of this thread whose tasks are in shared memory: they settle, cancel and wait through it. A worker
 * of the pool that waits helps meanwhile: see `SubmissionService.help`.
 */
export class RemoteFutures implements RemoteTasks {
  readonly #tasks: TaskRecords
  readonly #mailbox: Mailbox
  readonly #service: SubmissionService
  readonly #spinWait = new SpinWait(SPIN_TIME)
  readonly #shortWaits: ShortWaits
  /** How many calls of {@link blocking} this thread is in. */
  #blocked = 0
  /** The worker that was interrupted last to cancel a task; 0 if no worker had the task. */
  #stopped = 0
  /** While a future is being settled: the number of the worker that ran its task, if the outcome is an error. */
  #ranOn: number | undefined

  constructor(tasks: TaskRecords, mailbox: Mailbox, service: SubmissionService) {
    this.#tasks = tasks
    this.#mailbox = mailbox
    this.#shortWaits = new ShortWaits(mailbox)
    this.#service = service
  }

  /** Whether this thread blocks for a future. */
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

  hold(handle: number, isHeld: boolean): void {
    if (this.#tasks.isCurrent(handle)) this.#mailbox.held(this.#tasks.slotOf(handle), isHeld)
  }

  argumentsOf(handle: number): unknown[] {
    const slot = this.#tasks.slotOf(handle)
    const encoded = this.#tasks.read(slot)
    const args = decodeArguments(encoded, [])
    encoded.release()
    if (this.#tasks.hasFlag(slot, CARRIES)) args.pop()
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

  /** Settles the future of a task, by the state and the outcome that another thread has decided on. */
  settle(future: FutureTask<unknown>, state: number, failed: boolean, outcome: unknown, worker: number): void {
    const ranOn = this.#ranOn
    this.#ranOn = worker
    try {
      if (state >= CANCELLED)
        future[ABANDON](undefined) // if it was not cancelled in this thread, another thread did it
      else if (failed) future[FAIL](withSubmitter(future, outcome))
      else future[COMPLETE](resultOf(future, outcome))
    } catch (error) {
      this.reportLocal(error, worker) // an error of its done(): the outcome stands
    } finally {
      this.#ranOn = ranOn
    }
  }

  report(error: unknown, isNews = false): void {
    const worker = this.#ranOn
    if (worker === undefined || isNews) this.reportLocal(error, worker ?? this.#stopped)
    else this.reportUncaught(error, worker)
  }

  /** Worker 0: the worker has died of the error, which was reported then. */
  reportUncaught(error: unknown, worker: number): void {
    if (worker !== 0) this.#service.reportUncaught(error, worker)
  }

  /** See {@link SubmissionService.reportLocal}. */
  reportLocal(error: unknown, worker: number): void {
    this.#service.reportLocal(error, worker)
  }

  // ------------------------------------------------------------------ waiting

  /** Helps with the task if it is due; otherwise again when it is. */
  awaited(handle: number, isLimited: boolean): void {
    this.#shortWaits.expect()
    const slot = this.#tasks.slotOf(handle)
    const left = this.#service.untilHelp(slot) // before help() reads the time: see blocking()
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
        // Before help() reads the time: if the task becomes due between the two reads, the next round helps with it.
        const left = this.#service.untilHelp(slot)
        if (this.#service.help(slot, true, isLimited)) continue
        if (!readsWhileBlocked) this.#mailbox.requireNoMessage(slot)
        if (this.#glance()) continue
        const wake = yield { list: this.#mailbox.bell, atMost: Math.min(left, this.#service.dueIn(slot)) }
        if (wake === TIMEOUT) throw new TimeoutError("The task did not complete in time")
        if (wake === DUE) this.#service.serve(true)
      }
    } finally {
      this.#blocked--
    }
  }

  /** Spins for a moment: a wake-up takes longer than most tasks. True if a slot has arrived. */
  #glance(): boolean {
    return this.#spinWait.isWorthwhile && this.#spinWait.until(this.#mailbox.hasMail)
  }
}
