import { compareAndSet, load, pause, read, store, write } from "#atomics"
import type { Flow } from "../flow/flow.ts"
import type { ThreadContext } from "../thread/thread-context.ts"
import { ENTERED, LEAVING } from "../thread/node-pool.ts"
import { NODE } from "../thread/thread-registry.ts"
import { EXCLUSIVE, QUEUE, SHARED, CombiningList, type Waiter } from "./combining-list.ts"
import { type Sharing, WaitNode } from "./wait-node.ts"

const DIRTY = 1

/**
 * The queue of the flows that wait for a synchronizer, shared by all threads: the highest priority first, and among
 * equals first come first served.
 *
 * It knows nothing of the resource that the flows wait for. A flow that cannot have the resource enters the queue. When
 * it is first, it tries, and tries again whenever it is woken. When it has acquired, or has given up, it leaves. A
 * thread that makes the resource available calls `wakeFirst()`.
 *
 * How it works
 *
 * The queue is a doubly linked list of nodes. One thread at a time, the *combiner*, changes it for all threads, under
 * the word GUARD (flat combining). Only `settle` and `waiters` wait for the guard. Any other caller that finds it taken
 * leaves a note (a node in the inbox, a state in its own node, a flag), marks the guard DIRTY, and goes on; the
 * combiner does not let go of the guard while it is dirty. So every change of the list is made by one thread in plain
 * sequence, while entering and waking remain lock-free.
 *
 *     note                         when the combiner reads it
 *     INBOX    nodes that enter    drained at every pass, oldest first
 *     STATE    the node leaves     at the head: at every pass; elsewhere: if SCAN is set, or the leaver combines
 *     WAKE     wake the first      at every pass, before all else
 *
 * The combiner wakes the first node in three cases: a thread called `wakeFirst`; the node became first because the node
 * before it gave up (that node may have been woken, and passes the wake-up on) or acquired in SHARED mode, which is
 * also its own; or the node came in as the first without its own flow seeing that. It does not wake the first node
 * if the one before acquired exclusively: then the resource is not available.
 *
 * No wake-up is lost: `wakeFirst` looks at HEAD after the resource was made available. If it finds the queue empty,
 * then any flow that becomes first does so later, and tries once more after that. This also holds for a flow that comes
 * in before the first one, by its priority: the flow behind it, if it was just woken, finds that it is not first and
 * sleeps on. If that flow was already trying, both try, and the resource decides.
 *
 * Death. A combiner may die at any step. GUARD names it, so the next combiner sees that it is dead and takes the guard
 * over. The forward links from HEAD on are the truth, each set by a single store that completes the change; the rest is
 * made anew from them. TAKEN holds the nodes drained from the inbox until all of them are linked. Nodes of dead threads
 * are swept out at the first pass after a death; the death wakes all waiting flows, so there is such a pass.
 */
export class WaitQueue {
  readonly #threadContext: ThreadContext
  readonly #words: Int32Array
  readonly #base: number
  readonly #list: CombiningList
  readonly #sharing: Sharing
  readonly #mine: number

  /** Occupies `QUEUE.SIZE` words from `base` on. */
  constructor(threadContext: ThreadContext, words: Int32Array, base: number, sharing: Sharing) {
    this.#threadContext = threadContext
    this.#words = words
    this.#base = base
    this.#list = new CombiningList(threadContext.registry, words, base)
    this.#sharing = sharing
    this.#mine = threadContext.token << 1
  }

  /** Whether no flow is in the queue. */
  get isEmpty(): boolean {
    this.#forgetDead()
    // In the order in which nodes pass them: a node that waits all the while is seen in one of the three.
    if (load(this.#words, this.#base + QUEUE.INBOX) !== 0 || load(this.#words, this.#base + QUEUE.TAKEN) !== 0)
      return false
    return load(this.#words, this.#base + QUEUE.HEAD) === 0
  }

  /** How many flows are in it; exact when nothing changes. */
  get length(): number {
    this.#forgetDead()
    return load(this.#words, this.#base + QUEUE.LENGTH)
  }

  /** Begins a new wait, behind all of the same priority and of a higher one. */
  enter(flow: Flow, mode: number, interruptible: boolean, priority = 0): WaitNode {
    const node = new WaitNode(this.#threadContext, flow, this.#sharing, interruptible, ENTERED, mode, priority)
    this.offer(node.index)
    this.#tend(node.index, 0)
    return node
  }

  /**
   * Puts a node into the inbox: a node that enters, or one from the list of a condition, whose flow may have given up
   * before the combiner reads it. Call {@link tend} afterwards.
   */
  offer(node: number): void {
    const words = this.#threadContext.registry.reach(node)
    let top: number
    do {
      top = load(this.#words, this.#base + QUEUE.INBOX)
      write(words, node + NODE.INBOX_NEXT, top)
    } while (!compareAndSet(this.#words, this.#base + QUEUE.INBOX, top, node))
  }

  /** Whether it is this node's turn to try. */
  isFirst(node: WaitNode): boolean {
    return load(this.#words, this.#base + QUEUE.HEAD) === node.index
  }

  /** Whether another flow is before this one in the queue, or would be. False if this flow is first itself. */
  hasPredecessorOf(flow: Flow): boolean {
    const head = load(this.#words, this.#base + QUEUE.HEAD)
    if (head === 0) return load(this.#words, this.#base + QUEUE.INBOX) !== 0
    if (this.#forgetDead()) return this.hasPredecessorOf(flow)
    const words = this.#threadContext.registry.reach(head)
    return (
      load(words, head + NODE.THREAD) !== this.#threadContext.token || load(words, head + NODE.FLOW) !== (flow.id | 0)
    )
  }

  /** The mode of the first node; undefined if the queue is empty. */
  get firstMode(): number | undefined {
    if (load(this.#words, this.#base + QUEUE.HEAD) === 0) return undefined
    this.#forgetDead()
    const head = load(this.#words, this.#base + QUEUE.HEAD)
    return head === 0 ? undefined : load(this.#threadContext.registry.reach(head), head + NODE.MODE)
  }

  /** Ends a wait: with ACQUIRED, ACQUIRED_SHARED or CANCELLED. */
  leave(node: WaitNode, how: number): void {
    store(this.#threadContext.registry.words, node.index + NODE.STATE, how)
    this.#tend(0, node.index)
    node.end()
  }

  /** The resource may be available. Call it after making it so, and last of all. */
  wakeFirst(): void {
    if (load(this.#words, this.#base + QUEUE.HEAD) === 0) return
    store(this.#words, this.#base + QUEUE.WAKE, 1)
    this.#tend(0, 0)
  }

  /**
   * As {@link wakeFirst}, but not if the first flow has been woken and does not know it yet: it will look after this
   * call. For a thread that makes many resources available, where each flow that takes one wakes the next flow.
   */
  wakeFirstOnce(): void {
    const head = load(this.#words, this.#base + QUEUE.HEAD)
    if (head === 0 || load(this.#threadContext.registry.reach(head), head + NODE.MAILED) !== 0) return
    store(this.#words, this.#base + QUEUE.WAKE, 1)
    this.#tend(0, 0)
  }

  /**
   * Makes a pass, or leaves a note for the combiner. To be called after {@link offer}, and by a waiting flow after a
   * death. The node `entering` is not woken if it becomes first by this pass: the caller wakes it by `wakeFirst`.
   */
  tend(entering = 0): void {
    this.#tend(entering, 0)
  }

  /** Makes a pass for certain: when this returns, no node is in the inbox that was there before. */
  settle(): void {
    this.#holdGuard()
    this.#finish()
  }

  /** The flows in the queue, the first one first. */
  waiters(): Waiter[] {
    this.#holdGuard()
    const found = this.#list.waiters()
    this.#finish()
    return found
  }

  /** Sweeps out the nodes of dead threads, if there were deaths since the last sweep; true if there were. */
  #forgetDead(): boolean {
    if (this.#threadContext.registry.deaths === read(this.#words, this.#base + QUEUE.DEATHS_SEEN)) return false
    this.settle()
    return true
  }

  // ------------------------------------------------------------------ the guard

  /** Makes a pass as the combiner, or marks the guard so that the combiner makes one. */
  #tend(entering: number, leaving: number): void {
    const isFree = compareAndSet(this.#words, this.#base + QUEUE.GUARD, 0, this.#mine)
    const dead = isFree ? false : this.#takeGuard(leaving)
    if (dead === undefined) return
    this.#pass(entering, leaving, dead)
    this.#finish()
  }

  /**
   * Takes the guard, and says whether from a dead thread; undefined if another thread has it, after marking it DIRTY.
   */
  #takeGuard(leaving = 0): boolean | undefined {
    for (;;) {
      const guard = load(this.#words, this.#base + QUEUE.GUARD)
      if (guard === 0) {
        if (compareAndSet(this.#words, this.#base + QUEUE.GUARD, 0, this.#mine)) return false
      } else if (!this.#threadContext.registry.isAlive(guard >> 1)) {
        if (compareAndSet(this.#words, this.#base + QUEUE.GUARD, guard, this.#mine)) return true
      } else {
        // The combiner finds a node that leaves from the middle only by walking through all nodes.
        if (leaving !== 0 && load(this.#words, this.#base + QUEUE.HEAD) !== leaving)
          store(this.#words, this.#base + QUEUE.SCAN, 1)
        if ((guard & DIRTY) !== 0 && load(this.#words, this.#base + QUEUE.GUARD) === guard) return undefined
        if ((guard & DIRTY) === 0 && compareAndSet(this.#words, this.#base + QUEUE.GUARD, guard, guard | DIRTY))
          return undefined
      }
    }
  }

  /**
   * Waits for the guard, as no other method does: a few hundred steps of another thread at most. Not for anything
   * frequent.
   */
  #holdGuard(): void {
    let dead = this.#takeGuard()
    for (; dead === undefined; dead = this.#takeGuard()) pause()
    this.#pass(0, 0, dead)
  }

  /**
   * One pass: handles all notes that there are now. `entering` and `leaving` are nodes of the caller's, or 0;
   * `afterDeath` says that the last combiner died during a pass.
   */
  #pass(entering: number, leaving: number, afterDeath: boolean): void {
    const list = this.#list
    const words = this.#words
    const base = this.#base
    const { registry } = this.#threadContext
    // Before all else: a thread that sets WAKE has changed its node before, if it has one in this list.
    if (load(words, base + QUEUE.WAKE) !== 0) {
      store(words, base + QUEUE.WAKE, 0)
      list.wakesFirst = true
    }
    const { deaths } = registry
    if (afterDeath) list.restore()
    if (load(words, base + QUEUE.INBOX) !== 0) list.drain(entering)
    if (leaving !== 0) list.removeIfLinked(leaving)
    for (;;) {
      const head = read(words, base + QUEUE.HEAD)
      if (head === 0 || load(registry.reach(head), head + NODE.STATE) < LEAVING) break
      list.remove(head)
    }
    if (deaths !== read(words, base + QUEUE.DEATHS_SEEN)) list.sweep(deaths)
    if (load(words, base + QUEUE.SCAN) !== 0) list.scan()
  }

  /**
   * Makes passes until there are no new notes, lets go of the guard, then wakes the node that is to be woken, if any.
   */
  #finish(): void {
    const list = this.#list
    let first: number
    let thread: number
    for (;;) {
      first = list.wakesFirst ? read(this.#words, this.#base + QUEUE.HEAD) : 0
      thread = first === 0 ? 0 : read(this.#threadContext.registry.reach(first), first + NODE.THREAD)
      if (compareAndSet(this.#words, this.#base + QUEUE.GUARD, this.#mine, 0)) break
      store(this.#words, this.#base + QUEUE.GUARD, this.#mine)
      this.#pass(0, 0, false)
    }
    list.wakesFirst = false
    if (first !== 0) this.#threadContext.wake(thread, first)
  }
}

export { EXCLUSIVE, QUEUE, SHARED, type Waiter }
