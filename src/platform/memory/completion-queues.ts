import { compareAndSet, exchange, load, store, write } from "#atomics"
import type { Bell } from "../../memory/wait/bell.ts"
import { LINE } from "../../memory/layout.ts"
import { IllegalStateError } from "../../errors.ts"
import { BASE, COMPLETION_QUEUE, COMPLETION_QUEUE_MASK, MOST_COMPLETION_QUEUES, TASK } from "./layout.ts"
import type { PoolMemory } from "./pool-memory.ts"
import type { TaskRecords } from "./task-records.ts"

const LOOKING = -1

/** In the place of a token: nobody's, but it was somebody's. */
const CLOSED = -1

/**
 * How a thread hears of the tasks that it has submitted. It has a box for each pool it submits to; whoever is done with
 * one of its tasks puts the slot there, and rings its bell if nobody can be expected to look otherwise.
 *
 *     TOKEN   whose box it is
 *     BELL    which bell
 *     TOP     the slot put in last, linked to the others by TASK.NEXT; 0 if there is none and the bell must be rung; LOOKING
 *             below the last one, or alone, if its owner is just emptying the box and will look again
 */
export class CompletionQueues {
  readonly #memory: PoolMemory
  readonly #tasks: TaskRecords

  constructor(memory: PoolMemory, tasks: TaskRecords) {
    this.#memory = memory
    this.#tasks = tasks
  }

  /** A box for this thread; its number. */
  open(bell: Bell): number {
    const { words, threadContext } = this.#memory
    for (let number = 1; number <= MOST_COMPLETION_QUEUES; number++) {
      const completionQueue = completionQueueOf(number)
      const holder = load(words, completionQueue + COMPLETION_QUEUE.TOKEN)
      if (holder > 0 && threadContext.registry.isAlive(holder)) continue
      // What a dead thread has left undone, the owner of the pool does first: see endings.ts.
      if (
        load(words, completionQueue + COMPLETION_QUEUE.CLAIM) !== 0 ||
        load(words, completionQueue + COMPLETION_QUEUE.ENDS) !== 0
      )
        continue
      if (!compareAndSet(words, completionQueue + COMPLETION_QUEUE.TOKEN, holder, bell.token)) continue
      store(words, completionQueue + COMPLETION_QUEUE.BELL, bell.index)
      // What a dead thread has not fetched, nobody will.
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

  /** Whether it is the box of the thread with this token. */
  isOf(number: number, token: number): boolean {
    return load(this.#memory.words, completionQueueOf(number) + COMPLETION_QUEUE.TOKEN) === token
  }

  /** Whether nothing has arrived. */
  isEmpty(number: number): boolean {
    return load(this.#memory.words, completionQueueOf(number) + COMPLETION_QUEUE.TOP) === 0
  }

  /** Whose box it is. */
  holderOf(number: number): number {
    return load(this.#memory.words, completionQueueOf(number) + COMPLETION_QUEUE.TOKEN)
  }

  /** Whether a slot that is in use has been put into its box, and is still there. */
  contains(slot: number): boolean {
    let each = load(this.#memory.words, completionQueueOf(this.#tasks.completionQueueOf(slot)) + COMPLETION_QUEUE.TOP)
    while (each > 0 && each !== slot) each = this.#tasks.nextOf(each)
    return each === slot
  }

  /** Whether there is somebody who looks into it. */
  isOpen(number: number): boolean {
    return this.#memory.threadContext.registry.isAlive(this.holderOf(number))
  }

  /** Puts in a slot whose task is over. If the box belongs to nobody any more, the slot is free. */
  put(slot: number): void {
    const { words, threadContext } = this.#memory
    const record = this.#tasks.recordOf(slot)
    const tasks = this.#tasks.words
    const completionQueue = completionQueueOf(load(tasks, record + TASK.COMPLETION_QUEUE) & COMPLETION_QUEUE_MASK)
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
    // Whoever has the box now: should it have changed hands meanwhile, the next one would not hear of its own tasks
    // otherwise.
    threadContext.wake(
      load(words, completionQueue + COMPLETION_QUEUE.TOKEN),
      load(words, completionQueue + COMPLETION_QUEUE.BELL),
    )
  }

  /** Makes every thread that has one look. */
  ringAll(): void {
    const { words, threadContext } = this.#memory
    for (let number = 1; number <= MOST_COMPLETION_QUEUES; number++) {
      const token = load(words, completionQueueOf(number) + COMPLETION_QUEUE.TOKEN)
      if (token === 0) return // they are taken in order
      if (token !== CLOSED && threadContext.registry.isAlive(token))
        threadContext.wake(token, load(words, completionQueueOf(number) + COMPLETION_QUEUE.BELL))
    }
  }

  /** Takes out all there is, and hands it over in the order in which it came, until there is nothing more. */
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
    const slots: number[] = []
    for (let slot = top; slot > 0; slot = load(this.#tasks.words, this.#tasks.recordOf(slot) + TASK.NEXT)) {
      slots.push(slot)
    }
    return slots.reverse()
  }
}

function completionQueueOf(number: number): number {
  return BASE.COMPLETION_QUEUES + number * LINE
}
