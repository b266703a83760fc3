import { readsWhileBlocked } from "#host/runtime/capabilities"
import { load, read, store, write } from "#atomics"
import { OwnMap, Stack } from "../../primordials.ts"
import { encodeArguments } from "../../codec/arguments.ts"
import { NO_ARGUMENTS, PLAIN_WORDS } from "../../codec/bytes/encoded-value.ts"
import { writePlain } from "../../codec/plain-words.ts"
import { CANCELLED, NEW, NORMAL } from "../../future/task-state.ts"
import {
  CARRIES,
  INLINE_WORDS,
  IS_FORKED,
  KIND_MASK,
  POSTED,
  REFERENCES_SHIFT,
  TASK,
} from "../../platform/memory/layout.ts"
import { Outgoing } from "../../platform/submit/outgoing.ts"
import type { PoolMemory } from "../../platform/memory/pool-memory.ts"
import { SideChannel } from "../../platform/transport/side-channel.ts"
import { ON_ITS_WAY, outcomeOf } from "../../platform/submit/results.ts"
import type { TaskRecords } from "../../platform/memory/task-records.ts"
import type { CarriedStores } from "../../executor/propagation.ts"
import { writeNumbers } from "./plain-arguments.ts"

/**
 * A value of TASK.STATE beside those of task-state.ts: the slot is in the stock of its worker, or the worker runs its
 * task as a plain call. No other thread knows of the slot, so the owner frees it if the worker dies.
 */
export const PRIVATE = -1

/** Words of a record that other pools use only if their queue is ordered. */
interface ForkWords {
  /** The slot of the task that has forked it. */
  readonly PARENT: number
  /** The number of the worker that has begun it. */
  readonly THIEF: number
  /** The number of the worker that sleeps until a thief has begun it. */
  readonly WAITER: number
}

export const FORK: ForkWords = { PARENT: TASK.RANK, THIEF: TASK.RANK + 1, WAITER: TASK.SEQUENCE }

/** How many slots are taken from the pool at once, and how many a worker keeps at most. */
const BATCH = 32
const MOST_KEPT = 1024

/** The outcome of a task that another thread has run. */
export type Outcome = readonly [state: "success" | "failed" | "cancelled", value: unknown]

/**
 * The slots into which a worker writes the tasks it forks. The worker keeps a stock of slots, because taking one from
 * the pool and giving it back would cost more than all the rest of a fork. It writes the most common arguments straight
 * into the record.
 */
export class ForkRecords {
  readonly #tasks: TaskRecords
  readonly #completionQueue: number
  readonly #sideChannel: SideChannel
  readonly #outgoing: Outgoing
  /** REACHABLE if other threads can post to this one; 0 otherwise. */
  readonly #reachable: number
  readonly #flags: number
  readonly #stock = new Stack<number>()
  /** One more slot, the one put back last: the next task goes there. */
  #hot = 0
  /** The stores of forked tasks, by slot. */
  readonly #stores = new OwnMap<number, CarriedStores>()
  /** The shared memory that the plain arguments being written are views of. */
  readonly #things: object[] = []
  /** An empty list for the attachments of arguments, kept for reuse; undefined while it is in use. */
  #collector: object[] | undefined = []

  /**
   * `completionQueue` is the one in which the worker receives tasks that thieves have run. `argumentsOf` gives the
   * arguments of a forked task; `settled` is called when attachments have come.
   */
  constructor(
    memory: PoolMemory,
    tasks: TaskRecords,
    completionQueue: number,
    argumentsOf: (slot: number) => readonly unknown[] | undefined,
    settled: () => void,
  ) {
    this.#tasks = tasks
    this.#completionQueue = completionQueue
    this.#sideChannel = SideChannel.of(memory)
    this.#outgoing = Outgoing.of(tasks, this.#sideChannel, settled)
    this.#outgoing.forked = argumentsOf
    this.#reachable = this.#sideChannel.reach
    this.#flags = this.#reachable | IS_FORKED
  }

  // ------------------------------------------------------------------ writing

  /** A slot for this thread alone; 0 if there is none left. */
  take(): number {
    const hot = this.#hot
    this.#hot = 0
    return hot !== 0 ? hot : (this.#stock.pop() ?? this.#restock())
  }

  #restock(): number {
    for (let i = 0; i < BATCH; i++) {
      const handle = this.#tasks.take(this.#completionQueue, 0, this.#flags)
      if (handle === 0) break
      const slot = this.#tasks.slotOf(handle)
      this.#clear(slot)
      this.#stock.push(slot)
    }
    return this.#stock.pop() ?? 0
  }

  /**
   * Writes the task into the record, for any thread that takes the slot from now on. False if there is no room for the
   * arguments; throws if they cannot be sent. In both cases the slot is back in the stock.
   */
  write(slot: number, functionId: number, parent: number, args: readonly unknown[], stores?: CarriedStores): boolean {
    const tasks = this.#tasks
    const record = tasks.recordOf(slot)
    const { words } = tasks
    if (stores !== undefined) {
      if (!this.#writeOthers(slot, record, [...args, stores])) return false
      this.#stores.set(slot, stores)
      write(words, record + TASK.FLAGS, this.#flags | CARRIES)
    } else if (!writeNumbers(words, record, args) && !this.#writeOthers(slot, record, args)) return false
    write(words, record + TASK.FUNCTION, functionId)
    write(words, record + FORK.PARENT, parent)
    write(words, record + TASK.STATE, NEW)
    return true
  }

  /** The stores of a task that this thread has forked, if it has any. */
  storesOf(slot: number): CarriedStores | undefined {
    return this.#stores.size === 0 ? undefined : this.#stores.get(slot)
  }

  #dropStores(slot: number, record: number): void {
    if (this.#stores.delete(slot)) write(this.#tasks.words, record + TASK.FLAGS, this.#flags)
  }

  /** Reading arguments may run code of the program, which may throw. */
  #writeOthers(slot: number, record: number, args: readonly unknown[]): boolean {
    let isWritten = false
    try {
      isWritten = this.#writePlain(record, args) || this.#encode(slot, args)
    } finally {
      if (!isWritten) this.putBack(slot)
    }
    return isWritten
  }

  /** Writes numbers and views of shared memory; the memory is named by its number. */
  #writePlain(record: number, args: readonly unknown[]): boolean {
    const { words } = this.#tasks
    const things = this.#things
    if (things.length > 0) things.length = 0
    const used = writePlain(words, record + TASK.DATA, INLINE_WORDS, args, things)
    const count = things.length
    if (used === 0 || used + count > INLINE_WORDS || (count > 0 && this.#reachable === 0)) return false
    const { known } = this.#sideChannel.channels
    for (let i = 0; i < count; i++) {
      write(words, record + TASK.DATA + used + i, known.numberOf(things[i] as object))
    }
    if (!readsWhileBlocked && count > 0) this.#sideChannel.lend(things) // a thief would ask in vain
    write(words, record + TASK.KIND, PLAIN_WORDS | (count << REFERENCES_SHIFT))
    write(words, record + TASK.LENGTH, used * 4)
    return true
  }

  #encode(slot: number, args: readonly unknown[]): boolean {
    const things = this.#reachable === 0 ? undefined : (this.#collector ?? [])
    this.#collector = undefined // a getter among the arguments may fork something itself
    const encoded = encodeArguments(args, things)
    const isWhole = things === undefined || things.length === 0
    if (isWhole) this.#collector = things
    if (isWhole && this.#tasks.fill(slot, encoded)) return true
    if (things !== undefined) {
      this.#outgoing.pack(slot, encoded, isWhole ? [] : things, [], args)
      // A thief would have to ask for what is posted, and this thread does not read the request while it joins.
      return readsWhileBlocked || !this.#tasks.isPosted(slot)
    }
    encoded.release()
    return false
  }

  /** Puts the slot back into the stock; no other thread has begun its task. */
  putBack(slot: number): void {
    const record = this.#tasks.recordOf(slot)
    const { words } = this.#tasks
    const kind = read(words, record + TASK.KIND)
    write(words, record + TASK.STATE, PRIVATE)
    if (this.#stores.size > 0) this.#dropStores(slot, record)
    if (!isPlain(kind)) {
      this.#outgoing.finish(slot)
      this.#tasks.renew(slot)
      write(words, record + TASK.KIND, NO_ARGUMENTS)
    }
    if (this.#hot === 0) this.#hot = slot
    else this.#stock.push(slot)
  }

  // ------------------------------------------------------------------ what others have run

  /** The outcome of the task; takes the slot back. Undefined if an attachment is still on its way. */
  receive(slot: number): Outcome | undefined {
    const state = this.#tasks.stateOf(slot)
    let outcome: Outcome
    if (state >= CANCELLED) {
      outcome = ["cancelled", undefined]
      this.#sideChannel.forget(this.#tasks.handleOf(slot))
    } else {
      try {
        const value = outcomeOf(slot, this.#tasks, this.#sideChannel, this.#outgoing)
        if (value === ON_ITS_WAY) return undefined
        outcome = [state === NORMAL ? "success" : "failed", value]
      } catch (error) {
        outcome = ["failed", error]
      }
    }
    this.#outgoing.finish(slot)
    this.#clear(slot)
    if (this.#stock.size < MOST_KEPT) {
      this.#tasks.renew(slot) // other threads know its old handle
      this.#stock.push(slot)
    } else this.#tasks.free(slot)
    return outcome
  }

  #clear(slot: number): void {
    const record = this.#tasks.recordOf(slot)
    const { words } = this.#tasks
    if (this.#stores.size > 0) this.#dropStores(slot, record)
    write(words, record + TASK.STATE, PRIVATE)
    write(words, record + TASK.KIND, NO_ARGUMENTS)
    write(words, record + TASK.COMPLETION_QUEUE, this.#completionQueue) // `shutdownNow` may have changed it
    write(words, record + FORK.THIEF, 0)
    write(words, record + FORK.WAITER, 0)
  }

  parentOf(slot: number): number {
    return read(this.#tasks.words, this.#tasks.recordOf(slot) + FORK.PARENT)
  }

  /** The thread is about to end. */
  end(): void {
    for (let slot = this.#stock.pop(); slot !== undefined; slot = this.#stock.pop()) this.#tasks.free(slot)
    if (this.#hot !== 0) this.#tasks.free(this.#hot)
    this.#hot = 0
  }
}

/** Whether the arguments are in the record alone: no block of the arena, no attachments. */
function isPlain(kind: number): boolean {
  return (kind & POSTED) === 0 && (kind & KIND_MASK) >= NO_ARGUMENTS && (kind & KIND_MASK) <= PLAIN_WORDS
}

// ------------------------------------------------------------------ thief and waiter of a task

/** The worker that has begun the task; 0 if none has, as far as is known. */
export function thiefOf(tasks: TaskRecords, slot: number): number {
  const record = tasks.recordOf(slot)
  return load(tasks.words, record + FORK.THIEF)
}

/** Notes that this worker has begun the task. Returns the worker that sleeps until then; 0 if none does. */
export function noteThief(tasks: TaskRecords, slot: number, worker: number): number {
  const record = tasks.recordOf(slot)
  store(tasks.words, record + FORK.THIEF, worker)
  return load(tasks.words, record + FORK.WAITER)
}

/**
 * Notes that this worker goes to sleep until a thief has begun the task; 0 when it is awake again. The caller must look
 * for a thief once more after this.
 */
export function noteWaiter(tasks: TaskRecords, slot: number, worker: number): void {
  const record = tasks.recordOf(slot)
  store(tasks.words, record + FORK.WAITER, worker)
}
