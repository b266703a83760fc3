import { compareAndSet, exchange, load, read, store, write } from "#atomics"
import type { Bell } from "../../memory/wait/bell.ts"
import { LINE } from "../../memory/layout.ts"
import { IllegalStateError } from "../../errors.ts"
import { BASE, COMPLETION_QUEUE, MOST_COMPLETION_QUEUES, OWN_QUEUE, SCOPED, TASK } from "./layout.ts"
import type { PoolMemory } from "./pool-memory.ts"
import type { TaskRecords } from "./task-records.ts"

const LOOKING = -1

/** In place of a token: the queue was used, and is now free. */
const CLOSED = -1

/**
 * The completion queues: how a thread gets the outcomes of the tasks that it has submitted. It has one queue for each
 * pool to which it submits. The thread that is done with a task puts the slot into the queue of the task's submitter,
 * and rings the submitter's bell unless the submitter is going to look anyway.
 *
 *     TOKEN   the submitter whose queue this is
 *     BELL    the submitter's bell
 *     TOP     the slot put in last, linked to the others by TASK.NEXT; 0 if there is none and the bell must be rung;
 *             LOOKING below the last slot, or alone, while the submitter empties the queue and is going to look again
 */
export class CompletionQueues {
  readonly #memory: PoolMemory
  readonly #tasks: TaskRecords

  constructor(memory: PoolMemory, tasks: TaskRecords) {
    this.#memory = memory
    this.#tasks = tasks
  }

  /** Opens a queue for this thread; returns its number. */
  open(bell: Bell): number {
    const { words, threadContext } = this.#memory
    for (let number = 1; number <= MOST_COMPLETION_QUEUES; number++) {
      const completionQueue = completionQueueOf(number)
      const holder = load(words, completionQueue + COMPLETION_QUEUE.TOKEN)
      if (holder > 0 && threadContext.registry.isAlive(holder)) continue
      // The owner of the pool first does what a dead thread has left undone: see endings.ts.
      if (
        load(words, completionQueue + COMPLETION_QUEUE.CLAIM) !== 0 ||
        load(words, completionQueue + COMPLETION_QUEUE.ENDS) !== 0 ||
        load(words, completionQueue + COMPLETION_QUEUE.RESUMES) !== 0
      )
        continue
      if (!compareAndSet(words, completionQueue + COMPLETION_QUEUE.TOKEN, holder, bell.token)) continue
      store(words, completionQueue + COMPLETION_QUEUE.BELL, bell.index)
      // Slots that a dead thread has not received are free.
      for (const slot of this.#unlink(exchange(words, completionQueue + COMPLETION_QUEUE.TOP, 0)))
        this.#tasks.free(slot)
      return number
    }
    throw new IllegalStateError(`More than ${MOST_COMPLETION_QUEUES} threads submit to one pool`)
  }

  close(number: number): void {
    for (const slot of this.#unlink(exchange(this.#memory.words, completionQueueOf(number) + COMPLETION_QUEUE.TOP, 0)))
      this.#tasks.free(slot)
    store(this.#memory.words, completionQueueOf(number) + COMPLETION_QUEUE.TOKEN, CLOSED)
  }

  /** Whether it is the queue of the thread with this token. */
  isOf(number: number, token: number): boolean {
    return load(this.#memory.words, completionQueueOf(number) + COMPLETION_QUEUE.TOKEN) === token
  }

  /** Whether no slot has arrived. */
  isEmpty(number: number): boolean {
    return load(this.#memory.words, completionQueueOf(number) + COMPLETION_QUEUE.TOP) === 0
  }

  /** The token of the submitter whose queue it is. */
  holderOf(number: number): number {
    return load(this.#memory.words, completionQueueOf(number) + COMPLETION_QUEUE.TOKEN)
  }

  /** Whether the slot, which is in use, has been put into its completion queue and is still there. */
  contains(slot: number): boolean {
    let each = load(this.#memory.words, completionQueueOf(this.#tasks.completionQueueOf(slot)) + COMPLETION_QUEUE.TOP)
    while (each > 0 && each !== slot) each = this.#tasks.nextOf(each)
    return each === slot
  }

  /**
   * Whether a thread that has begun to interrupt the task will end that: its submitter is alive, or the owner of the
   * pool does it.
   */
  willEndInterrupt(slot: number): boolean {
    if (this.#tasks.hasFlag(slot, SCOPED)) return true
    return this.#memory.threadContext.registry.isAlive(this.holderOf(this.#tasks.completionQueueOf(slot)))
  }

  /**
   * Where the slot arrives. That of a dead thread's fork goes to the owner of the pool, which may just be cancelling it
   * and must not hit the next task in that slot.
   */
  #destinationOf(slot: number): number {
    const { registry } = this.#memory.threadContext
    if (this.#tasks.hasFlag(slot, SCOPED) && !registry.isAlive(this.#tasks.submitterOf(slot))) return OWN_QUEUE
    return this.#tasks.completionQueueOf(slot)
  }

  /** Puts in a slot whose task is over. If the queue has no living submitter any more, frees the slot. */
  put(slot: number): void {
    const { words, threadContext } = this.#memory
    const record = this.#tasks.recordOf(slot)
    const tasks = this.#tasks.words
    const completionQueue = completionQueueOf(this.#destinationOf(slot))
    const submitter = load(words, completionQueue + COMPLETION_QUEUE.TOKEN)
    if (submitter === CLOSED || !threadContext.registry.isAlive(submitter)) {
      this.#tasks.free(slot)
      return
    }
    let top: number
    do {
      top = load(words, completionQueue + COMPLETION_QUEUE.TOP)
      write(tasks, record + TASK.NEXT, top)
    } while (!compareAndSet(words, completionQueue + COMPLETION_QUEUE.TOP, top, slot))
    if (top !== 0) return
    // Wakes the thread that has the queue now. If that is no longer the submitter of this task, the new submitter would
    // otherwise not notice the ends of its own tasks.
    threadContext.wake(
      load(words, completionQueue + COMPLETION_QUEUE.TOKEN),
      load(words, completionQueue + COMPLETION_QUEUE.BELL),
    )
  }

  /** Makes every thread that has a queue look into it. */
  ringAll(): void {
    const { words, threadContext } = this.#memory
    for (let number = 1; number <= MOST_COMPLETION_QUEUES; number++) {
      const token = load(words, completionQueueOf(number) + COMPLETION_QUEUE.TOKEN)
      if (token === 0) return // queues are taken in order
      if (token !== CLOSED && threadContext.registry.isAlive(token))
        threadContext.wake(token, load(words, completionQueueOf(number) + COMPLETION_QUEUE.BELL))
    }
  }

  /**
   * Takes out all slots and passes them on in the order of arrival, until the queue stays empty. The lists belong to
   * the receiver.
   */
  empty(number: number, arrived: (slots: number[]) => void): void {
    const { words } = this.#memory
    const top = completionQueueOf(number) + COMPLETION_QUEUE.TOP
    if (load(words, top) === 0) return
    do {
      const slots = this.#unlink(exchange(words, top, LOOKING))
      if (slots.length > 0) arrived(slots)
    } while (!compareAndSet(words, top, LOOKING, 0))
  }

  #unlink(top: number): number[] {
    let count = 0
    // Plain reads: the links were written before TOP, and no other thread has the slots now.
    for (let slot = top; slot > 0; slot = read(this.#tasks.words, this.#tasks.recordOf(slot) + TASK.NEXT)) {
      if (count === unlinked.length) unlinked = enlarged(unlinked)
      unlinked[count++] = slot
    }
    // oxlint-disable-next-line unicorn/no-new-array -- of this length at once: a list that grew would be copied
    const slots = new Array<number>(count)
    for (let i = 0; i < count; i++) slots[i] = unlinked[count - 1 - i] as number
    return slots
  }
}

/** For the slots of one call of `#unlink`, the last one first: a list that grew would be copied again and again. */
let unlinked = new Int32Array(1024)

function enlarged(full: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(full.length * 2)
  larger.set(full)
  return larger
}

function completionQueueOf(number: number): number {
  return BASE.COMPLETION_QUEUES + number * LINE
}
