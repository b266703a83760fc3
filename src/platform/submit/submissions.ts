import { read } from "#atomics"
// prettier-ignore
import {
  COME_BACK, ENDS_WITH_SUBMITTER, IS_PORTABLE, IS_SETTLED, REMOTE_HANDLE, RUN_REMOTELY, SEND_ARGUMENTS, TAKE_BACK, TIMING,
  WATCHER, WORK, WORK_ARGUMENTS,
} from "../../future/internals.ts"
import { OwnMap } from "../../primordials.ts"
import { CANCELLED, EXCEPTIONAL, NORMAL } from "../../future/task-state.ts"
import { kindOfFew } from "../../codec/arguments.ts"
import { Carrier } from "../../executor/carrier.ts"
import { propagated, storesToCarry } from "../../executor/propagation.ts"
import { type Marked, setTransfer, TRANSFER } from "../../executor/task-marks.ts"
import { CALL, type MayHaveCall } from "../../future/call.ts"
import { FutureTask } from "../../future/future-task.ts"
import { release } from "../../future/release.ts"
import type { Runnable } from "../../future/runnable.ts"
import { observing } from "../../observing.ts"
import { Bell } from "../../memory/wait/bell.ts"
import { sharedNow } from "../../time/shared-clock.ts"
import type { CompletionQueues } from "../memory/completion-queues.ts"
import type { FunctionTable } from "../memory/function-table.ts"
// prettier-ignore
import {
  BASE, BY_ARRIVAL, BY_PRIORITY, BY_TIME, CARRIES, COMMAND, HEADER, MEASURED, NOTED, OBSERVED, REPORTED, SCOPED, TIMED,
  VOID,
} from "../memory/layout.ts"
import { Inbox } from "./inbox.ts"
import { Outgoing } from "./outgoing.ts"
import type { PoolMemory } from "../memory/pool-memory.ts"
import { SideChannel } from "../transport/side-channel.ts"
import { type Mailbox, RemoteFutures } from "./remote-futures.ts"
import { ON_ITS_WAY, outcomeOf } from "./results.ts"
// prettier-ignore
import {
  type AfterHook, callIn, completeCarrier, dropUnrun, encodedArguments, futureOf, writeTurn,
} from "./task-calls.ts"
import type { SubmissionService } from "./submission-service.ts"
import { TakenTasks } from "./taken-tasks.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/** While fewer than FEW tasks are pending, all are measured; otherwise one of SAMPLE. */
const FEW = 16
const SAMPLE = 32

/**
 * The tasks that this thread has submitted to a pool and whose outcome it has not yet received.
 *
 * The future of a task is an object of this thread; the task is a record in shared memory. Only this class knows which
 * of them belong together. The outcome is decided in the record. The future follows as soon as this thread looks: when
 * its bell rings, when the program asks the future, and while the thread blocks for a future.
 */
export class Submissions implements Mailbox {
  readonly bell: Bell
  readonly #taken: TakenTasks
  readonly #memory: PoolMemory
  readonly #service: SubmissionService
  readonly #tasks: TaskRecords
  readonly #completionQueues: CompletionQueues
  readonly #functions: FunctionTable
  /** The number of this thread's completion queue. */
  readonly completionQueue: number
  readonly #ordering: number
  /** NaN for a task that cannot be queued by priority. Throws if code of the user does. */
  readonly #priorityOf: (task: Runnable) => number
  readonly #sideChannel: SideChannel
  readonly #outgoing: Outgoing
  /** REACHABLE if other threads can send messages to this one, else 0. */
  readonly #reachable: number
  /** Empty; collects the objects among arguments that cannot be encoded. Undefined while in use. */
  #collector: object[] | undefined = []
  /** The hooks to call for tasks whose attachments have not arrived. */
  readonly #lateHooks = new OwnMap<number, AfterHook>()
  /** By slot. */
  readonly #submitted: (Runnable | undefined)[] = []
  /** How many tasks of this thread are not over. */
  pending = 0
  /** How many tasks were recorded since the last one that was measured. */
  #unmeasured = 0
  #kept = false
  /** Whether a task of this thread was ever unref'd. */
  hasUnheld = false
  #isRetired = false
  #isRetiring = false
  readonly #inbox: Inbox
  readonly remote: RemoteFutures
  readonly hasMail = (): boolean => this.#inbox.hasMail

  constructor(
    memory: PoolMemory,
    tasks: TaskRecords,
    completionQueues: CompletionQueues,
    functions: FunctionTable,
    service: SubmissionService,
    priorityOf: (task: Runnable) => number,
  ) {
    this.#memory = memory
    this.#service = service
    this.#priorityOf = priorityOf
    this.#tasks = tasks
    this.#completionQueues = completionQueues
    this.#functions = functions
    this.remote = new RemoteFutures(tasks, this, service)
    this.#ordering = memory.ordering
    this.#taken = new TakenTasks(memory, tasks)
    this.bell = new Bell(memory.threadContext, () => {
      try {
        this.look()
        this.#reclaim()
      } finally {
        service.serve(this.remote.isBlocked)
      }
    })
    this.completionQueue = completionQueues.open(this.bell)
    this.#inbox = new Inbox(completionQueues, this.completionQueue, (slot) => this.#receiveSafely(slot))
    this.#sideChannel = SideChannel.of(memory)
    this.#outgoing = Outgoing.of(tasks, this.#sideChannel, () => this.look())
    this.#reachable = this.#sideChannel.reach
  }

  /** Whether the process has to stay alive though no task is pending. */
  keepAlive(keep: boolean): void {
    this.#kept = keep
    if (keep) this.bell.hold()
    else if (this.pending === 0) this.bell.letGo()
  }

  /** The pool has terminated: no more slots will arrive. */
  retire(): void {
    if (this.#isRetired) return
    this.#isRetiring = false // as long as it looks: otherwise look() calls this
    this.look()
    this.#reclaim()
    this.#isRetiring = !this.#giveUp() || this.#inbox.hasPostponed
    if (this.#isRetiring) return // look() calls this again when the rest has arrived
    this.#isRetired = true
    this.#completionQueues.close(this.completionQueue)
    this.#sideChannel.close()
    this.bell.end()
  }

  /** Settles the tasks of dead threads that were no workers. */
  #reclaim(): void {
    if (!this.#taken.isWorthALook) return
    this.look()
    for (const slot of this.#outstanding()) if (this.#taken.settleIfLost(slot)) this.receive(slot)
  }

  /** The pool has terminated: cancels the tasks that other threads have taken. False if some are still to arrive. */
  #giveUp(): boolean {
    let isAll = true
    for (const slot of this.#outstanding()) {
      if (!this.#taken.cancel(slot)) {
        if (this.#taken.settleIfLeft(slot)) this.#receiveSafely(slot)
        else isAll = false
      } else {
        this.#outgoing.finish(slot)
        const task = this.#forget(slot) // the slot itself stays with the thread that has it
        if (task !== undefined) dropUnrun(task)
      }
    }
    return isAll
  }

  /** The slots of pending tasks that have not arrived. */
  #outstanding(): number[] {
    return [...this.#submitted.keys()].filter(
      (slot) => this.#submitted[slot] !== undefined && !this.#inbox.isPostponed(slot),
    )
  }

  /** Fails all pending tasks: none of them can complete any more. */
  failAll(error: unknown): void {
    this.look()
    for (const slot of this.#submitted.keys()) {
      const task = this.#forget(slot)
      if (!(task instanceof FutureTask)) continue
      futureOf(task)[COME_BACK]()
      this.#settle(task, EXCEPTIONAL, true, error)
    }
    this.pending = 0
    this.#inbox.dropPostponed()
    this.bell.letGo()
  }

  // ------------------------------------------------------------------ submitting

  /** Writes the record of the task; returns its slot, 0 if there is no room. If it throws, nothing has changed. */
  record(task: Runnable): number {
    const priority = this.#ordering === BY_PRIORITY ? this.#priorityOf(task) : undefined
    let args: readonly unknown[]
    let number: number
    let isVoid = false
    const work = task instanceof FutureTask ? task[WORK] : undefined
    if (
      task instanceof FutureTask &&
      work &&
      !(task instanceof Carrier) &&
      (work as MayHaveCall)[CALL] === undefined &&
      task[IS_PORTABLE]
    ) {
      number = this.#functions.numberOf(work)
      args = task[WORK_ARGUMENTS]
    } else {
      const call = callIn(task)
      number = this.#functions.numberOf(call.fn)
      isVoid = call.result !== undefined
      ;({ args } = call)
    }
    const stores = propagated.isUsed ? storesToCarry() : undefined
    const sent = stores === undefined ? args : [...args, stores]
    const toMove = (task as Marked)[TRANSFER]
    const things = this.#reachable === 0 ? undefined : (this.#collector ?? [])
    this.#collector = undefined // a getter among the arguments may submit a task itself
    const ints = toMove === undefined ? kindOfFew(sent) : 0
    const encoded = ints === 0 ? encodedArguments(task, sent, things, toMove, stores) : undefined
    const isWhole = things === undefined || things.length === 0
    if (isWhole) this.#collector = things
    const future = task instanceof Carrier ? (task.future as FutureTask<unknown>) : task
    const isMeasured = this.pending < FEW || ++this.#unmeasured >= SAMPLE
    if (isMeasured) this.#unmeasured = 0
    const observed = read(this.#memory.words, BASE.EVENTS) === 0 ? 0 : OBSERVED // code listens: see isListening()
    const sampled = isMeasured ? MEASURED : 0
    const flags = flagsOf(future, isVoid) | this.#reachable | observed | sampled | (stores ? CARRIES : 0)
    if ((flags & SCOPED) !== 0) this.#memory.setHeader(HEADER.SCOPES, 1)
    const time = isMeasured && this.#ordering !== BY_TIME ? sharedNow() : 0 // a task with a time: from then on
    let handle = this.#tasks.take(this.completionQueue, number, flags, time)
    if (handle === 0) {
      this.look() // completed tasks make room
      handle = this.#tasks.take(this.completionQueue, number, flags, time)
      if (handle === 0) {
        encoded?.release()
        return 0
      }
    }
    const slot = this.#tasks.slotOf(handle)
    if (encoded === undefined) this.#tasks.fillFew(slot, ints, args)
    else if (!isWhole || !this.#tasks.fill(slot, encoded)) {
      if (things === undefined) {
        this.#tasks.release(slot)
        return 0
      }
      this.#outgoing.pack(slot, encoded, isWhole ? [] : things, toMove ?? [], args)
    }
    const isCounted = this.#ordering === BY_ARRIVAL || writeTurn(this.#tasks, slot, task, priority)
    if (future instanceof FutureTask) future[RUN_REMOTELY](this.remote, handle)
    this.#submitted[slot] = task
    if (isCounted && ++this.pending === 1) this.bell.hold()
    return slot
  }

  /** Whether the process does not stay alive for the task, though it waits: it never becomes due, or is unref'd. */
  #isUnheld(task: Runnable): boolean {
    if (this.#ordering !== BY_TIME || !(task instanceof FutureTask)) return false
    const timing = task[TIMING]
    return timing?.time === Infinity || timing?.isHeld === false
  }

  held(slot: number, isHeld: boolean): void {
    const task = this.#submitted[slot]
    if (!(task instanceof FutureTask) || task[TIMING]?.time === Infinity) return
    this.hasUnheld = true
    if (!isHeld) this.#discount()
    else if (++this.pending === 1) this.bell.hold()
  }

  /** The pool has accepted the task in this slot. */
  seal(slot: number): void {
    const task = this.#submitted[slot]
    if (task instanceof FutureTask && this.#tasks.isWhole(slot)) task[SEND_ARGUMENTS]()
    else this.#outgoing.seal(slot)
  }

  /**
   * Takes back a task that will not run. Only if no other thread has its slot. Undefined if another thread has
   * submitted it: that thread has to get it.
   */
  takeBack(slot: number): Runnable | undefined {
    const task = this.#forget(slot)
    if (task === undefined) return undefined // only its submitter may free the slot
    if (task instanceof FutureTask) futureOf(task)[TAKE_BACK]()
    const moved = this.#outgoing.restore(slot)
    if (moved.length > 0) setTransfer(task, moved)
    this.#tasks.release(slot)
    return task
  }

  /** Whether the slot, whose task is over, has arrived without all of its attachments. */
  hasArrived(slot: number): boolean {
    return this.#inbox.isPostponed(slot)
  }

  /** The task in this slot, if this thread has submitted it. */
  taskIn(slot: number): Runnable | undefined {
    return this.#submitted[slot]
  }

  /** The slot of a task that this thread has submitted; 0 or less if there is none. */
  slotOf(task: unknown): number {
    if (!(task instanceof FutureTask) || task instanceof Carrier) return this.#submitted.indexOf(task as Runnable)
    const slot = this.#tasks.slotOf(task[REMOTE_HANDLE])
    return this.#submitted[slot] === task ? slot : 0
  }

  #forget(slot: number): Runnable | undefined {
    const task = this.#submitted[slot]
    if (task === undefined) return undefined
    this.#submitted[slot] = undefined
    release(task)
    // A future that was cancelled in this thread no longer counts as pending, but a carrier does.
    if ((!(task instanceof FutureTask) || !task[IS_SETTLED]) && !this.#isUnheld(task)) this.#discount()
    return task
  }

  #discount(): void {
    if (--this.pending === 0 && !this.#kept) this.bell.letGo()
  }

  // ------------------------------------------------------------------ hearing

  look(): void {
    if (this.#isRetired) return
    this.#inbox.look()
    if (this.#isRetiring && !this.#inbox.hasPostponed) this.retire()
  }

  /** An error with one slot must not keep this thread from receiving the others. */
  #receiveSafely(slot: number): void {
    try {
      this.receive(slot)
    } catch (error) {
      this.remote.reportLocal(error, 0)
    }
  }

  readonly requireNoMessage = (slot: number): void =>
    this.#outgoing.requireNoMessage(this.#inbox.isPostponed(slot), this.#sideChannel.isStarting(slot))

  /** Settles the task in this slot, which is over. `hook` is called before a command's error is reported. */
  receive(slot: number, hook: AfterHook | undefined = this.#lateHooks.get(slot)): void {
    const state = this.#tasks.stateOf(slot)
    let outcome: unknown
    let failed = state !== NORMAL
    if (state < CANCELLED) {
      try {
        outcome = outcomeOf(slot, this.#tasks, this.#sideChannel, this.#outgoing)
      } catch (error) {
        outcome = error
        failed = true
      }
      if (outcome === ON_ITS_WAY) {
        this.#inbox.postpone(slot)
        if (hook !== undefined) this.#lateHooks.set(slot, hook)
        return
      }
    } else this.#sideChannel.forget(this.#tasks.handleOf(slot))
    this.#lateHooks.delete(slot)
    this.#outgoing.finish(slot)
    const task = this.#forget(slot)
    const worker = state < CANCELLED ? this.#tasks.workerOf(slot) : 0
    if (task instanceof FutureTask) futureOf(task)[COME_BACK]()
    else if (task !== undefined && observing.by !== undefined)
      this.#service.commandEnded(this.#tasks.handleOf(slot), state, outcome)
    if (task === undefined)
      this.#tasks.free(slot) // that of a dead thread
    else this.#tasks.release(slot)
    if (task instanceof FutureTask) {
      this.#settle(task, state, failed, outcome, worker)
      hook?.(task, undefined)
    } else if (task !== undefined) {
      hook?.(task, failed ? outcome : undefined)
      if (failed && state < CANCELLED) this.remote.reportUncaught(outcome, worker)
    }
  }

  #settle(task: FutureTask<unknown>, state: number, failed: boolean, outcome: unknown, worker = 0): void {
    const future = futureOf(task)
    this.remote.settle(future, state, failed, outcome, worker)
    if (future !== task) completeCarrier(task)
  }

  /** A cancelled task stays queued until its turn comes. Until then only a carrier still counts as pending. */
  cancelled(slot: number): void {
    const task = this.#submitted[slot]
    if (task !== undefined && !(task instanceof Carrier) && !this.#isUnheld(task)) this.#discount()
  }
}

/** What its record says of a task: whether it is a command, has a result, is watched. */
function flagsOf(task: Runnable, isVoid: boolean): number {
  if (!(task instanceof FutureTask)) return COMMAND | VOID
  const { [WATCHER]: watcher } = task
  const timed = watcher === undefined ? 0 : TIMED
  const reported = watcher?.reportsErrors === true ? REPORTED | VOID : 0
  const noted = FutureTask.hasDone(task) ? NOTED : 0
  return timed | reported | noted | (task[ENDS_WITH_SUBMITTER] ? SCOPED : 0) | (isVoid ? VOID : 0)
}
