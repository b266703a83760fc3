/**
 * The tasks that this thread has submitted to a pool and not heard of yet.
 *
 * The future of a task is an object of this thread, the task a record in shared memory. Which of them belong together is
 * known here alone. What becomes of the task is decided in the record; the future follows as soon as this thread looks:
 * when its bell rings, when somebody asks the future, and while it blocks for one.
 */
import { CANCELLED, EXCEPTIONAL, INTERRUPTED, INTERRUPTING, NORMAL } from "../future/task-state.ts"
import { encodeArguments } from "../codec/arguments.ts"
import { decode } from "../codec/codec.ts"
import type { Letter } from "../codec/letter.ts"
import { TaskNotPortableError, TimeoutError } from "../errors.ts"
import { Carrier } from "../executor/carrier.ts"
import { priorityOf } from "../executor/with-options.ts"
import { type Call, callOf } from "../future/call.ts"
import { FutureTask } from "../future/future-task.ts"
import { nameOf, type Runnable } from "../future/runnable.ts"
import type { RemoteTasks } from "../future/task-parties.ts"
import { Bell } from "../memory/bell.ts"
import { sharedNow } from "../time/timer.ts"
import { Watch } from "../memory/watch.ts"
import { DUE, type Steps, TIMEOUT } from "../memory/waiting.ts"
import type { Boxes } from "./boxes.ts"
import type { FunctionTable } from "./function-table.ts"
import { COMMAND, TIMED, VOID } from "./layout.ts"
import type { PoolMemory } from "./pool-memory.ts"
import type { TaskRecords } from "./task-records.ts"

/** What the pool does for those who submit. */
export interface Service {
  /** Looks whether there is anything else to do; called whenever the bell rings, perhaps while this thread blocks. */
  serve(isBlocked: boolean): void
  /** The worker with this slot in hand is to stop; it is killed if it does not in time. */
  stop(slot: number, handle: number): void
  /** What a command has thrown, and the number of the worker that ran it. */
  reportUncaught(error: unknown, worker: number): void
  /** Runs a task that is still queued in this thread, if it might never run otherwise; true if there may be news. */
  help(slot: number, isBlocked: boolean): boolean
  /** When something is to be done, in ms from now, though nobody rings; Infinity if nothing is. */
  readonly dueIn: number
}

/** While there are few tasks all of them are measured, otherwise one of so many. */
const FEW = 16
const SAMPLE = 32

/** How long a thread looks before it blocks, in ms. */
const WATCH = 0.1

export class Submissions implements RemoteTasks {
  readonly bell: Bell
  readonly #tasks: TaskRecords
  readonly #boxes: Boxes
  readonly #functions: FunctionTable
  readonly #service: Service
  readonly #box: number
  readonly #isOrdered: boolean
  /** By slot. */
  readonly #submitted: (Runnable | undefined)[] = []
  #pending = 0
  #kept = false
  #isRetired = false
  /** How many calls of {@link blocking} this thread is in. */
  #blocked = 0
  /** Slots that have arrived and are yet to be looked at, and how far that has come. */
  #arrived: number[] = []
  #next = 0
  readonly #append = (slots: readonly number[]): void => {
    for (const slot of slots) this.#arrived.push(slot) // not by spreading: there may be a million
  }
  readonly #watch = new Watch(WATCH)
  readonly #hasMail = (): boolean => !this.#boxes.isEmpty(this.#box)

  constructor(memory: PoolMemory, tasks: TaskRecords, boxes: Boxes, functions: FunctionTable, service: Service) {
    this.#tasks = tasks
    this.#boxes = boxes
    this.#functions = functions
    this.#service = service
    this.#isOrdered = memory.order !== undefined
    this.bell = new Bell(memory.here, () => {
      this.look()
      service.serve(this.#blocked > 0)
    })
    this.#box = boxes.open(this.bell)
  }

  /** Whether the process is to stay alive though nothing is pending. */
  keepAlive(keep: boolean): void {
    this.#kept = keep
    if (keep) this.bell.hold()
    else if (this.#pending === 0) this.bell.letGo()
  }

  /** The pool has ended: nothing more will arrive. */
  retire(): void {
    if (this.#isRetired) return
    this.look()
    this.#isRetired = true
    this.#boxes.close(this.#box)
    this.bell.end()
  }

  /** Nothing can become of what is pending. */
  failAll(error: unknown): void {
    this.look()
    for (const [slot, task] of this.#submitted.entries()) {
      if (task === undefined) continue
      this.#submitted[slot] = undefined
      if (task instanceof FutureTask) this.#tell(task, EXCEPTIONAL, true, error)
    }
    this.#pending = 0
    this.bell.letGo()
  }

  // ------------------------------------------------------------------ submitting

  /** Writes the task down; its slot. Throws if it cannot be, and then nothing has changed. 0 if there is no room. */
  record(task: Runnable): number {
    let letter: Letter
    let number: number
    let isVoid = false
    if (task instanceof FutureTask && task.workArguments.length > 0 && task.run === FutureTask.prototype.run) {
      number = this.#functions.numberOf(task.work as Call["fn"])
      letter = encodeArguments(task.workArguments)
    } else {
      const { fn, args, result } = this.#callOf(task)
      isVoid = result !== undefined
      number = this.#functions.numberOf(fn)
      letter = encodeArguments(args)
    }
    const flags =
      task instanceof FutureTask
        ? (this.#futureOf(task).watcher === undefined ? 0 : TIMED) | (isVoid ? VOID : 0)
        : COMMAND | VOID
    let slot = this.#tasks.take(this.#box, number, flags)
    if (slot === 0) {
      this.look() // what is done makes room
      slot = this.#tasks.take(this.#box, number, flags)
    }
    if (slot === 0) {
      letter.release()
      return 0
    }
    if (!this.#tasks.fill(slot, letter)) {
      this.#tasks.free(slot)
      return 0
    }
    if (this.#pending < FEW || slot % SAMPLE === 0) this.#tasks.noteSubmission(slot, sharedNow())
    if (this.#isOrdered) this.#tasks.setPriority(slot, priorityOf(task) ?? NaN)
    if (task instanceof FutureTask) this.#futureOf(task).runElsewhere(this, this.#tasks.handleOf(slot))
    this.#submitted[slot] = task
    if (++this.#pending === 1) this.bell.hold()
    return slot
  }

  #callOf(task: Runnable): Call {
    if (typeof task === "function") return callOf(task)
    if (!(task instanceof FutureTask)) {
      throw new TaskNotPortableError(
        `${nameOf(task)} is an object of this thread, and its run() method cannot be called by another one. Submit a function, or use virtualThreads()`,
      )
    }
    const future = this.#futureOf(task)
    if (future.run !== FutureTask.prototype.run) {
      throw new TaskNotPortableError(
        `${nameOf(task)} has a run() method of its own, which cannot be called by another thread. Use virtualThreads()`,
      )
    }
    if (future.work === undefined) return NOTHING
    const { workArguments: args } = future
    return args.length === 0 ? callOf(future.work) : { fn: future.work, args }
  }

  #futureOf(task: FutureTask<unknown>): FutureTask<unknown> {
    return task instanceof Carrier ? (task.future as FutureTask<unknown>) : task
  }

  /** The task is not to run: gives it back. Only if its slot is in nobody else's hands. */
  takeBack(slot: number): Runnable | undefined {
    const task = this.#forget(slot)
    if (task === undefined) return undefined // another thread's, which alone may free it
    if (task instanceof FutureTask) this.#futureOf(task).comeBack()
    this.#tasks.free(slot)
    return task
  }

  /** The task in this slot, if it was submitted here. */
  taskIn(slot: number): Runnable | undefined {
    return this.#submitted[slot]
  }

  slotOf(task: unknown): number {
    return this.#submitted.indexOf(task as Runnable)
  }

  #forget(slot: number): Runnable | undefined {
    const task = this.#submitted[slot]
    if (task === undefined) return undefined
    this.#submitted[slot] = undefined
    // One that was cancelled here does not count any more, but a carrier does.
    if (!(task instanceof FutureTask) || !task.isSettled) this.#discount()
    return task
  }

  #discount(): void {
    if (--this.#pending === 0 && !this.#kept) this.bell.letGo()
  }

  // ------------------------------------------------------------------ hearing

  look(): void {
    if (this.#isRetired) return
    this.#boxes.empty(this.#box, this.#append)
    // What is told may wait for the next one in turn: whoever comes goes on where the last one is.
    while (this.#next < this.#arrived.length) this.receive(this.#arrived[this.#next++] as number)
    if (this.#arrived.length > 0) {
      this.#arrived = []
      this.#next = 0
    }
  }

  /** Settles the task in this slot, which is over; `hook` is told of it before a command's error is. */
  receive(slot: number, hook?: (task: Runnable, error: unknown) => void): void {
    const state = this.#tasks.stateOf(slot)
    let outcome: unknown
    let failed = state !== NORMAL
    if (state < CANCELLED) {
      try {
        const letter = this.#tasks.read(slot)
        outcome = decode(letter)
        letter.release()
      } catch (error) {
        outcome = error
        failed = true
      }
    }
    const task = this.#forget(slot)
    const worker = this.#tasks.workerOf(slot)
    this.#tasks.free(slot)
    if (task instanceof FutureTask) {
      this.#tell(task, state, failed, outcome)
      hook?.(task, undefined)
    } else if (task !== undefined) {
      hook?.(task, failed ? outcome : undefined)
      if (failed && state < CANCELLED) this.#service.reportUncaught(outcome, worker)
    }
  }

  #tell(task: FutureTask<unknown>, state: number, failed: boolean, outcome: unknown): void {
    const future = this.#futureOf(task)
    future.comeBack()
    if (state >= CANCELLED)
      future.abandon(undefined) // by somebody else, if it was not from here
    else if (failed) future.fail(outcome)
    else future.complete(resultOf(future, outcome))
    if (future !== task) task.complete(undefined)
  }

  // ------------------------------------------------------------------ cancelling and waiting

  cancel(handle: number, mayInterruptIfRunning: boolean): boolean {
    const slot = this.#tasks.slotOf(handle)
    if (!this.#tasks.leaveNew(slot, mayInterruptIfRunning ? INTERRUPTING : CANCELLED)) return false
    if (mayInterruptIfRunning) {
      this.#service.stop(slot, handle)
      this.#tasks.settle(slot, INTERRUPTED)
    }
    // It stays where it is until its turn comes, and one who waits to hear of that counts on. Nobody else does.
    if (!(this.#submitted[slot] instanceof Carrier)) this.#discount()
    return true
  }

  /** Keeps looking for a moment: to be woken takes longer than most tasks. True if something has arrived. */
  #glance(): boolean {
    return this.#watch.isWorthwhile && this.#watch.until(this.#hasMail)
  }

  startOf(handle: number): number | undefined {
    const start = this.#tasks.startOf(this.#tasks.slotOf(handle))
    return start === 0 ? undefined : start - performance.timeOrigin
  }

  awaited(handle: number): void {
    this.#service.help(this.#tasks.slotOf(handle), false)
  }

  *blocking(future: { readonly isDone: boolean }, handle: number): Steps<void> {
    const slot = this.#tasks.slotOf(handle)
    this.#blocked++
    try {
      for (;;) {
        this.look()
        if (future.isDone) return
        if (this.#service.help(slot, true)) continue
        if (this.#glance()) continue
        const wake = yield { list: this.bell, atMost: this.#service.dueIn }
        if (wake === TIMEOUT) throw new TimeoutError("The task did not complete in time")
        if (wake === DUE) this.#service.serve(true)
      }
    } finally {
      this.#blocked--
    }
  }
}

/** What comes of a task that has returned this in the other thread. */
function resultOf({ work, workArguments }: FutureTask<unknown>, returned: unknown): unknown {
  const given = work === undefined || workArguments.length > 0 ? undefined : callOf(work).result
  return given === undefined ? returned : given.value
}

const NOTHING: Call = { fn: () => undefined, args: [] }
