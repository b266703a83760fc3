import { Ring } from "../../memory/structures/ring.ts"
import { BASE, HEADER, ringPlaces, WORKER } from "../memory/layout.ts"
import { LINE } from "../../memory/layout.ts"
import { load } from "#atomics"
import { Deques } from "./deques.ts"
import type { SlotDeque } from "./slot-deque.ts"

/**
 * The waiting tasks of a ForkJoinPool: submitted tasks in a ring, as in any pool, and forked tasks in the deque of the
 * worker that forked them.
 *
 * A worker looks at its own deque first, then at the deques of other workers, beginning with a random one, and then at
 * the ring. Forked tasks come first because they are parts of something that has begun. Any other thread begins with
 * the ring. While the pool is paused, workers leave the ring alone.
 */
export class StealingStore {
  readonly deques: Deques
  /** The deque of this thread, if it is a worker that has one. */
  readonly own: SlotDeque | undefined
  readonly #words: Int32Array
  readonly #ring: Ring
  readonly #self: number
  readonly #isPaused: () => boolean
  /** The slot that this thread has stolen last, and from which worker. */
  #stolen = 0
  #victim = 0
  #random: number

  /**
   * `words` are those of the pool; `claim` is the word in which a worker writes what it is about to take, 0 for no
   * worker.
   */
  constructor(
    words: Int32Array,
    deques: Int32Array,
    capacity: number,
    claim: number,
    isPaused: () => boolean = () => false,
  ) {
    this.#words = words
    this.#isPaused = isPaused
    this.deques = new Deques(deques)
    this.#ring = new Ring(words, BASE.RING, ringPlaces(capacity), capacity)
    this.#self = claim === 0 ? 0 : (claim - WORKER.CLAIM - BASE.WORKER_TABLE) / LINE
    this.own = this.#self === 0 || this.#self > this.deques.count ? undefined : this.deques.of(this.#self)
    this.#random = (this.#self + 1) * 0x9e3779b9
  }

  /** How many deques are or were in use. */
  get #inUse(): number {
    return Math.min(load(this.#words, BASE.HEADER + HEADER.WORKERS), this.deques.count)
  }

  // ------------------------------------------------------------------ taking

  poll(claim = 0): number {
    if (this.#self === 0) return this.#ring.poll(claim) || this.#steal(claim)
    const { own } = this
    if (own !== undefined) {
      const slot = this.deques.isAsync ? own.steal(claim, this.#words) : own.pop(claim, this.#words)
      if (slot !== 0) return slot
    }
    return this.#steal(claim) || (this.#isPaused() ? 0 : this.#ring.poll(claim))
  }

  /**
   * A task from the deque of another worker; 0 if there is none. A worker does not steal what the owner of the deque is
   * about to take back: it treats a deque that is not steady as empty, once.
   */
  #steal(claim: number): number {
    const inUse = this.#inUse
    if (inUse === 0) return 0
    const first = this.#chance() % inUse
    for (let i = 0; i < inUse; i++) {
      const victim = ((first + i) % inUse) + 1
      if (victim === this.#self) continue
      const deque = this.deques.of(victim)
      const slot = this.#self === 0 || deque.isSteady ? deque.steal(claim, this.#words) : 0
      if (slot !== 0) return this.#note(slot, victim)
    }
    return 0
  }

  /** A task from the deque of the worker `victim`; 0 if there is none. */
  stealFrom(victim: number, claim: number): number {
    return this.#note(this.deques.of(victim).steal(claim, this.#words), victim)
  }

  #note(slot: number, victim: number): number {
    this.#stolen = slot
    this.#victim = victim
    return slot
  }

  /** The worker from whose deque this thread has just taken the task; 0 if from none. */
  victimOf(slot: number): number {
    return slot === this.#stolen ? this.#victim : 0
  }

  #chance(): number {
    let x = this.#random // xorshift (G. Marsaglia, 2003)
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    this.#random = x
    return x >>> 0
  }

  /** This thread is about to sleep: a worker that forks has to wake it. */
  askForCalls(): void {
    this.deques.askForCalls(this.#inUse)
  }

  // ------------------------------------------------------------------ what others do

  offer(slot: number): boolean {
    return this.#ring.offer(slot)
  }

  /** Removes submitted tasks only: a forked task is for its worker, or for thieves. */
  remove(slot: number): boolean {
    return this.#ring.remove(slot)
  }

  peek(): number {
    return this.#ring.peek()
  }

  get isEmpty(): boolean {
    if (!this.#ring.isEmpty) return false
    for (let worker = this.#inUse; worker > 0; worker--) if (!this.deques.of(worker).isEmpty) return false
    return true
  }

  /** Whether there is a task that no owner of a deque is going to take back at once. */
  get isWorthALook(): boolean {
    if (!this.#ring.isEmpty && !this.#isPaused()) return true
    for (let worker = this.#inUse; worker > 0; worker--) if (this.deques.of(worker).isSteady) return true
    return false
  }

  get size(): number {
    return this.submitted + this.forked
  }

  get submitted(): number {
    return this.#ring.size
  }

  get forked(): number {
    let size = 0
    for (let worker = this.#inUse; worker > 0; worker--) size += this.deques.of(worker).size
    return size
  }

  toArray(): number[] {
    const slots = this.#ring.toArray()
    for (let worker = this.#inUse; worker > 0; worker--) slots.push(...this.deques.of(worker).toArray())
    return slots
  }
}
