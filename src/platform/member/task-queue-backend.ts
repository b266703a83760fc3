import { CORE } from "../../queue/base/internals.ts"
import { MAX_VALUE } from "../../checks.ts"
import { IllegalStateError, RejectedExecutionError, UnsupportedOperationError } from "../../errors.ts"
import { priorityOf } from "../../executor/task-marks.ts"
import type { Runnable } from "../../future/runnable.ts"
import type { Flow } from "../../memory/flow/flow.ts"
import type { Handle } from "../../memory/shared/shared-memory.ts"
import { type Steps, TIMEOUT, WaitList } from "../../memory/flow/waiting.ts"
import { drop } from "../../pool/engine/unrun-tasks.ts"
import { ArrayBlockingQueue } from "../../queue/array-blocking-queue.ts"
import type { BlockingQueue } from "../../queue/base/blocking-queue.ts"
import type { Cursor } from "../../queue/local/iteration.ts"
import { LinkedBlockingDeque } from "../../queue/linked-blocking-deque.ts"
import { LinkedBlockingQueue } from "../../queue/linked-blocking-queue.ts"
import { LinkedTransferQueue } from "../../queue/linked-transfer-queue.ts"
import { PriorityBlockingQueue } from "../../queue/priority-blocking-queue.ts"
import { equalTo, equalToAny } from "../../queue/local/equality.ts"
import type { QueueBackend } from "../../queue/base/queue-backend.ts"
import type { End, QueueCore } from "../../queue/base/queue-core.ts"
import { SynchronousQueue } from "../../queue/synchronous-queue.ts"
import { identityOf } from "../../identity.ts"
import { BY_ARRIVAL, BY_PRIORITY, BY_TIME, NOTHING } from "../memory/layout.ts"
import { NoQueue } from "./no-queue.ts"
import type { Submissions } from "../submit/submissions.ts"
import type { SlotQueue } from "../queue/slot-queue.ts"
import { shielded } from "../worker/this-worker.ts"
import { TimedTaskQueue } from "./timed-task-queue.ts"

/** How many tasks the user's queue lets wait: −1 without a limit, 0 if they are handed over. */
export function boundOf(queue: BlockingQueue<Runnable>): number {
  if (queue instanceof NoQueue) return NOTHING
  if (queue instanceof TimedTaskQueue) return -1
  if (queue instanceof SynchronousQueue) return 0
  if (queue instanceof PriorityBlockingQueue) {
    if (queue.comparator === undefined || queue[CORE].ordersByKey) return -1
    throw new UnsupportedOperationError(
      "A comparator is a function of this thread, and the threads of the pool cannot call it: give the pool a PriorityBlockingQueue without one, and tasks a priority by `pool.with({ priority })`, or a PriorityBlockingQueue with a `key`",
    )
  }
  const kinds = [ArrayBlockingQueue, LinkedBlockingQueue, LinkedBlockingDeque, LinkedTransferQueue]
  const isPlain = kinds.some((type) => queue instanceof type)
  if (!isPlain) {
    throw new UnsupportedOperationError(
      `${identityOf(queue)} cannot be the queue of a pool of platform threads: it may be an ArrayBlockingQueue, a LinkedBlockingQueue, a LinkedBlockingDeque, a LinkedTransferQueue, a PriorityBlockingQueue or a SynchronousQueue`,
    )
  }
  const capacity = queue.remainingCapacity + queue.size
  return capacity === MAX_VALUE ? -1 : capacity
}

/** The priority of a task in this queue: the opposite of its key, if tasks have keys; NaN if it has none. */
export function prioritiesOf(queue: BlockingQueue<Runnable>): (task: Runnable) => number {
  const core = queue[CORE]
  return core.ordersByKey ? (task) => -(core.keyOf(task) ?? NaN) : (task) => priorityOf(task) ?? NaN
}

/** In which order its tasks are taken. */
export function orderingOf(queue: BlockingQueue<Runnable>): number {
  if (queue instanceof TimedTaskQueue) return BY_TIME
  return queue instanceof PriorityBlockingQueue ? BY_PRIORITY : BY_ARRIVAL
}

/**
 * The backend of the user's work queue once it belongs to a pool of platform threads: the tasks are in shared memory,
 * and the queue shows them. A thread sees its own tasks as it has submitted them, and those of other threads as
 * functions that do the same.
 */
export class TaskQueueBackend implements QueueBackend<Runnable> {
  readonly #ring: SlotQueue
  readonly #taskIn: (slot: number, isTaken: boolean) => Runnable
  readonly #submissions: Submissions
  /** For flows of this thread that wait for room or for tasks; see {@link taking}. */
  readonly #changed = new WaitList()

  /** `isTaken` says whether the slot has been taken out of the queue. */
  constructor(ring: SlotQueue, taskIn: (slot: number, isTaken: boolean) => Runnable, submissions: Submissions) {
    this.#ring = ring
    this.#taskIn = taskIn
    this.#submissions = submissions
  }

  get handle(): Handle {
    throw new IllegalStateError("The queue belongs to a pool: it cannot be shared by itself")
  }

  get size(): number {
    return this.#ring.bound === 0 ? 0 : this.#ring.size
  }

  get capacity(): number {
    return this.#ring.bound === -1 ? MAX_VALUE : Math.max(this.#ring.bound, 0)
  }

  get takers(): number {
    return this.#ring.idleWorkers
  }

  get isClosed(): boolean {
    return false
  }

  close(): void {
    throw new IllegalStateError("The queue belongs to a pool: shut down the pool instead")
  }

  // ------------------------------------------------------------------ one at a time

  insert(task: Runnable, end: End = "last"): boolean {
    if (end === "first") {
      throw new UnsupportedOperationError(
        "The tasks of platform threads wait in the order in which they came: to let one overtake, give the pool a PriorityBlockingQueue, and the task a priority by `pool.with({ priority })`",
      )
    }
    const slot = this.#submissions.record(task)
    if (slot === 0) return false
    let isIn = false
    try {
      isIn = this.#ring.offer(slot)
    } finally {
      if (!isIn) this.#submissions.takeBack(slot)
    }
    if (isIn) this.#submissions.seal(slot)
    return isIn
  }

  hand(task: Runnable): boolean {
    return this.takers > 0 && this.insert(task)
  }

  extract(end: End = "first"): Runnable | undefined {
    return shielded(() => {
      const slot = end === "first" ? this.#ring.take() : this.#takeLast()
      return slot === undefined ? undefined : (this.#submissions.takeBack(slot) ?? this.#taskIn(slot, true))
    })
  }

  /** Again, if a thread of the pool was faster. */
  #takeLast(): number | undefined {
    for (;;) {
      const last = this.#slots.at(-1)
      if (last === undefined || this.#ring.remove(last)) return last
    }
  }

  peek(end: End = "first"): Runnable | undefined {
    const slot = end === "last" ? this.#slots.at(-1) : this.#ring.bound === 0 ? undefined : this.#ring.first()
    return slot === undefined ? undefined : this.#taskIn(slot, false)
  }

  // ------------------------------------------------------------------ waiting

  /*
   * The JDK allows a thread to wait beside the workers of a pool for its tasks, or for room among them; programs hardly
   * ever do. It is not worth a second kind of waiter in shared memory: these look again from time to time.
   */
  *inserting(task: Runnable, end?: End): Steps<boolean> {
    while (!this.insert(task, end)) if ((yield { list: this.#changed, atMost: 1 }) === TIMEOUT) return false
    return true
  }

  transferring(_task: Runnable, _flow: Flow): Steps<boolean> {
    throw new UnsupportedOperationError("Tasks cannot be transferred to the threads of a pool: use execute()")
  }

  *taking(end?: End): Steps<Runnable | undefined> {
    for (;;) {
      const task = this.extract(end)
      if (task !== undefined) return task
      if ((yield { list: this.#changed, atMost: 1 }) === TIMEOUT) return undefined
    }
  }

  // ------------------------------------------------------------------ all of them

  /** The queue returns the same objects that were put in. */
  equalTo(sought: unknown): (task: unknown) => boolean {
    return equalTo(sought)
  }

  equalToAny(sought: Iterable<unknown>): (task: unknown) => boolean {
    return equalToAny(sought)
  }

  clear(): void {
    shielded(() => {
      for (let slot = this.#ring.draw(); slot !== undefined; slot = this.#ring.draw()) this.#discard(slot)
    })
  }

  /** The slots that wait. With a bound of 0 none does: they are on their way to workers. */
  get #slots(): number[] {
    return this.#ring.bound === 0 ? [] : this.#ring.toArray()
  }

  toArray(): Runnable[] {
    return this.#slots.map((slot) => this.#taskIn(slot, false))
  }

  cursor(backwards = false): Cursor<Runnable> {
    const slots = this.#slots
    if (backwards) slots.reverse()
    let last = 0
    return {
      next: () => {
        const slot = slots.shift()
        if (slot === undefined) return undefined
        last = slot
        return this.#taskIn(slot, false)
      },
      remove: () => this.#remove(last),
    }
  }

  removeWhere(test: (task: Runnable) => boolean): number {
    let count = 0
    for (const slot of this.#slots) {
      if (test(this.#taskIn(slot, false)) && this.#remove(slot)) count++
    }
    return count
  }

  drain(accept: (task: Runnable) => void, max: number): number {
    let count = 0
    for (let task = count < max ? this.extract() : undefined; task !== undefined;) {
      accept(task)
      task = ++count < max ? this.extract() : undefined
    }
    return count
  }

  #remove(slot: number): boolean {
    return shielded(() => {
      if (!this.#ring.remove(slot)) return false
      this.#discard(slot)
      return true
    })
  }

  /**
   * This thread has taken the slot and drops the task. Its own tasks are as they were before they were submitted. Tasks
   * of other threads are cancelled: no thread could still run them.
   */
  #discard(slot: number): void {
    if (this.#submissions.takeBack(slot) !== undefined) return
    const task = this.#taskIn(slot, true)
    drop(task, new RejectedExecutionError("The task was removed from the queue of its pool", task))
  }
}

/**
 * A bundle with both entries has another copy of the queues of `corepool/virtual`, without what pools of platform
 * threads need.
 */
export function requireOfThisCopy(queue: BlockingQueue<Runnable>): void {
  const core: Partial<QueueCore<Runnable>> = queue[CORE]
  if (typeof core.holdTasksIn === "function") return
  throw new IllegalStateError(
    "The queue is of corepool/virtual, of which the bundle has a copy for virtual threads alone: import its class from corepool",
  )
}
