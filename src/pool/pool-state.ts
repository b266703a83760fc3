/**
 * Everything a pool's threads must agree on, as views over one block of memory: an ordinary buffer if they are
 * virtual, a shared one if each is a worker that builds this same object over the same block.
 *
 *     word  what                        written by
 *     0     control word                any thread, by compare-and-set (control-word.ts)
 *     1     core pool size              the owner
 *     2     maximum pool size           the owner
 *     3     allow core time-out, 0/1    the owner
 *     4     largest pool size so far    the owner, on admission
 *     5     workers running a task      each worker, by add
 *     6, 7  tasks completed             each worker, by add (counter.ts); on platform threads the owner, of workers
 *                                       that died: the others count in their places (platform/shared-worker.ts)
 *     8, 9  keep-alive in ms, float64   the owner
 *     10    what becomes of tasks with  any thread
 *           times, see timetable.ts
 */
import { add, compareAndSet, load, read, store } from "#atomics"
import { Counter } from "../memory/counter.ts"
import { ControlWord } from "./control-word.ts"

const CONTROL = 0
const CORE = 1
const MAXIMUM = 2
const CORE_TIME_OUT = 3
const LARGEST = 4
const ACTIVE = 5
const COMPLETED = 6
const KEEP_ALIVE = 8
const POLICIES = 10
export const STATE_WORDS = 12 // a whole number of float64

export class PoolState {
  readonly control: ControlWord
  readonly completed: Counter
  readonly #words: Int32Array
  readonly #keepAlive: Float64Array
  readonly #isShared: boolean

  /** A view of a block that threads share; or of a new one, which is this thread's own. */
  constructor(inUse?: ArrayBufferLike) {
    const block = inUse ?? new ArrayBuffer(STATE_WORDS * Int32Array.BYTES_PER_ELEMENT)
    this.#words = new Int32Array(block, 0, STATE_WORDS) // of fixed length: see memory/growing-words.ts
    this.#keepAlive = new Float64Array(block, KEEP_ALIVE * Int32Array.BYTES_PER_ELEMENT, 1)
    this.#isShared = inUse !== undefined
    this.control = new ControlWord(this.#words, CONTROL, this.#isShared)
    this.completed = new Counter(this.#words, COMPLETED)
    if (inUse === undefined) this.control.initialize()
  }

  get corePoolSize(): number {
    return this.#get(CORE)
  }

  set corePoolSize(size: number) {
    store(this.#words, CORE, size)
  }

  get maximumPoolSize(): number {
    return this.#get(MAXIMUM)
  }

  set maximumPoolSize(size: number) {
    store(this.#words, MAXIMUM, size)
  }

  get allowCoreThreadTimeOut(): boolean {
    return this.#get(CORE_TIME_OUT) === 1
  }

  set allowCoreThreadTimeOut(allow: boolean) {
    store(this.#words, CORE_TIME_OUT, allow ? 1 : 0)
  }

  /** How long a worker that may leave waits for work first, in ms; `Infinity` for ever. */
  get keepAliveTime(): number {
    return this.#keepAlive[0] as number
  }

  set keepAliveTime(ms: number) {
    this.#keepAlive[0] = ms
  }

  /** Whether the policy, a bit, is set. */
  hasPolicy(policy: number): boolean {
    return (this.#get(POLICIES) & policy) !== 0
  }

  setPolicy(policy: number, isSet: boolean): void {
    let seen: number
    do seen = load(this.#words, POLICIES)
    while (!compareAndSet(this.#words, POLICIES, seen, isSet ? seen | policy : seen & ~policy))
  }

  get largestPoolSize(): number {
    return this.#get(LARGEST)
  }

  notePoolSize(size: number): void {
    if (size > this.largestPoolSize) store(this.#words, LARGEST, size)
  }

  get activeCount(): number {
    return this.#get(ACTIVE)
  }

  workerBecameActive(): void {
    add(this.#words, ACTIVE, 1)
  }

  workerBecameIdle(): void {
    add(this.#words, ACTIVE, -1)
  }

  #get(index: number): number {
    return this.#isShared ? load(this.#words, index) : read(this.#words, index)
  }
}
