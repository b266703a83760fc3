import { load, write } from "#atomics"
import type { Flow } from "../flow/flow.ts"
import type { Addressee, ThreadContext } from "../thread/thread-context.ts"
import { NODE } from "../thread/thread-registry.ts"
import { type BlockedWake, type Parked, type ParkPlace, SIGNALLED } from "../flow/wait-list.ts"

/**
 * Whether other threads know an object. A wait in an object that is not shared keeps no process alive: no other thread
 * could end it.
 */
export interface Sharing {
  isShared: boolean
  /** The kind of the object, and the number by which all threads know it: see ../shared/kinds.ts. */
  readonly kind?: number
  readonly number?: number
}

/**
 * One wait of one flow of this thread in a shared object: the local half of a node in shared memory.
 *
 * It holds a permit, as `LockSupport` does for a thread: a signal that comes before the flow has parked is not lost,
 * and two count as one. A flow may be woken without a reason (a thread died; a node number was still on its way from an
 * earlier wait), so it always looks again at what it waits for.
 */
export class WaitNode implements ParkPlace, Addressee {
  readonly threadContext: ThreadContext
  readonly index: number
  /**
   * May change during a wait: a flow that was interrupted and must get its lock back waits on without regard to
   * anything.
   */
  interruptible: boolean
  limited = true
  readonly #flow: Flow
  readonly #sharing: Sharing
  #permit = false
  #parked: Parked | undefined

  constructor(
    threadContext: ThreadContext,
    flow: Flow,
    sharing: Sharing,
    interruptible: boolean,
    state: number,
    mode: number,
    priority = 0,
  ) {
    this.threadContext = threadContext
    this.interruptible = interruptible
    this.#flow = flow
    this.#sharing = sharing
    this.index = threadContext.nodes.take(flow.id | 0, state, mode, priority)
    this.#show(sharing.kind ?? 0)
    threadContext.register(this)
  }

  /** Lets other threads see what the flow waits for: for thread dumps. */
  #show(kind: number): void {
    if (kind === 0) return
    const words = this.threadContext.registry.reach(this.index)
    write(words, this.index + NODE.OBJECT, this.#sharing.number ?? 0)
    write(words, this.index + NODE.KIND, kind)
  }

  /** The wait of the flow, while it awaits. */
  get parked(): Parked | undefined {
    return this.#parked
  }

  get state(): number {
    return load(this.threadContext.registry.reach(this.index), this.index + NODE.STATE)
  }

  /** Whether this wait keeps the process alive. */
  get isVital(): boolean {
    return this.#parked !== undefined && this.#sharing.isShared && !this.#flow.idle
  }

  unpark(): void {
    if (this.#parked === undefined) this.#permit = true
    else this.#parked.wake(SIGNALLED)
  }

  takePermit(): boolean {
    const had = this.#permit
    this.#permit = false
    return had
  }

  append(parked: Parked): boolean {
    this.threadContext.expect(this, this.#sharing.isShared && !parked.flow.idle)
    if (this.takePermit()) return false
    this.#parked = parked
    return true
  }

  unlink(): void {
    this.#parked = undefined
    this.threadContext.relax(this)
  }

  block(flow: Flow, ms: number): BlockedWake {
    return this.threadContext.block(this, this.interruptible ? flow : undefined, ms)
  }

  /** Ends the wait. No list may hold the node any more, and no other thread may be about to take it out of one. */
  end(): void {
    if (this.#sharing.kind !== undefined)
      write(this.threadContext.registry.reach(this.index), this.index + NODE.KIND, 0)
    this.threadContext.unregister(this)
    this.threadContext.nodes.give(this.index)
  }
}
