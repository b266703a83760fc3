/**
 * What a worker thread does with the tasks it takes: finds the function, reads the arguments, calls it, writes the outcome
 * down and lets the submitter know.
 */
import { isPromiseLike } from "../../checks.ts"
import { COMPLETING, EXCEPTIONAL, NEW, NORMAL } from "../../future/task-state.ts"
import type { Letter } from "../../codec/bytes/letter.ts"
import { signStack } from "../../future/both-stacks.ts"
import { currentFlow, Guest } from "../../memory/flow/flow.ts"
import type { PoolCore } from "../../core/pool-core.ts"
import type { PoolHost } from "../../core/pool-host.ts"
import type { Timetable } from "../../core/timetable.ts"
import type { Worker } from "../../core/worker.ts"
import { Thread } from "../../thread/thread.ts"
import { isInstance } from "../../user-values.ts"
import type { FoundTask } from "../../task/reference.ts"
import type { Boxes } from "../memory/boxes.ts"
import { Desk } from "./desk.ts"
import { mayEnd } from "../memory/endings.ts"
import { ifFit, requireFit, requireFitToFind, UnfitThread } from "./fitness.ts"
import type { FunctionTable } from "../memory/function-table.ts"
import { COMMAND, HEADER, MEASURED, NOTED, TIMED, TOLD, VOID } from "../memory/layout.ts"
import { Hands } from "./hands.ts"
import type { PoolMemory } from "../memory/pool-memory.ts"
import { noteEnd, noteStart } from "../memory/run-times.ts"
import { awaitInterrupt, Series } from "./series.ts"
import type { SharedRoster } from "../memory/shared-roster.ts"
import type { SharedWorker } from "../memory/shared-worker.ts"
import type { TaskQueue } from "../queue/task-queue.ts"
import type { TaskRecords } from "../memory/task-records.ts"
import { UnannouncedPromises } from "./unannounced-promises.ts"
import { HookFailure, WorkerEnd, WorkerHooks } from "./worker-hooks.ts"

export class SlotRunner implements PoolHost<number> {
  readonly #memory: PoolMemory
  protected readonly tasks: TaskRecords
  readonly #boxes: Boxes
  readonly #functions: FunctionTable
  readonly #roster: SharedRoster
  readonly #self: SharedWorker
  readonly #desk: Desk
  /** The function of the task that is under way and did not end at once. */
  #found: FoundTask | undefined
  readonly #promises = new UnannouncedPromises()
  protected readonly hands: Hands
  readonly #hooks: WorkerHooks
  /** If tasks have times. */
  #series: Series | undefined

  constructor(
    memory: PoolMemory,
    tasks: TaskRecords,
    boxes: Boxes,
    functions: FunctionTable,
    roster: SharedRoster,
    self: SharedWorker,
  ) {
    this.#memory = memory
    this.tasks = tasks
    this.#boxes = boxes
    this.#functions = functions
    this.#roster = roster
    this.#self = self
    this.#desk = new Desk(memory, tasks, boxes, functions)
    this.#hooks = new WorkerHooks(memory, self)
    this.hands = new Hands(tasks, self)
  }

  /** Tasks have times, and run again if they have periods. */
  follow(timetable: Timetable<number>): void {
    this.#series = new Series(this.tasks, this.#boxes, this.#self, timetable)
  }

  // ------------------------------------------------------------------ running

  beforeExecute(): void {
    this.#hooks.before()
  }

  afterExecute(slot: number, error?: unknown): void {
    if (!this.#hooks.hasAfter) return
    if (isInstance(error, HookFailure)) {
      this.#hooks.afterAgain()
      return
    }
    const goesOn = this.#series?.isToGoOn(slot) === true
    if (!goesOn) awaitInterrupt(slot, this.tasks, this.#boxes) // a series that was to go on may have been cancelled just now
    const isWell = this.#hooks.after(goesOn)
    if (goesOn) this.#series?.goOn(slot)
    if (!isWell) throw new HookFailure("afterExecute() has thrown")
  }

  begin(_worker: Worker<number>, slot: number): PromiseLike<unknown> | undefined {
    if (this.tasks.stateOf(slot) !== NEW || this.#series?.begin(slot) === false) {
      this.#discard(slot)
      return undefined
    }
    if (this.tasks.hasFlag(slot, TIMED | MEASURED))
      noteStart(slot, this.tasks, this.#memory, this.#series === undefined)
    let found: FoundTask | undefined
    try {
      found = this.#functions.resolve(this.tasks.functionOf(slot))
    } catch (error) {
      this.#self.enterUserCode()
      requireFitToFind(error)
      this.#fail(slot, error)
      return undefined
    }
    return found === undefined ? this.#findAndCall(slot) : this.#call(found, slot)
  }

  async #findAndCall(slot: number): Promise<unknown> {
    this.#self.enterUserCode() // a module that is loaded for the first time runs
    const found = await ifFit(() => this.#functions.find(this.tasks.functionOf(slot)), requireFitToFind)
    this.#found = found
    return await found.fn(...(await ifFit(() => this.#desk.argumentsOf(slot) ?? this.#desk.fetch(slot))))
  }

  /** The arguments are with the submitter, who takes its time. */
  async #awaitAndCall(found: FoundTask, slot: number, pending: Promise<unknown[]>): Promise<unknown> {
    let args: unknown[]
    try {
      args = await ifFit(() => pending)
    } finally {
      this.#self.enterUserCode() // which whoever is told of the outcome leaves
    }
    if (this.tasks.stateOf(slot) !== NEW) return undefined
    this.#found = found
    return await found.fn(...args)
  }

  #call(found: FoundTask, slot: number): PromiseLike<unknown> | undefined {
    let value: unknown
    let args: unknown[] | Promise<unknown[]> | undefined
    try {
      args = this.#desk.argumentsOf(slot)
      if (args === undefined) {
        args = this.#desk.fetch(slot)
        if (!Array.isArray(args)) return this.#awaitAndCall(found, slot, args)
        if (this.tasks.stateOf(slot) !== NEW) {
          this.#discard(slot)
          return undefined
        }
      }
    } catch (error) {
      this.#self.enterUserCode()
      requireFit(error)
      this.#fail(slot, error)
      return undefined
    }
    const { fn } = found
    this.#self.enterUserCode()
    try {
      value = fn(...args)
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

  /** The thread is about to begin, with the queue from which it takes tasks. */
  attend(_queue: TaskQueue, _core: PoolCore<number>): void {}

  /** The thread is about to end. */
  end(): void {}

  /**
   * Whether this worker was idle, but for a timer that a task has left behind, and has given itself the task, which that
   * timer now blocks for. The loop would come to it only afterwards.
   */
  holds(slot: number): boolean {
    return !this.isInTask && this.#self.task === slot
  }

  /** Takes it out of the hand again. */
  takeFromHand(): void {
    this.#self.release()
  }

  get isInTask(): boolean {
    return !this.#self.hasLeft && this.#self.isInUserCode
  }

  /** A task has called the pool: what follows is not its doing. */
  leaveTask(): void {
    this.#self.leaveUserCode()
  }

  returnToTask(): void {
    this.#self.enterUserCode()
  }

  // ------------------------------------------------------------------ tasks inside of tasks

  /** Whether the task is under way in this thread, beside the one that it has in hand. */
  runsBeside(slot: number): boolean {
    return this.hands.isBeside(slot)
  }

  /**
   * Runs a task in the midst of another one, which has been left ({@link leaveTask}). If it is asynchronous it may be under way
   * still when this returns. Its arguments are waited for on the spot if the thread is blocked by what it was doing.
   */
  runInside(slot: number, isBlocked = false): void {
    const self = this.#self
    const outer = self.task
    const found = this.#found
    const blocked = this.#desk.isBlocked
    this.#desk.isBlocked = isBlocked
    this.hands.takeOnTop(slot, outer)
    // As a flow of its own: what the outer task has locked is not its.
    const guest = new Guest(currentFlow())
    const mayBegin = this.#beforeInside(slot)
    const pending = mayBegin ? guest.runInside(() => this.begin(self, slot)) : undefined
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
      this.hands.putBeside(slot)
      void this.settleBeside(slot, pending).finally(() => guest.leave())
    }
    this.#desk.isBlocked = blocked
    this.#found = found
    this.hands.returnTo(outer, slot)
  }

  /** A hook that throws ends the worker; but not one that has another task in hand, which is none the wiser. */
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
   * Whether the task could be run in the midst of another one. If the thread is to block until it ends, its function must be
   * there already, and must not be an asynchronous one.
   */
  canRunInside(slot: number, isBlocked: boolean): boolean {
    if (!isBlocked) return true
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
    if (!this.hands.isBeside(slot)) return // the worker has cancelled and counted it, and has given up its place: only microtasks run on
    const self = this.#self
    const wasInUserCode = self.isInUserCode // of the task in hand, which waits for something
    if (wasInUserCode) self.leaveUserCode()
    else this.#memory.here.haltIfLeft()
    const outer = self.task
    this.hands.takeOnTop(slot, outer)
    this.hands.takeFromBeside(slot)
    self.enterUserCode()
    if (failed) this.#fail(slot, outcome)
    else this.#complete(slot, outcome)
    this.#afterInside()
    self.countCompleted()
    this.hands.returnTo(outer, slot)
    if (wasInUserCode) self.enterUserCode()
  }

  /** Of a task that did not end at once. */
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
   * The task has returned. To write its value down may run code of the program, which may throw, call corepool, or not return:
   * so that is done while the task is undecided and counts as running, and can be cancelled. Then its code is left.
   */
  #complete(slot: number, value: unknown): void {
    if (this.#series?.isToGoOn(slot) === true) {
      this.#self.leaveUserCode()
      this.#desk.forget(slot)
      noteEnd(slot, this.tasks, this.#memory)
      if (!this.#hooks.hasAfter) this.#series.goOn(slot)
      return
    }
    let letter: Letter
    let state: typeof NORMAL | typeof EXCEPTIONAL = NORMAL
    try {
      letter = this.#desk.encode(slot, this.tasks.hasFlag(slot, VOID) ? undefined : value)
    } catch (error) {
      letter = this.#encodeError(slot, error)
      state = EXCEPTIONAL
    }
    this.#self.leaveUserCode()
    if (!this.#decide(slot, letter)) return
    if (this.tasks.hasFlag(slot, NOTED)) this.tasks.noteWorker(slot, this.#self.number)
    this.#desk.settle(slot, letter, state)
    this.#deliver(slot)
  }

  /** The task has thrown. As {@link #complete}. */
  #fail(slot: number, error: unknown): void {
    const letter = this.#encodeError(slot, error)
    this.#self.leaveUserCode()
    const isCommand = this.tasks.hasFlag(slot, COMMAND)
    const isTold = isCommand || this.tasks.hasFlag(slot, TOLD)
    if (this.#decide(slot, letter)) {
      if (isTold || this.tasks.hasFlag(slot, NOTED)) this.tasks.noteWorker(slot, this.#self.number)
      this.#desk.settle(slot, letter, EXCEPTIONAL)
      // The owner tells of it, and does so itself if it has submitted the command.
      if (isTold && !this.#boxes.isOf(this.tasks.boxOf(slot), this.#memory.owner)) this.#hooks.tellUncaught()
      this.#deliver(slot)
    }
    if (isCommand) throw new WorkerEnd("A command has thrown") // its error has been told
  }

  #encodeError(slot: number, error: unknown): Letter {
    if (isInstance(error, UnfitThread)) throw error // it is no error of the task
    signStack(error, Thread.currentThread().name)
    return this.#desk.encodeError(slot, error)
  }

  /** True if it is this outcome that counts. Otherwise the task was cancelled. */
  #decide(slot: number, letter: Letter): boolean {
    if (this.tasks.leaveNew(slot, COMPLETING)) return true
    this.#desk.drop(letter)
    this.#discard(slot)
    return false
  }

  #discard(slot: number): void {
    this.discarding()
    this.#desk.forget(slot)
    awaitInterrupt(slot, this.tasks, this.#boxes)
    this.#deliver(slot)
  }

  /** The task was cancelled. */
  protected discarding(): void {}

  /** Lets the submitter know. If there is a hook, the owner does, and then calls it. */
  #deliver(slot: number): void {
    noteEnd(slot, this.tasks, this.#memory)
    if (this.#hooks.hasAfter && this.#self.taskInHand === slot) return
    this.#boxes.put(slot)
  }

  /** The owner has written down why. */
  abandon(slot: number): void {
    this.#boxes.put(slot)
  }

  // ------------------------------------------------------------------ what only the owner can do

  newWorker(firstTask: number | undefined): SharedWorker | undefined {
    return this.#roster.enlist(firstTask)
  }

  reject(_slot: number): void {
    throw new Error("corepool: a worker has nothing to reject")
  }

  mayEnd(isEmpty: boolean): boolean {
    return mayEnd(this.#memory, isEmpty)
  }

  endPool(): void {
    this.#memory.setHeader(HEADER.LAST, this.#self.number)
    this.#memory.ringOwner()
  }
}
