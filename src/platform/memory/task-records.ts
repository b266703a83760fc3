import { load, read, store, write } from "#atomics"
import { OwnSet } from "../../primordials.ts"
import { leaveNew, settle, stateOf } from "../../future/task-state.ts"
import { OF_A_SERIES } from "../../core/series.ts"
import { COMPLETION_QUEUE_MASK, BY_CALENDAR, TAKEN, TASK } from "./layout.ts"
import { TaskSlots } from "./task-slots.ts"

const double = new Float64Array(1)
const halves = new Int32Array(double.buffer)

/**
 * The records of a pool's tasks in shared memory. A task in use is named by its slot, a number from 1 on. Where that
 * use may be over, the task is named by a handle, which also says which use of the slot is meant.
 *
 *     STATE             NEW, and so on: see future/task-state.ts. All threads decide the outcome of a task on this word
 *     COMPLETION_QUEUE  where the submitter receives the outcome
 *     FUNCTION          what to call (function-table.ts)
 *     KIND, LENGTH, BLOCK, DATA
 *                       the arguments, later the result: in the record if they are short, else in a block of the arena.
 *                       KIND also says how many references follow the bytes, and whether some of the value goes by
 *                       message
 *
 * This file has the single words: what the task is, its state, its times. Arguments and results are in task-slots.ts.
 *
 * The submitter frees the slot, when it finds the slot in its completion queue. The thread that has taken a task out of
 * the pool's queue always puts the slot there in the end, also if the task was cancelled.
 */
export class TaskRecords extends TaskSlots {
  // ------------------------------------------------------------------ what a task is

  stateOf(slot: number): number {
    const record = this.recordOf(slot)
    return stateOf(this.words, record + TASK.STATE)
  }

  leaveNew(slot: number, next: Parameters<typeof leaveNew>[2]): boolean {
    const record = this.recordOf(slot)
    return leaveNew(this.words, record + TASK.STATE, next)
  }

  settle(slot: number, final: Parameters<typeof settle>[2]): void {
    const record = this.recordOf(slot)
    settle(this.words, record + TASK.STATE, final)
  }

  functionOf(slot: number): number {
    const record = this.recordOf(slot)
    return read(this.words, record + TASK.FUNCTION)
  }

  /** Of a task that is over: the number of the worker that ran it; 0 if that was not noted. */
  workerOf(slot: number): number {
    const noted = this.functionOf(slot)
    return noted < 0 ? ~noted : 0
  }

  /** Replaces the number of the function, which is not negative: the complement tells the two apart. */
  noteWorker(slot: number, worker: number): void {
    const record = this.recordOf(slot)
    write(this.words, record + TASK.FUNCTION, ~worker)
  }

  hasFlag(slot: number, flag: number): boolean {
    const record = this.recordOf(slot)
    return (read(this.words, record + TASK.FLAGS) & flag) !== 0
  }

  /** Sets the flag or clears it, by the thread that runs the task. */
  setFlag(slot: number, flag: number, isSet: boolean): void {
    const at = this.recordOf(slot) + TASK.FLAGS
    const flags = read(this.words, at)
    write(this.words, at, isSet ? flags | flag : flags & ~flag)
  }

  /** The slot that {@link setNext} has linked to this one. */
  nextOf(slot: number): number {
    const record = this.recordOf(slot)
    return load(this.words, record + TASK.NEXT)
  }

  setNext(slot: number, next: number): void {
    const record = this.recordOf(slot)
    store(this.words, record + TASK.NEXT, next)
  }

  /** The next slot in the list of a worker. */
  linkOf(slot: number): number {
    const record = this.recordOf(slot)
    return load(this.words, record + TASK.LINK)
  }

  setLink(slot: number, next: number): void {
    const record = this.recordOf(slot)
    store(this.words, record + TASK.LINK, next)
  }

  /**
   * The list of a worker that begins with this slot. The worker may change the list meanwhile and use its slots again,
   * so the result ends where a slot would come a second time, or where the link is no slot.
   */
  linked(first: number): Set<number> {
    const slots = new OwnSet<number>()
    const { capacity } = this.memory
    for (let slot = first; slot > 0 && slot <= capacity && !slots.has(slot); slot = this.linkOf(slot)) slots.add(slot)
    return slots
  }

  // ------------------------------------------------------------------ times and order

  /**
   * When the task began to run, on the clock that all threads share; 0 if it has not. Only if it is TIMED or MEASURED.
   */
  startOf(slot: number): number {
    return this.#double(slot, TASK.STARTED)
  }

  noteStart(slot: number, time: number): void {
    this.#setDouble(slot, TASK.STARTED, time)
  }

  /** When the task was submitted, on the same clock; only if it is MEASURED. */
  submissionOf(slot: number): number {
    return this.#double(slot, TASK.SUBMITTED)
  }

  /**
   * Gives a new task its rank, a priority or the time at which it is due, and its period. A task with the rank NaN
   * cannot be queued by rank.
   */
  enroll(slot: number, rank: number, period: number): void {
    const record = this.recordOf(slot)
    const { words } = this
    double[0] = rank
    write(words, record + TASK.RANK, halves[0] as number) // no other thread has the slot yet: plain writes will do
    write(words, record + TASK.RANK + 1, halves[1] as number)
    write(words, record + TASK.SEQUENCE, 0)
    double[0] = period
    write(words, record + TASK.PERIOD, halves[0] as number)
    write(words, record + TASK.PERIOD + 1, halves[1] as number)
  }

  rankOf(slot: number): number {
    return this.#double(slot, TASK.RANK)
  }

  /**
   * As {@link rankOf}, for a thread that holds the lock of the heap with this slot: the rank does not change then, so
   * plain reads suffice.
   */
  rankInside(slot: number): number {
    const record = this.recordOf(slot)
    halves[0] = read(this.words, record + TASK.RANK)
    halves[1] = read(this.words, record + TASK.RANK + 1)
    return double[0] as number
  }

  setRank(slot: number, rank: number): void {
    this.#setDouble(slot, TASK.RANK, rank)
  }

  /** 0 until a number has been set. */
  sequenceOf(slot: number): number {
    const record = this.recordOf(slot)
    return read(this.words, record + TASK.SEQUENCE)
  }

  setSequence(slot: number, sequence: number): void {
    const record = this.recordOf(slot)
    write(this.words, record + TASK.SEQUENCE, sequence)
  }

  /** 0 if the task runs once. */
  periodOf(slot: number): number {
    return this.hasFlag(slot, BY_CALENDAR) ? OF_A_SERIES : this.#double(slot, TASK.PERIOD)
  }

  /** The time of day before which the task must not begin; −Infinity if there is none. */
  notBeforeOf(slot: number): number {
    return this.hasFlag(slot, BY_CALENDAR) ? this.#double(slot, TASK.PERIOD) : -Infinity
  }

  setNotBefore(slot: number, wallTime: number): void {
    this.#setDouble(slot, TASK.PERIOD, wallTime)
    const record = this.recordOf(slot)
    write(this.words, record + TASK.FLAGS, read(this.words, record + TASK.FLAGS) | BY_CALENDAR)
  }

  #double(slot: number, word: number): number {
    const record = this.recordOf(slot)
    halves[0] = load(this.words, record + word)
    halves[1] = load(this.words, record + word + 1)
    return double[0] as number
  }

  #setDouble(slot: number, word: number, value: number): void {
    const record = this.recordOf(slot)
    double[0] = value
    store(this.words, record + word, halves[0] as number)
    store(this.words, record + word + 1, halves[1] as number)
  }

  completionQueueOf(slot: number): number {
    const record = this.recordOf(slot)
    return load(this.words, record + TASK.COMPLETION_QUEUE) & COMPLETION_QUEUE_MASK
  }

  /** The token of the thread that has taken the task out of the queue though it is no worker; 0 if there is none. */
  takerOf(slot: number): number {
    const record = this.recordOf(slot)
    return (load(this.words, record + TASK.COMPLETION_QUEUE) & TAKEN) === 0 ? 0 : load(this.words, record + TASK.LINK)
  }

  /**
   * Called by the thread that has taken the task. The mark stays until the slot is used for another task, whose
   * submitter writes COMPLETION_QUEUE anew.
   */
  noteTaker(slot: number, token: number): void {
    const record = this.recordOf(slot)
    store(this.words, record + TASK.LINK, token)
    store(this.words, record + TASK.COMPLETION_QUEUE, load(this.words, record + TASK.COMPLETION_QUEUE) | TAKEN)
  }
}
