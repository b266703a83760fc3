/**
 * Where the tasks of a pool wait, first come first served, and where idle workers do. Any thread may put in and take out.
 *
 * With a bound of 0 nothing waits: a task goes in only if a worker waits for it. IDLE counts the workers that wait and have
 * not been promised a task. Who offers takes one off that count and then puts the task in; a worker that gives up takes
 * itself off, and if it cannot, a task is on its way to it.
 */
import { add, compareAndSet, load } from "#atomics"
import { InterruptedError } from "../errors.ts"
import type { Flow } from "../memory/flow.ts"
import { ACQUIRED, CANCELLED } from "../memory/node-pool.ts"
import { Ring } from "../memory/ring.ts"
import { SHARED, WaitQueue } from "../memory/wait-queue.ts"
import { driveLingering, type Settle, type Steps, TIMEOUT } from "../memory/waiting.ts"
import type { WorkQueue } from "../pool/pool-host.ts"
import { BASE, HEADER, ringPlaces } from "./layout.ts"
import type { PoolMemory } from "./pool-memory.ts"

/**
 * How long an idle worker blocks before it lets its event loop go on, in ms. Blocked, it is woken several times faster; but
 * its timers and sockets stand still meanwhile.
 */
const LINGER = 2

const IDLE: number = BASE.HEADER + HEADER.IDLE

export class WorkRing implements WorkQueue<number> {
  readonly bound: number
  readonly #words: Int32Array
  readonly #ring: Ring
  readonly #waiters: WaitQueue
  readonly #claim: number

  /** `claim` is the index of a word in which this thread, if it is a worker, says what it is about to take. */
  constructor(memory: PoolMemory, claim = 0) {
    const places = ringPlaces(memory.capacity)
    this.bound = memory.bound
    this.#words = memory.words
    this.#ring = new Ring(memory.words, BASE.RING, places, memory.capacity)
    this.#waiters = new WaitQueue(memory.here, memory.words, BASE.WAITERS, { isShared: true })
    this.#claim = claim
  }

  get isEmpty(): boolean {
    return this.#ring.isEmpty
  }

  get size(): number {
    return this.#ring.size
  }

  /** How many workers wait for a task. */
  get idleWorkers(): number {
    return this.bound === 0 ? Math.max(load(this.#words, IDLE), 0) : this.#waiters.length
  }

  /** Everything inside, first first. */
  toArray(): number[] {
    return this.#ring.toArray()
  }

  offer(slot: number): boolean {
    if (this.bound === 0 ? !this.#promise() : this.bound > 0 && this.#ring.size >= this.bound) return false
    if (!this.#ring.offer(slot)) return false
    this.#waiters.wakeFirst()
    return true
  }

  /** Puts back what was taken out by mistake, or by a worker that died before it could begin: whatever the bound. */
  restore(slot: number): void {
    this.#ring.offer(slot)
    this.#waiters.wakeFirst()
  }

  poll(): number | undefined {
    if (this.bound === 0) return undefined // what is inside is promised to somebody
    return this.#ring.poll(this.#claim) || undefined
  }

  /** For who empties the queue. */
  seize(): number | undefined {
    return this.#ring.poll() || undefined
  }

  first(): number | undefined {
    return this.#ring.peek() || undefined
  }

  remove(slot: number): boolean {
    return this.#ring.remove(slot)
  }

  receive(settle: Settle<number | undefined>, flow: Flow, timeout: number): void {
    driveLingering(this.#receiving(flow), settle, flow, timeout, LINGER)
  }

  *#receiving(flow: Flow): Steps<number | undefined> {
    const node = this.#waiters.enter(flow, SHARED, true)
    let how: number = CANCELLED
    let slot = 0
    const isHandOver = this.bound === 0
    if (isHandOver) add(this.#words, IDLE, 1)
    let broken: unknown
    try {
      for (;;) {
        slot = this.#ring.poll(this.#claim)
        if (slot !== 0) break
        if (broken !== undefined) {
          // A task is on its way; nothing else counts until it is here.
          node.interruptible = false
          node.limited = false
        }
        try {
          if ((yield node) !== TIMEOUT) continue
          if (!isHandOver || this.#withdraw()) break
          broken = TIMEOUT
        } catch (error) {
          if (!isHandOver || this.#withdraw()) throw error
          broken = error
        }
      }
      if (slot !== 0) how = ACQUIRED
    } finally {
      this.#waiters.leave(node, how)
    }
    // Who offered something in the meantime has woken this one, which had been served already.
    if (!this.#ring.isEmpty) this.#waiters.wakeFirst()
    if (broken instanceof InterruptedError) flow.interrupt()
    return slot || undefined
  }

  /** Takes one off the workers that wait. */
  #promise(): boolean {
    for (;;) {
      const idle = load(this.#words, IDLE)
      if (idle <= 0) return false
      if (compareAndSet(this.#words, IDLE, idle, idle - 1)) return true
    }
  }

  #withdraw(): boolean {
    return this.#promise()
  }
}
