import { load, pause, read, store, write } from "#atomics"
import type { Flow } from "../flow/flow.ts"
import type { ThreadContext } from "../thread/thread-context.ts"
import { ENTERED } from "../thread/node-pool.ts"
import { MemoryRecord } from "../record.ts"
import { NODE } from "../thread/thread-registry.ts"
import { EXCLUSIVE, QUEUE, SHARED, CombiningList, type Waiter } from "./combining-list.ts"
import { type Sharing, WaitNode } from "./wait-node.ts"

const DIRTY = 1

/**
 * The queue of those who wait for a synchronizer, first come first served, shared by all threads.
 *
 * It knows nothing of what is waited for. A flow that cannot have it enters the queue; when it stands first, it tries,
 * and tries again whenever it is woken; when it has got it, or has given up, it leaves. Whoever makes it available
 * calls `wakeFirst()`.
 *
 * How it works
 *
 * The queue is a doubly linked list of nodes, and one thread at a time, the *tender*, changes it, under the word GUARD.
 * Nobody ever waits for the guard. Who finds it taken leaves a note (a node in the inbox, a state in its own node, a
 * flag), marks the guard DIRTY, and goes on; the tender does not let go of the guard while it is dirty. So every change
 * of the list is made by one thread in plain sequence, while entering and waking remain lock-free.
 *
 *     note                         who reads it
 *     INBOX    nodes that enter    drained at every pass, oldest first
 *     STATE    the node leaves     at the head: at every pass; elsewhere: if SCAN is set, or by the leaver as tender
 *     WAKE     wake the first      at every pass, before all else
 *
 * Who is woken: the first node, when somebody said `wakeFirst`; when it became first because the one before gave up
 * (that one may have been woken, and passes it on) or was shared as it is itself; when it came into an empty queue and
 * its flow did not see that itself. It is not woken when the one before acquired for itself: then it is not available.
 *
 * No wake-up is lost: `wakeFirst` looks at HEAD after making the thing available. If it finds the queue empty, then
 * whoever comes to stand first does so later, and tries once more after that.
 *
 * Death. A tender may die at any step. GUARD names it, so the next one sees that it is dead and takes the guard over:
 * the links forward are the truth, from HEAD on, each set by a single store that completes the change; the rest is made
 * anew from them. TAKEN holds the nodes drained from the inbox until all of them are linked. Nodes of dead threads are
 * swept out at the first pass after a death; the death wakes all who wait, so there is one.
 */
export class WaitQueue {
  readonly #threadContext: ThreadContext
  readonly #record: MemoryRecord
  readonly #list: CombiningList
  readonly #sharing: Sharing
  readonly #mine: number

  /** Occupies `QUEUE.SIZE` words from `base` on. */
  constructor(threadContext: ThreadContext, words: Int32Array, base: number, sharing: Sharing) {
    this.#threadContext = threadContext
    this.#record = new MemoryRecord(words, base)
    this.#list = new CombiningList(threadContext.registry, this.#record)
    this.#sharing = sharing
    this.#mine = threadContext.token << 1
  }

  /** Whether nobody stands in it. */
  get isEmpty(): boolean {
    this.#forgetDead()
    // In the order in which nodes go through them: one that waits all the while is seen in one of the three.
    if (this.#record.load(QUEUE.INBOX) !== 0 || this.#record.load(QUEUE.TAKEN) !== 0) return false
    return this.#record.load(QUEUE.HEAD) === 0
  }

  /** How many do; exact when nothing moves. */
  get length(): number {
    this.#forgetDead()
    return this.#record.load(QUEUE.LENGTH)
  }

  /** A new wait, at the end of the queue. */
  enter(flow: Flow, mode: number, interruptible: boolean): WaitNode {
    const node = new WaitNode(this.#threadContext, flow, this.#sharing, interruptible, ENTERED, mode)
    this.offer(node.index)
    this.#tend(node.index, 0)
    return node
  }

  /**
   * Puts a node into the inbox: one that entered, or one from the list of a condition, which may have given up by the
   * time it is read. Call {@link tend} afterwards.
   */
  offer(node: number): void {
    const words = this.#threadContext.registry.reach(node)
    let top: number
    do {
      top = this.#record.load(QUEUE.INBOX)
      write(words, node + NODE.INBOX_NEXT, top)
    } while (!this.#record.compareAndSet(QUEUE.INBOX, top, node))
  }

  /** Whether it is this one's turn to try. */
  isFirst(node: WaitNode): boolean {
    return this.#record.load(QUEUE.HEAD) === node.index
  }

  /** Whether the flow would have to stand behind somebody. False if it stands first itself. */
  hasPredecessorOf(flow: Flow): boolean {
    const head = this.#record.load(QUEUE.HEAD)
    if (head === 0) return this.#record.load(QUEUE.INBOX) !== 0
    if (this.#forgetDead()) return this.hasPredecessorOf(flow)
    const words = this.#threadContext.registry.reach(head)
    return (
      load(words, head + NODE.THREAD) !== this.#threadContext.token || load(words, head + NODE.FLOW) !== (flow.id | 0)
    )
  }

  /** How the one that stands first waits; undefined if nobody does. */
  get firstMode(): number | undefined {
    if (this.#record.load(QUEUE.HEAD) === 0) return undefined
    this.#forgetDead()
    const head = this.#record.load(QUEUE.HEAD)
    return head === 0 ? undefined : load(this.#threadContext.registry.reach(head), head + NODE.MODE)
  }

  /** Ends a wait: with ACQUIRED, ACQUIRED_SHARED or CANCELLED. */
  leave(node: WaitNode, how: number): void {
    store(this.#threadContext.registry.words, node.index + NODE.STATE, how)
    this.#tend(0, node.index)
    node.end()
  }

  /**
   * Whether the one that stands first has been woken and does not know it yet, so will look after this. For who would
   * otherwise say `wakeFirst` for each of many things, if who takes one of them sees to it that the next is woken.
   */
  get isFirstCalled(): boolean {
    const head = this.#record.load(QUEUE.HEAD)
    return head !== 0 && load(this.#threadContext.registry.reach(head), head + NODE.MAILED) !== 0
  }

  /** What is waited for may be available. Call it after making it so, and last of all. */
  wakeFirst(): void {
    if (this.#record.load(QUEUE.HEAD) === 0) return
    this.#record.store(QUEUE.WAKE, 1)
    this.#tend(0, 0)
  }

  /**
   * Does what is left to do; to be called after {@link offer}, and by who waits after a death. One node, which the
   * caller is going to wake itself when it says `wakeFirst`, is not woken if it comes to stand first by this.
   */
  tend(entering = 0): void {
    this.#tend(entering, 0)
  }

  /**
   * Does what is left to do, for certain: when this returns, whatever was in the inbox before is not there any more.
   */
  settle(): void {
    this.#holdGuard()
    this.#finish()
  }

  /** Those who stand in the queue, first in line first. */
  waiters(): Waiter[] {
    this.#holdGuard()
    const found = this.#list.waiters()
    this.#finish()
    return found
  }

  /** Those who died in here do not count, though perhaps nobody has taken them out yet; true if that was so. */
  #forgetDead(): boolean {
    if (this.#threadContext.registry.deaths === this.#record.read(QUEUE.DEATHS_SEEN)) return false
    this.settle()
    return true
  }

  // ------------------------------------------------------------------ the guard

  /** Tends the queue, or leaves a note that it needs tending. */
  #tend(entering: number, leaving: number): void {
    const dead = this.#takeGuard(leaving)
    if (dead === undefined) return
    this.#list.pass(entering, leaving, dead)
    this.#finish()
  }

  /** Takes the guard, and says whether from a dead thread; undefined if somebody else has it, who has been told. */
  #takeGuard(leaving = 0): boolean | undefined {
    for (;;) {
      const guard = this.#record.load(QUEUE.GUARD)
      if (guard === 0) {
        if (this.#record.compareAndSet(QUEUE.GUARD, 0, this.#mine)) return false
      } else if (!this.#threadContext.registry.isAlive(guard >> 1)) {
        if (this.#record.compareAndSet(QUEUE.GUARD, guard, this.#mine)) return true
      } else {
        // The tender finds one that leaves from the middle only by walking through all.
        if (leaving !== 0 && this.#record.load(QUEUE.HEAD) !== leaving) this.#record.store(QUEUE.SCAN, 1)
        if ((guard & DIRTY) !== 0 && this.#record.load(QUEUE.GUARD) === guard) return undefined
        if ((guard & DIRTY) === 0 && this.#record.compareAndSet(QUEUE.GUARD, guard, guard | DIRTY)) return undefined
      }
    }
  }

  /**
   * The only one that waits for the guard, a few hundred steps of another thread at most; not for anything frequent.
   */
  #holdGuard(): void {
    let dead = this.#takeGuard()
    for (; dead === undefined; dead = this.#takeGuard()) pause()
    this.#list.pass(0, 0, dead)
  }

  /** Lets go of the guard, unless there are new notes; then wakes who is to be woken, if anybody. */
  #finish(): void {
    let first: number
    let thread: number
    for (;;) {
      first = this.#list.toWake
      thread = first === 0 ? 0 : read(this.#threadContext.registry.reach(first), first + NODE.THREAD)
      if (this.#record.compareAndSet(QUEUE.GUARD, this.#mine, 0)) break
      this.#record.store(QUEUE.GUARD, this.#mine)
      this.#list.pass(0, 0, false)
    }
    this.#list.woken()
    if (first !== 0) this.#threadContext.wake(thread, first)
  }
}

export { EXCLUSIVE, QUEUE, SHARED, type Waiter }
