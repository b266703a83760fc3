import { add, compareAndSet, load, store } from "#atomics"
import { Counter } from "../memory/structures/counter.ts"
import { type Control, ControlWord, LocalControl } from "./control-word.ts"
import { type Gate, LocalGate } from "./gate.ts"

const CONTROL = 0
const CORE = 1
const MAXIMUM = 2
const CORE_TIME_OUT = 3
const LARGEST = 4
const ACTIVE = 5
const COMPLETED = 6
const KEEP_ALIVE = 8
const POLICIES = 10
const REJECTED = 12
const MISSED = 14
export const STATE_WORDS = 16 // a whole number of float64

/** A policy: the pool starts threads up to the maximum size before tasks wait. Those of series.ts are lower bits. */
export const EAGER = 8
/** A policy: tasks begin at the pace of a rate limiter, and wait for it in the queue. */
export const PACED = 16

/**
 * Everything a pool's threads must agree on. For virtual threads this is a plain object (LocalState). For platform
 * threads it is a view over one block of shared memory: each thread builds its own over the same block (SharedState).
 *
 *     word  what                        written by
 *     0     control word                any thread, by compare-and-set (control-word.ts)
 *     1     core pool size              the owner
 *     2     maximum pool size           the owner
 *     3     allow core time-out, 0/1    the owner
 *     4     largest pool size so far    the owner, on admission
 *     5     workers running a task      each worker, by add
 *     6, 7  tasks completed             each worker, by add (counter.ts); on platform threads the owner, for workers
 *                                       that died: living workers count in their own words
 *                                       (platform/memory/workers/shared-worker.ts)
 *     8, 9  keep-alive in ms, float64   the owner
 *     10    policies                    any thread, by compare-and-set: EAGER, PACED, and those of series.ts
 *     12,13 tasks rejected              any thread, by add
 *     14,15 runs of fixed rates that    the worker that begins the run, by add
 *           began a period too late
 */
export interface PoolState {
  readonly control: Control
  /** Where workers wait while the pool is paused. */
  readonly gate: Gate
  /** How many tasks are over. */
  readonly completed: { readonly value: number; increment(): void; add(amount: number): void }
  /** How many tasks the rejection handler was given. */
  readonly rejected: PoolState["completed"]
  /** How many runs of tasks with a fixed rate began when the next one was due already. */
  readonly missed: PoolState["completed"]
  corePoolSize: number
  maximumPoolSize: number
  allowCoreThreadTimeOut: boolean
  /** How long a worker that may leave first waits for a task, in ms; `Infinity` for ever. */
  keepAliveTime: number
  readonly largestPoolSize: number
  readonly activeCount: number
  /** Whether the policy, which is one bit, is set; or one of several. */
  hasPolicy(policy: number): boolean
  setPolicy(policy: number, isSet: boolean): void
  notePoolSize(size: number): void
  workerBecameActive(): void
  workerBecameIdle(): void
}

export class SharedState implements PoolState {
  readonly control: ControlWord
  /** Set by the memory of the pool, where the gate is. */
  gate!: Gate
  readonly completed: Counter
  readonly rejected: Counter
  readonly missed: Counter
  readonly #words: Int32Array
  readonly #keepAlive: Float64Array

  constructor(block: ArrayBufferLike) {
    this.#words = new Int32Array(block, 0, STATE_WORDS) // of fixed length: see memory/growing-words.ts
    this.#keepAlive = new Float64Array(block, KEEP_ALIVE * Int32Array.BYTES_PER_ELEMENT, 1)
    this.control = new ControlWord(this.#words, CONTROL)
    this.completed = new Counter(this.#words, COMPLETED)
    this.rejected = new Counter(this.#words, REJECTED)
    this.missed = new Counter(this.#words, MISSED)
  }

  get corePoolSize(): number {
    return load(this.#words, CORE)
  }

  set corePoolSize(size: number) {
    store(this.#words, CORE, size)
  }

  get maximumPoolSize(): number {
    return load(this.#words, MAXIMUM)
  }

  set maximumPoolSize(size: number) {
    store(this.#words, MAXIMUM, size)
  }

  get allowCoreThreadTimeOut(): boolean {
    return load(this.#words, CORE_TIME_OUT) === 1
  }

  set allowCoreThreadTimeOut(allow: boolean) {
    store(this.#words, CORE_TIME_OUT, allow ? 1 : 0)
  }

  get keepAliveTime(): number {
    return this.#keepAlive[0] as number
  }

  set keepAliveTime(ms: number) {
    this.#keepAlive[0] = ms
  }

  hasPolicy(policy: number): boolean {
    return (load(this.#words, POLICIES) & policy) !== 0
  }

  setPolicy(policy: number, isSet: boolean): void {
    let seen: number
    do seen = load(this.#words, POLICIES)
    while (!compareAndSet(this.#words, POLICIES, seen, isSet ? seen | policy : seen & ~policy))
  }

  get largestPoolSize(): number {
    return load(this.#words, LARGEST)
  }

  notePoolSize(size: number): void {
    if (size > this.largestPoolSize) store(this.#words, LARGEST, size)
  }

  get activeCount(): number {
    return load(this.#words, ACTIVE)
  }

  workerBecameActive(): void {
    add(this.#words, ACTIVE, 1)
  }

  workerBecameIdle(): void {
    add(this.#words, ACTIVE, -1)
  }
}

/** The state of a pool whose threads are flows of one event loop. */
export class LocalState implements PoolState {
  readonly control: LocalControl = new LocalControl()
  readonly gate: Gate = new LocalGate(this.control)
  readonly completed: PoolState["completed"] = new Count()
  readonly rejected: PoolState["completed"] = new Count()
  readonly missed: PoolState["completed"] = new Count()
  corePoolSize = 0
  maximumPoolSize = 0
  allowCoreThreadTimeOut = false
  keepAliveTime = 0
  largestPoolSize = 0
  activeCount = 0
  #policies = 0

  hasPolicy(policy: number): boolean {
    return (this.#policies & policy) !== 0
  }

  setPolicy(policy: number, isSet: boolean): void {
    this.#policies = isSet ? this.#policies | policy : this.#policies & ~policy
  }

  notePoolSize(size: number): void {
    this.largestPoolSize = Math.max(this.largestPoolSize, size)
  }

  workerBecameActive(): void {
    this.activeCount++
  }

  workerBecameIdle(): void {
    this.activeCount--
  }
}

class Count {
  value = 0

  increment(): void {
    this.value++
  }

  add(amount: number): void {
    this.value += amount
  }
}
