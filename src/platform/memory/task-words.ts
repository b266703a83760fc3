import { load, read, store, write } from "#atomics"
import { leaveNew, settle, stateOf } from "../../future/task-state.ts"
import { OF_A_SERIES } from "../../core/timetable.ts"
import { COMPLETION_QUEUE_MASK, BY_CALENDAR, MEASURED, TAKEN, TASK, tasksBase } from "./layout.ts"
import type { PoolMemory } from "./pool-memory.ts"

const double = new Float64Array(1)
const halves = new Int32Array(double.buffer)

/**
 * Reads and writes the single words of a task's record: what the task is, its state, its times. Its arguments and its
 * result are in task-records.ts.
 */
export abstract class TaskWords {
  readonly #memory: PoolMemory
  readonly #base: number
  #words: Int32Array

  constructor(memory: PoolMemory) {
    this.#memory = memory
    this.#base = tasksBase(memory.capacity)
    this.#words = memory.words
  }

  /** The words of the records, as far as this thread has reached: those of a slot only after {@link recordOf}. */
  get words(): Int32Array {
    return this.#words
  }

  /** Where the record of the slot begins. */
  recordOf(slot: number): number {
    const record = this.#base + slot * TASK.SIZE
    if (record + TASK.SIZE > this.#words.length) this.#words = this.#memory.reach(record + TASK.SIZE)
    return record
  }

  // ------------------------------------------------------------------ what a task is

  stateOf(slot: number): number {
    const record = this.recordOf(slot)
    return stateOf(this.#words, record + TASK.STATE)
  }

  leaveNew(slot: number, next: Parameters<typeof leaveNew>[2]): boolean {
    const record = this.recordOf(slot)
    return leaveNew(this.#words, record + TASK.STATE, next)
  }

  settle(slot: number, final: Parameters<typeof settle>[2]): void {
    const record = this.recordOf(slot)
    settle(this.#words, record + TASK.STATE, final)
  }

  functionOf(slot: number): number {
    const record = this.recordOf(slot)
    return read(this.#words, record + TASK.FUNCTION)
  }

  /** Of a task that is over: the number of the worker that ran it; 0 if that was not noted. */
  workerOf(slot: number): number {
    const noted = this.functionOf(slot)
    return noted < 0 ? ~noted : 0
  }

  /** Replaces the number of the function, which is not negative: the complement tells the two apart. */
  noteWorker(slot: number, worker: number): void {
    const record = this.recordOf(slot)
    write(this.#words, record + TASK.FUNCTION, ~worker)
  }

  hasFlag(slot: number, flag: number): boolean {
    const record = this.recordOf(slot)
    return (read(this.#words, record + TASK.FLAGS) & flag) !== 0
  }

  /** The slot that {@link setNext} has linked to this one. */
  nextOf(slot: number): number {
    const record = this.recordOf(slot)
    return load(this.#words, record + TASK.NEXT)
  }

  setNext(slot: number, next: number): void {
    const record = this.recordOf(slot)
    store(this.#words, record + TASK.NEXT, next)
  }

  /** The next slot in the list of a worker. */
  linkOf(slot: number): number {
    const record = this.recordOf(slot)
    return load(this.#words, record + TASK.LINK)
  }

  setLink(slot: number, next: number): void {
    const record = this.recordOf(slot)
    store(this.#words, record + TASK.LINK, next)
  }

  /**
   * The list of a worker that begins with this slot. The worker may change the list meanwhile and use its slots again,
   * so the result ends where a slot would come a second time, or where the link is no slot.
   */
  linked(first: number): Set<number> {
    const slots = new Set<number>()
    const { capacity } = this.#memory
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

  noteSubmission(slot: number, time: number): void {
    this.#setDouble(slot, TASK.SUBMITTED, time)
    this.noteStart(slot, 0)
    this.#addFlag(slot, MEASURED)
  }

  /**
   * Gives a new task its rank, a priority or the time at which it is due, and its period. A task with the rank NaN
   * cannot be queued by rank.
   */
  enroll(slot: number, rank: number, period: number): void {
    this.setRank(slot, rank)
    this.setSequence(slot, 0)
    this.#setDouble(slot, TASK.PERIOD, period)
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
    halves[0] = read(this.#words, record + TASK.RANK)
    halves[1] = read(this.#words, record + TASK.RANK + 1)
    return double[0] as number
  }

  setRank(slot: number, rank: number): void {
    this.#setDouble(slot, TASK.RANK, rank)
  }

  /** 0 until a number has been set. */
  sequenceOf(slot: number): number {
    const record = this.recordOf(slot)
    return read(this.#words, record + TASK.SEQUENCE)
  }

  setSequence(slot: number, sequence: number): void {
    const record = this.recordOf(slot)
    write(this.#words, record + TASK.SEQUENCE, sequence)
  }

  /** Negative if the first slot was numbered before the second. */
  compareSequence(a: number, b: number): number {
    return (this.sequenceOf(a) - this.sequenceOf(b)) | 0
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
    this.#addFlag(slot, BY_CALENDAR)
  }

  #addFlag(slot: number, flag: number): void {
    const record = this.recordOf(slot)
    write(this.#words, record + TASK.FLAGS, read(this.#words, record + TASK.FLAGS) | flag)
  }

  #double(slot: number, word: number): number {
    const record = this.recordOf(slot)
    halves[0] = load(this.#words, record + word)
    halves[1] = load(this.#words, record + word + 1)
    return double[0] as number
  }

  #setDouble(slot: number, word: number, value: number): void {
    const record = this.recordOf(slot)
    double[0] = value
    store(this.#words, record + word, halves[0] as number)
    store(this.#words, record + word + 1, halves[1] as number)
  }

  completionQueueOf(slot: number): number {
    const record = this.recordOf(slot)
    return load(this.#words, record + TASK.COMPLETION_QUEUE) & COMPLETION_QUEUE_MASK
  }

  /** The token of the thread that has taken the task out of the queue though it is no worker; 0 if there is none. */
  takerOf(slot: number): number {
    const record = this.recordOf(slot)
    return (load(this.#words, record + TASK.COMPLETION_QUEUE) & TAKEN) === 0 ? 0 : load(this.#words, record + TASK.LINK)
  }

  /**
   * Called by the thread that has taken the task. The mark stays until the slot is used for another task, whose
   * submitter writes COMPLETION_QUEUE anew.
   */
  noteTaker(slot: number, token: number): void {
    const record = this.recordOf(slot)
    store(this.#words, record + TASK.LINK, token)
    store(this.#words, record + TASK.COMPLETION_QUEUE, load(this.#words, record + TASK.COMPLETION_QUEUE) | TAKEN)
  }

  /** The task goes back into the queue. */
  forgetTaker(slot: number): void {
    const record = this.recordOf(slot)
    store(
      this.#words,
      record + TASK.COMPLETION_QUEUE,
      load(this.#words, record + TASK.COMPLETION_QUEUE) & COMPLETION_QUEUE_MASK,
    )
  }
}
