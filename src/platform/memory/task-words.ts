import { load, read, store, write } from "#atomics"
import { leaveNew, settle, stateOf } from "../../future/task-state.ts"
import { OF_A_SERIES } from "../../core/timetable.ts"
import { COMPLETION_QUEUE_MASK, BY_CALENDAR, MEASURED, TAKEN, TASK, tasksBase } from "./layout.ts"
import type { PoolMemory } from "./pool-memory.ts"

const double = new Float64Array(1)
const halves = new Int32Array(double.buffer)

/**
 * The words of a task's record, one by one: what it is, what has become of it, when it is to run. What it carries is in
 * task-records.ts.
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

  /** The words in which the records lie that this thread has met: those of a slot after {@link recordOf}. */
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

  /** Of a task that is over: the number of the worker that ran it, if it was noted; 0 if not. */
  workerOf(slot: number): number {
    const noted = this.functionOf(slot)
    return noted < 0 ? ~noted : 0
  }

  /** It takes the place of the function's number, which is positive: the complement tells the two apart. */
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

  /** The next one in the list of a worker. */
  linkOf(slot: number): number {
    const record = this.recordOf(slot)
    return load(this.#words, record + TASK.LINK)
  }

  setLink(slot: number, next: number): void {
    const record = this.recordOf(slot)
    store(this.#words, record + TASK.LINK, next)
  }

  /**
   * The list of a worker that begins with this one. It ends where it would come to one of its own once more, or to what
   * is no slot: the worker may change it meanwhile, and use slots again that were in it.
   */
  linked(first: number): Set<number> {
    const slots = new Set<number>()
    const { capacity } = this.#memory
    for (let slot = first; slot > 0 && slot <= capacity && !slots.has(slot); slot = this.linkOf(slot)) slots.add(slot)
    return slots
  }

  // ------------------------------------------------------------------ times and order

  /** When it began to run, on a clock that all threads read alike; 0 if it has not. Only if it is TIMED or MEASURED. */
  startOf(slot: number): number {
    return this.#double(slot, TASK.STARTED)
  }

  noteStart(slot: number, time: number): void {
    this.#setDouble(slot, TASK.STARTED, time)
  }

  /** When it was submitted, on the same clock, if it is MEASURED. */
  submissionOf(slot: number): number {
    return this.#double(slot, TASK.SUBMITTED)
  }

  noteSubmission(slot: number, time: number): void {
    this.#setDouble(slot, TASK.SUBMITTED, time)
    this.noteStart(slot, 0)
    this.#addFlag(slot, MEASURED)
  }

  /**
   * Gives a new task its place among others: a priority, or the time at which it is due. NaN if it has none: it cannot
   * wait.
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
   * The same for who holds the lock of the heap that the slot is in: it does not change then, so plain reads will do.
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

  /** 0 until it has got one. */
  sequenceOf(slot: number): number {
    const record = this.recordOf(slot)
    return read(this.#words, record + TASK.SEQUENCE)
  }

  setSequence(slot: number, sequence: number): void {
    const record = this.recordOf(slot)
    write(this.#words, record + TASK.SEQUENCE, sequence)
  }

  /** Negative if the first was numbered before the second. */
  compareSequence(a: number, b: number): number {
    return (this.sequenceOf(a) - this.sequenceOf(b)) | 0
  }

  /** 0 if it is run once. */
  periodOf(slot: number): number {
    return this.hasFlag(slot, BY_CALENDAR) ? OF_A_SERIES : this.#double(slot, TASK.PERIOD)
  }

  /** The time of day before which it must not begin, if it has one. */
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

  /** The token of the thread that is no worker and has taken the task out of the queue; 0 if none has. */
  takerOf(slot: number): number {
    const record = this.recordOf(slot)
    return (load(this.#words, record + TASK.COMPLETION_QUEUE) & TAKEN) === 0 ? 0 : load(this.#words, record + TASK.LINK)
  }

  /**
   * By that thread. It stays so until the slot is in use for another task, whose submitter writes COMPLETION_QUEUE
   * anew.
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
