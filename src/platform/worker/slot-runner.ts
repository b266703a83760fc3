import { isPromiseLike } from "../../checks.ts"
import { CANCELLED, COMPLETING, EXCEPTIONAL, NEW, NORMAL } from "../../future/task-state.ts"
import type { EncodedValue } from "../../codec/bytes/encoded-value.ts"
import { signStack } from "../../future/merge-stacks.ts"
import { currentFlow, Guest } from "../../memory/flow/flow.ts"
import type { Execution } from "../../core/pool-host.ts"
import type { Timetable } from "../../core/timetable.ts"
import type { Worker } from "../../core/worker.ts"
import { threadHere } from "../../thread/thread.ts"
import { isInstance } from "../../user-values.ts"
import type { FoundTask } from "../../task/reference.ts"
import type { CompletionQueues } from "../memory/completion-queues.ts"
import { TaskPayloads } from "./task-payloads.ts"
import { ifFit, requireFit, requireFitToFind, UnfitThread } from "./fitness.ts"
import type { FunctionTable } from "../memory/function-table.ts"
import { CARRIES, COMMAND, NOTED, REPORTED, VOID } from "../memory/layout.ts"
import { RunningTasks } from "./running-tasks.ts"
import type { PoolMemory } from "../memory/pool-memory.ts"
import { RunTimes } from "../memory/workers/run-times.ts"
import { awaitInterrupt, PeriodicRuns } from "./periodic-runs.ts"
import type { SharedWorker } from "../memory/workers/shared-worker.ts"
import type { TaskRecords } from "../memory/task-records.ts"
import { WorkerEvents } from "../memory/workers/worker-events.ts"
import { UnannouncedPromises } from "./unannounced-promises.ts"
import type { WorkerContext } from "./worker-context.ts"
import { mayHaveStores } from "../../executor/propagation.ts"
import { callWithStores } from "./carried-stores.ts"
import { HookFailure, WorkerEnd, WorkerHooks } from "./worker-hooks.ts"

/** Runs a worker's tasks: finds the function, decodes the arguments, calls it, encodes and delivers the outcome. */
export class SlotRunner implements Execution<number> {
  readonly #memory: PoolMemory
  protected readonly tasks: TaskRecords
  readonly #completionQueues: CompletionQueues
  readonly #functions: FunctionTable
  readonly #self: SharedWorker
  readonly #payloads: TaskPayloads
  /** The function of the task that is under way and did not end at once. */
  #found: FoundTask | undefined
  readonly #promises = new UnannouncedPromises()
  readonly runningTasks: RunningTasks
  readonly #hooks: WorkerHooks
  readonly events: WorkerEvents
  readonly #times: RunTimes
  #periodicRuns: PeriodicRuns | undefined

  constructor({ memory, tasks, completionQueues, functions, self }: WorkerContext) {
    this.#memory = memory
    this.tasks = tasks
    this.#completionQueues = completionQueues
    this.#functions = functions
    this.#self = self
    this.#payloads = new TaskPayloads(memory, tasks, completionQueues, functions)
    this.#hooks = new WorkerHooks(memory, self)
    this.events = new WorkerEvents(memory, self.number)
    this.#times = new RunTimes(memory, tasks, this.events)
    this.runningTasks = new RunningTasks(tasks, self)
  }

  /** Tasks have times, and run again if they have periods. */
  follow(timetable: Timetable<number>): void {
    this.#periodicRuns = new PeriodicRuns(this.tasks, this.#completionQueues, this.#self, timetable)
  }

  // ------------------------------------------------------------------ running

  beforeExecute(): void {
    this.#hooks.before()
  }

  afterExecute(_worker: Worker<number>, slot: number, error?: unknown): void {
    if (!this.#hooks.hasAfter) return
    if (isInstance(error, HookFailure)) {
      this.#hooks.afterAgain()
      return
    }
    const goesOn = this.#periodicRuns?.isToGoOn(slot) === true
    if (!goesOn) awaitInterrupt(slot, this.tasks, this.#completionQueues) // it may have been cancelled just now
    const isWell = this.#hooks.after(goesOn)
    if (goesOn) this.#periodicRuns?.goOn(slot)
    if (!isWell) throw new HookFailure("afterExecute() has thrown")
  }

  begin(_worker: Worker<number>, slot: number): PromiseLike<unknown> | undefined {
    // Here, too: a thread must not count as in user code for a task that was cancelled before. [PP12]
    if (this.isOver(slot)) {
      this.#self.works(true)
      this.discard(slot)
      return undefined
    }
    // From here on: built-in methods that find the function and decode the arguments need not return, if a task has
    // replaced them.
    this.#self.enterUserCode()
    if (this.tasks.stateOf(slot) !== NEW || this.#periodicRuns?.begin(slot) === false) {
      this.#leaveAndDiscard(slot)
      return undefined
    }
    this.#times.noteStart(slot, this.#periodicRuns !== undefined)
    let found: FoundTask | undefined
    try {
      found = this.#functions.resolve(this.tasks.functionOf(slot))
    } catch (error) {
      requireFitToFind(error)
      this.#fail(slot, error)
      return undefined
    }
    return found === undefined ? this.#findAndCall(slot) : this.#call(found, slot)
  }

  idle(): void {
    this.events.idle()
  }

  async #findAndCall(slot: number): Promise<unknown> {
    const found = await ifFit(() => this.#functions.find(this.tasks.functionOf(slot)), requireFitToFind)
    this.#found = found
    const args = await ifFit(() => this.#payloads.argumentsOf(slot) ?? this.#payloads.fetch(slot))
    return await this.#apply(found, slot, args)
  }

  /** The submitter has the arguments and takes its time. */
  async #awaitAndCall(found: FoundTask, slot: number, pending: Promise<unknown[]>): Promise<unknown> {
    const args = await ifFit(() => pending)
    if (this.tasks.stateOf(slot) !== NEW) return undefined
    this.#found = found
    return await this.#apply(found, slot, args)
  }

  #apply({ fn }: FoundTask, slot: number, args: unknown[]): unknown {
    return this.tasks.hasFlag(slot, CARRIES) ? callWithStores(fn, args) : fn(...args)
  }

  #call(found: FoundTask, slot: number): PromiseLike<unknown> | undefined {
    let value: unknown
    let args: unknown[] | Promise<unknown[]> | undefined
    try {
      args = this.#payloads.argumentsOf(slot)
      if (args === undefined) {
        args = this.#payloads.fetch(slot)
        if (!Array.isArray(args)) return this.#awaitAndCall(found, slot, args)
        if (this.tasks.stateOf(slot) !== NEW) {
          this.#leaveAndDiscard(slot)
          return undefined
        }
      }
    } catch (error) {
      requireFit(error)
      this.#fail(slot, error)
      return undefined
    }
    try {
      value = this.#apply(found, slot, args)
      if (isPromiseLike(value)) {
        this.#found = found
        return value
      }
    } catch (error) {
      this.#fail(slot, found.explain(error))
      return undefined
    }
    this.#complete(slot, value)
    return undefined
  }

  /**
   * Whether this worker was idle, has given itself the task, and now runs a timer of an earlier task that blocks for
   * it. The worker loop would run the task only afterwards.
   */
  holds(slot: number): boolean {
    return !this.isInTask && this.#self.task === slot
  }

  /** Gives that task up again. */
  takeFromHand(): void {
    this.#self.release()
  }

  get isInTask(): boolean {
    return !this.#self.hasLeft && this.#self.isInUserCode
  }

  /** A task has called the pool: from now on code of the pool runs, which must not be terminated. */
  leaveTask(): void {
    this.#self.leaveUserCode()
  }

  returnToTask(): void {
    this.#self.enterUserCode()
  }

  // ------------------------------------------------------------------ tasks inside of tasks

  /**
   * Runs a task inside of another one, which has been left ({@link leaveTask}). An asynchronous task may still be under
   * way when this returns. If `isBlocked`, the thread waits for the arguments on the spot.
   */
  runInside(slot: number, isBlocked = false): void {
    const self = this.#self
    const outer = self.task
    const found = this.#found
    const blocked = this.#payloads.isBlocked
    this.#payloads.isBlocked = isBlocked
    this.runningTasks.takeOnTop(slot, outer)
    // As a flow of its own: the locks of the outer task are not its.
    const guest = new Guest(currentFlow())
    this.runningTasks.isFlow(slot, guest)
    const mayBegin = this.#beforeInside(slot)
    const begin = (): PromiseLike<unknown> | undefined => this.begin(self, slot)
    const pending = mayBegin ? (mayHaveStores() ? guest.run(begin) : guest.runInside(begin)) : undefined
    if (pending === undefined) {
      if (mayBegin) this.#afterInside()
      guest.leave()
      self.countCompleted()
    } else if (isBlocked) {
      this.#fail(slot, this.#promises.refuse(this.#found, pending))
      guest.leave()
      self.countCompleted()
    } else {
      self.leaveUserCode()
      this.runningTasks.putBeside(slot)
      void this.settleBeside(slot, pending).finally(() => guest.leave())
    }
    this.#payloads.isBlocked = blocked
    this.#found = found
    this.runningTasks.returnTo(outer, slot)
    self.works(false)
  }

  /** A hook that throws ends the worker, except inside of another task: the outer task is unaffected. */
  #beforeInside(slot: number): boolean {
    try {
      this.#hooks.before()
      return true
    } catch (error) {
      if (!(error instanceof HookFailure)) throw error
      this.abandon(slot)
      return false
    }
  }

  #afterInside(): void {
    if (this.#hooks.hasAfter && !this.#hooks.after(false)) this.#hooks.afterAgain()
  }

  /**
   * Whether the task can run inside of another one. If the thread blocks until it ends, its function must be loaded
   * already and must not be asynchronous, and its arguments must be here, or readable.
   */
  canRunInside(slot: number, isBlocked: boolean): boolean {
    if (!isBlocked || !this.#payloads.isHere(slot)) return !isBlocked
    const number = this.tasks.functionOf(slot)
    return this.#functions.isReady(number, (found) => !this.#promises.areExpectedOf(found))
  }

  protected async settleBeside(slot: number, pending: PromiseLike<unknown>): Promise<void> {
    let failed = false
    let outcome: unknown
    try {
      outcome = await pending
    } catch (error) {
      failed = true
      outcome = error
    }
    if (!this.runningTasks.isBeside(slot)) return // cancelled and counted: the worker has left
    const self = this.#self
    const wasInUserCode = self.isInUserCode // the current task, which waits
    if (wasInUserCode) self.leaveUserCode()
    else this.#memory.threadContext.haltIfLeft()
    const outer = self.task
    this.runningTasks.takeOnTop(slot, outer)
    this.runningTasks.takeFromBeside(slot)
    self.enterUserCode()
    if (failed) this.#fail(slot, outcome)
    else this.#complete(slot, outcome)
    this.#afterInside()
    self.countCompleted()
    this.runningTasks.returnTo(outer, slot)
    self.works(false)
    if (wasInUserCode) self.enterUserCode()
  }

  /** For a task that did not end at once. */
  complete(slot: number, value: unknown): void {
    this.#found = undefined
    this.#complete(slot, value)
  }

  fail(slot: number, error: unknown): void {
    const found = this.#found
    this.#found = undefined
    this.#fail(slot, found === undefined ? error : found.explain(error))
  }

  /**
   * The task has returned. Encoding the value may run code of the program, which may throw, call corepool, or not
   * return. So that is done while the task is undecided, counts as running and can be cancelled. User code is left
   * after that.
   */
  #complete(slot: number, value: unknown): void {
    if (this.#periodicRuns?.isToGoOn(slot) === true) {
      this.#leaveUserCode()
      this.#payloads.forget(slot)
      this.#times.noteEnd(slot)
      if (!this.#hooks.hasAfter) this.#periodicRuns.goOn(slot)
      return
    }
    let encoded: EncodedValue
    let state: typeof NORMAL | typeof EXCEPTIONAL = NORMAL
    try {
      encoded = this.#payloads.encode(slot, this.tasks.hasFlag(slot, VOID) ? undefined : value)
    } catch (error) {
      encoded = this.#encodeError(slot, error)
      state = EXCEPTIONAL
    }
    this.#leaveUserCode()
    if (!this.#decide(slot, encoded)) return
    if (this.tasks.hasFlag(slot, NOTED)) this.tasks.noteWorker(slot, this.#self.number)
    this.#payloads.settle(slot, encoded, state)
    this.#deliver(slot)
  }

  /** The task has thrown. As {@link #complete}. */
  #fail(slot: number, error: unknown): void {
    const encoded = this.#encodeError(slot, error)
    this.#leaveUserCode()
    const isCommand = this.tasks.hasFlag(slot, COMMAND)
    const isReported = isCommand || this.tasks.hasFlag(slot, REPORTED)
    if (this.#decide(slot, encoded)) {
      if (isReported || this.tasks.hasFlag(slot, NOTED)) this.tasks.noteWorker(slot, this.#self.number)
      this.#payloads.settle(slot, encoded, EXCEPTIONAL)
      // The owner reports the error; if it has submitted the command itself, it does so when it receives the task.
      if (isReported && !this.#completionQueues.isOf(this.tasks.completionQueueOf(slot), this.#memory.owner))
        this.#hooks.tellUncaught()
      this.#deliver(slot)
    }
    if (isCommand) throw new WorkerEnd("A command has thrown") // its error has been reported
  }

  #encodeError(slot: number, error: unknown): EncodedValue {
    if (isInstance(error, UnfitThread)) throw error // not an error of the task
    signStack(error, threadHere().name)
    return this.#payloads.encodeError(slot, error)
  }

  /** True if this outcome counts. Otherwise the task was cancelled. */
  #decide(slot: number, encoded: EncodedValue): boolean {
    if (this.tasks.leaveNew(slot, COMPLETING)) return true
    this.#payloads.drop(encoded)
    this.discard(slot)
    return false
  }

  /** The task is over, and what follows takes a moment. */
  #leaveUserCode(): void {
    this.#self.leaveUserCode()
    this.#self.works(true)
  }

  #leaveAndDiscard(slot: number): void {
    this.#leaveUserCode()
    this.discard(slot)
  }

  /** The task was cancelled. */
  protected discard(slot: number): void {
    this.#payloads.forget(slot)
    awaitInterrupt(slot, this.tasks, this.#completionQueues)
    this.#deliver(slot)
  }

  /**
   * Puts the slot into the submitter's completion queue. If there is a hook, the owner does that and calls the hook.
   */
  #deliver(slot: number): void {
    this.#times.noteEnd(slot)
    if (this.#hooks.hasAfter && this.#self.currentTask === slot) return
    this.#completionQueues.put(slot)
  }

  drop(slot: number): void {
    this.tasks.leaveNew(slot, CANCELLED)
    this.discard(slot)
  }

  isOver(slot: number): boolean {
    return this.tasks.stateOf(slot) !== NEW
  }

  /** The owner has written the reason into the record. */
  abandon(slot: number): void {
    this.#completionQueues.put(slot)
  }
}
