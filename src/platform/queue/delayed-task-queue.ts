import { InterruptedError } from "../../errors.ts"
import type { Flow } from "../../memory/flow/flow.ts"
import { ACQUIRED, CANCELLED } from "../../memory/thread/node-pool.ts"
import type { WaitNode } from "../../memory/wait/wait-node.ts"
import { SHARED, WaitQueue } from "../../memory/wait/wait-queue.ts"
import { driveLingering, type Settle, type Steps, TIMEOUT, type Wake } from "../../memory/flow/waiting.ts"
import { sharedNow } from "../../time/shared-clock.ts"
import { BASE, BY_TIME } from "../memory/layout.ts"
import type { PoolMemory } from "../memory/pool-memory.ts"
import { SlotHeap } from "../memory/slot-heap.ts"
import { LINGER, type SlotQueue } from "./slot-queue.ts"
import type { Taker } from "./taker.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/**
 * How long before a task is due its worker stops relying on timers and blocks, in ms. The worker's own timers and
 * sockets stand still then.
 */
const EARLY = 4

/**
 * The queue of a scheduled pool, where tasks wait until they are due, and the list of its idle workers. Any thread may
 * offer and take.
 *
 * Leader and followers: the first worker in the list, the leader, waits until the first task is due; the others wait
 * without a limit. When the leader gets its task, it wakes the next worker, which then leads. offer() wakes the leader
 * if the new task is due before the leader would wake up; the leader then sleeps for less. The leader is not woken when
 * the task it waits for is removed, and finds out in time: so a program that sets and cancels time limits all day long
 * wakes no worker. No leader is appointed, so none is missing after a death: a death wakes all waiting workers, and
 * the worker that is then first leads.
 *
 * The main thread has no part in this. Timers of the event loop are late by a millisecond or two, so the worker sets
 * its timer ahead of time and blocks for the rest.
 */
export class DelayedTaskQueue implements SlotQueue {
  readonly bound = -1
  taker: Taker | undefined
  readonly #memory: PoolMemory
  readonly #tasks: TaskRecords
  readonly #heap: SlotHeap
  readonly #waiters: WaitQueue
  readonly #claim: number

  /**
   * `claim` is the index of the word in which this thread, if it is a worker, writes which slot it is about to take.
   * `spins` is how often it looks before it sleeps for the lock of the heap.
   */
  constructor(memory: PoolMemory, tasks: TaskRecords, claim = 0, spins?: number) {
    const { threadContext, words, capacity, order } = memory
    this.#memory = memory
    this.#tasks = tasks
    this.#heap = new SlotHeap(threadContext, order as Int32Array, words, capacity, tasks, BY_TIME, spins)
    this.#waiters = new WaitQueue(threadContext, words, BASE.WAITERS, { isShared: true })
    this.#claim = claim
  }

  get isEmpty(): boolean {
    return this.#heap.isEmpty
  }

  get size(): number {
    return this.#heap.size
  }

  get idleWorkers(): number {
    return this.#waiters.length
  }

  toArray(): number[] {
    return this.#heap.toArray()
  }

  /** From now on the tasks of this thread, the owner of the pool, get in without the lock if they can. */
  openEntrance(): void {
    this.#heap.openEntrance()
  }

  offer(slot: number): boolean {
    if (!this.#heap.enter(slot) && !this.#heap.offer(slot)) return false
    if (this.#heap.isUrgent) this.#waiters.wakeFirst()
    return true
  }

  /** Wakes a worker even if the slot is not the first: the worker that should have led may have died. */
  restore(slot: number): void {
    this.#heap.offer(slot)
    this.#waiters.wakeFirst()
  }

  poll(): number | undefined {
    return this.#heap.poll(this.#claim) || undefined
  }

  take(): number | undefined {
    const { taker } = this
    return this.#without(taker === undefined ? this.#heap.poll() : taker.hold(this.#heap.poll(taker.claim)))
  }

  draw(): number | undefined {
    return this.seize()
  }

  seize(): number | undefined {
    const { taker } = this
    return this.#without(taker === undefined ? this.#heap.seize() : taker.hold(this.#heap.seize(taker.claim)))
  }

  first(): number | undefined {
    return this.#heap.peek() || undefined
  }

  untilReady(slot: number): number {
    return this.#tasks.rankOf(slot) - sharedNow()
  }

  /** A slot that is withdrawn needs no mark: if its thread, the owner, dies, the pool is over. */
  remove(slot: number): boolean {
    if (this.#heap.withdraw(slot)) return this.#without(slot) !== undefined
    return this.taker === undefined ? this.pull(slot) : this.taker.holdRemoved(slot, (it) => this.pull(it))
  }

  pull(slot: number): boolean {
    return this.#heap.remove(slot) && this.#without(slot) !== undefined
  }

  /** A thread that is no worker has taken this slot out; 0 if there was none. */
  #without(slot: number): number | undefined {
    if (slot === 0) return undefined
    if (this.#heap.hasPatient && this.isEmpty) this.#waiters.wakeFirst() // it waits for this: see receive()
    return slot
  }

  forgetWaiter(): void {}

  /**
   * The last worker of a pool cannot leave while a task is queued. So that it does not come back every few milliseconds
   * to find that out, it puts off its time limit until the queue is empty, and then looks again, as after an interrupt.
   */
  receive(settle: Settle<number | undefined>, flow: Flow, timeout: number): void {
    this.#memory.ringIfIdle()
    const isPatient = timeout !== Infinity && !this.isEmpty && this.#memory.state.control.workerCount <= 1
    driveLingering(this.#receiving(flow, isPatient), settle, flow, isPatient ? Infinity : timeout, LINGER)
  }

  *looking(flow: Flow, isPatient: boolean): Steps<boolean> {
    return (yield* this.#receiving(flow, isPatient, true)) !== undefined
  }

  /** The first task, if it is due. */
  get #due(): number {
    const first = this.#heap.peek()
    return first !== 0 && this.untilReady(first) <= 0 ? first : 0
  }

  *#receiving(flow: Flow, isPatient: boolean, looks = false): Steps<number | undefined> {
    const node = this.#waiters.enter(flow, SHARED, true)
    let how: number = CANCELLED
    let slot = 0
    if (isPatient) this.#heap.addPatient(1)
    try {
      for (;;) {
        const isFirst = this.#waiters.isFirst(node)
        // A worker that is woken though not the first was woken by a death, perhaps of the thread that was to link in
        // its node.
        if (!isFirst) this.#waiters.tend(node.index)
        slot = looks ? this.#due : this.#heap.poll(this.#claim)
        if (slot !== 0) break
        if (isPatient && this.isEmpty) throw new InterruptedError("Nothing is left to wait for")
        if ((yield* this.#waitingAt(node, flow)) === TIMEOUT) break
      }
      if (slot !== 0) how = ACQUIRED
    } finally {
      if (isPatient) this.#heap.addPatient(-1)
      this.#waiters.leave(node, how) // a leader that gives up thereby wakes the next worker
    }
    if (!this.isEmpty) this.#waiters.wakeFirst()
    return slot || undefined
  }

  /** Waits until the first task is due if this worker leads, else without a limit. */
  *#waitingAt(node: WaitNode, flow: Flow): Steps<Wake | undefined> {
    const first = this.#waiters.isFirst(node) ? this.#heap.lead() : 0
    const left = first === 0 ? Infinity : this.untilReady(first)
    if (left === Infinity) return yield node
    if (left > EARLY) return yield { list: node, atMost: left - EARLY }
    if (left > 0 && !flow.isInterrupted) {
      node.block(flow, left)
      return undefined
    }
    return flow.isInterrupted ? yield node : undefined
  }
}
