/**
 * What a worker thread does with the tasks it takes: finds the function, reads the arguments, calls it, writes the outcome
 * down and lets the submitter know.
 */
import { pause } from "#atomics"
import { isPromiseLike } from "../checks.ts"
import { decode, encode } from "../codec/codec.ts"
import { NotSerializableError } from "../errors.ts"
import { COMPLETING, EXCEPTIONAL, INTERRUPTING, NEW, NORMAL } from "../future/task-state.ts"
import type { PoolHost } from "../pool/pool-host.ts"
import type { Worker } from "../pool/worker.ts"
import type { FoundTask } from "../task/reference.ts"
import type { Boxes } from "./boxes.ts"
import type { FunctionTable } from "./function-table.ts"
import { COMMAND } from "./layout.ts"
import type { PoolMemory } from "./pool-memory.ts"
import type { SharedRoster, SharedWorker } from "./shared-roster.ts"
import type { TaskRecords } from "./task-records.ts"

export class SlotRunner implements PoolHost<number> {
  readonly #memory: PoolMemory
  readonly #tasks: TaskRecords
  readonly #boxes: Boxes
  readonly #functions: FunctionTable
  readonly #roster: SharedRoster
  readonly #self: SharedWorker
  /** The function of the task that is under way and did not end at once. */
  #found: FoundTask | undefined

  constructor(
    memory: PoolMemory,
    tasks: TaskRecords,
    boxes: Boxes,
    functions: FunctionTable,
    roster: SharedRoster,
    self: SharedWorker,
  ) {
    this.#memory = memory
    this.#tasks = tasks
    this.#boxes = boxes
    this.#functions = functions
    this.#roster = roster
    this.#self = self
  }

  // ------------------------------------------------------------------ running

  beforeExecute(): void {}

  afterExecute(): void {}

  begin(_worker: Worker<number>, slot: number): PromiseLike<unknown> | undefined {
    if (this.#tasks.stateOf(slot) !== NEW) {
      this.#discard(slot)
      return undefined
    }
    const found = this.#functions.known(this.#tasks.functionOf(slot))
    return found === undefined ? this.#findAndCall(slot) : this.#call(found, slot)
  }

  async #findAndCall(slot: number): Promise<unknown> {
    this.#self.enterUserCode() // a module that is loaded for the first time runs
    const found = await this.#functions.find(this.#tasks.functionOf(slot))
    this.#found = found
    return await found.fn(...this.#argumentsOf(slot))
  }

  #call(found: FoundTask, slot: number): PromiseLike<unknown> | undefined {
    let value: unknown
    let args: unknown[]
    try {
      args = this.#argumentsOf(slot)
    } catch (error) {
      this.#fail(slot, error)
      return undefined
    }
    this.#self.enterUserCode()
    try {
      value = found.fn(...args)
      if (isPromiseLike(value)) {
        this.#found = found
        return value
      }
    } catch (error) {
      this.#self.leaveUserCode()
      this.#fail(slot, found.explain(error))
      return undefined
    }
    this.#self.leaveUserCode()
    this.#complete(slot, value)
    return undefined
  }

  #argumentsOf(slot: number): unknown[] {
    const letter = this.#tasks.read(slot)
    const args = decode(letter) as unknown[]
    letter.release()
    return args
  }

  /** Of a task that did not end at once. */
  complete(slot: number, value: unknown): void {
    this.#self.leaveUserCode()
    this.#found = undefined
    this.#complete(slot, value)
  }

  fail(slot: number, error: unknown): void {
    this.#self.leaveUserCode()
    const found = this.#found
    this.#found = undefined
    this.#fail(slot, found === undefined ? error : found.explain(error))
  }

  #complete(slot: number, value: unknown): void {
    if (!this.#decide(slot)) return
    try {
      if (!this.#tasks.fill(slot, encode(value))) throw new NotSerializableError(`There is no room for the result`)
      this.#tasks.settle(slot, NORMAL)
    } catch (error) {
      this.#writeError(slot, error)
    }
    this.#boxes.put(slot)
  }

  #fail(slot: number, error: unknown): void {
    const isCommand = this.#tasks.hasFlag(slot, COMMAND)
    if (this.#decide(slot)) {
      if (isCommand) this.#tasks.noteWorker(slot, this.#self.number)
      this.#writeError(slot, error)
      this.#boxes.put(slot)
    }
    if (isCommand) throw error // which ends the worker
  }

  #writeError(slot: number, error: unknown): void {
    let letter
    try {
      letter = encode(error)
    } catch (cause) {
      letter = encode(
        new NotSerializableError(`The task threw something that cannot be sent to another thread`, { cause }),
      )
    }
    if (!this.#tasks.fill(slot, letter)) {
      this.#tasks.fill(slot, encode(new NotSerializableError("The task failed, and there is no room for its error")))
    }
    this.#tasks.settle(slot, EXCEPTIONAL)
  }

  /** True if it is this outcome that counts. Otherwise the task was cancelled. */
  #decide(slot: number): boolean {
    if (this.#tasks.leaveNew(slot, COMPLETING)) return true
    this.#discard(slot)
    return false
  }

  #discard(slot: number): void {
    // Whoever is interrupting means this task. The next one must not be hit.
    while (this.#tasks.stateOf(slot) === INTERRUPTING && this.#boxes.isOpen(this.#tasks.boxOf(slot))) pause()
    this.#boxes.put(slot)
  }

  abandon(slot: number, error: unknown): void {
    if (!this.#decide(slot)) return
    this.#writeError(slot, error)
    this.#boxes.put(slot)
  }

  // ------------------------------------------------------------------ what only the owner can do

  newWorker(firstTask: number | undefined): SharedWorker | undefined {
    return this.#roster.enlist(firstTask)
  }

  reject(_slot: number): void {
    throw new Error("corepool: a worker has nothing to reject")
  }

  endPool(): void {
    this.#memory.ringOwner()
  }
}
