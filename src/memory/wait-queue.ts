/**
 * The queue of those who wait for a synchronizer, first come first served, shared by all threads.
 *
 * It knows nothing of what is waited for. A flow that cannot have it enters the queue; when it stands first, it tries,
 * and tries again whenever it is woken; when it has got it, or has given up, it leaves. Whoever makes it available calls
 * `wakeFirst()`.
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
 * Who is woken: the first node, when somebody said `wakeFirst`; when it became first because the one before gave up (that
 * one may have been woken, and passes it on) or was shared as it is itself; when it came into an empty queue and its flow
 * did not see that itself. It is not woken when the one before acquired for itself: then it is not available.
 *
 * No wake-up is lost: `wakeFirst` looks at HEAD after making the thing available. If it finds the queue empty, then
 * whoever comes to stand first does so later, and tries once more after that.
 *
 * Death. A tender may die at any step. GUARD names it, so the next one sees that it is dead and takes the guard over: the
 * links forward are the truth, from HEAD on, each set by a single store that completes the change; the rest is made
 * anew from them. TAKEN holds the nodes drained from the inbox until all of them are linked. Nodes of dead threads are swept
 * out at the first pass after a death; the death wakes all who wait, so there is one.
 */
import { compareAndSet, load, pause, read, store, write } from "#atomics"
import type { Flow } from "./flow.ts"
import type { Here } from "./here.ts"
import { ACQUIRED, ACQUIRED_SHARED, ENTERED, FREE, LEAVING, WAITING } from "./node-pool.ts"
import { NODE } from "./space.ts"
import { type Sharing, WaitNode } from "./wait-node.ts"

export const QUEUE = {
  GUARD: 0,
  INBOX: 1,
  TAKEN: 2,
  HEAD: 3,
  TAIL: 4,
  LENGTH: 5,
  WAKE: 6,
  SCAN: 7,
  DEATHS_SEEN: 8,
  SIZE: 9,
} as const

/** Values of a node's MODE. */
export const EXCLUSIVE = 0
export const SHARED = 1

const DIRTY = 1

/** Somebody who stands in the queue. */
export interface Waiter {
  readonly thread: number
  readonly flow: number
  readonly mode: number
}

export class WaitQueue {
  readonly #here: Here
  readonly #words: Int32Array
  readonly #base: number
  readonly #sharing: Sharing
  readonly #mine: number
  #wanted = false
  readonly #dropped: number[] = []

  /** Occupies `QUEUE.SIZE` words from `base` on. */
  constructor(here: Here, words: Int32Array, base: number, sharing: Sharing) {
    this.#here = here
    this.#words = words
    this.#base = base
    this.#sharing = sharing
    this.#mine = here.token << 1
  }

  /** Whether nobody stands in it. */
  get isEmpty(): boolean {
    return this.#load(QUEUE.HEAD) === 0 && this.#load(QUEUE.INBOX) === 0
  }

  /** How many do; exact when nothing moves. */
  get length(): number {
    return this.#load(QUEUE.LENGTH)
  }

  /** A new wait, at the end of the queue. */
  enter(flow: Flow, mode: number, interruptible: boolean): WaitNode {
    const node = new WaitNode(this.#here, flow, this.#sharing, interruptible, ENTERED, mode)
    this.offer(node.index)
    this.#tend(node.index, 0)
    return node
  }

  /**
   * Puts a node into the inbox: one that entered, or one from the list of a condition, which may have given up by the time
   * it is read. Call {@link tend} afterwards.
   */
  offer(node: number): void {
    const words = this.#here.space.reach(node)
    let top: number
    do {
      top = this.#load(QUEUE.INBOX)
      write(words, node + NODE.INBOX_NEXT, top)
    } while (!this.#compareAndSet(QUEUE.INBOX, top, node))
  }

  /** Whether it is this one's turn to try. */
  isFirst(node: WaitNode): boolean {
    return this.#load(QUEUE.HEAD) === node.index
  }

  /** Whether the flow would have to stand behind somebody. False if it stands first itself. */
  hasPredecessorOf(flow: Flow): boolean {
    const head = this.#load(QUEUE.HEAD)
    if (head === 0) return this.#load(QUEUE.INBOX) !== 0
    const words = this.#here.space.reach(head)
    return load(words, head + NODE.THREAD) !== this.#here.token || load(words, head + NODE.FLOW) !== (flow.id | 0)
  }

  /** Ends a wait: with ACQUIRED, ACQUIRED_SHARED or CANCELLED. */
  leave(node: WaitNode, how: number): void {
    store(this.#here.space.words, node.index + NODE.STATE, how)
    this.#tend(0, node.index)
    node.end()
  }

  /** What is waited for may be available. Call it after making it so, and last of all. */
  wakeFirst(): void {
    if (this.#load(QUEUE.HEAD) === 0) return
    this.#store(QUEUE.WAKE, 1)
    this.#tend(0, 0)
  }

  /** Does what is left to do; to be called after {@link offer}, and by who waits after a death. */
  tend(): void {
    this.#tend(0, 0)
  }

  /** Does what is left to do, for certain: when this returns, whatever was in the inbox before is not there any more. */
  settle(): void {
    this.#holdGuard()
    this.#finish()
  }

  /** Those who stand in the queue, first in line first. */
  waiters(): Waiter[] {
    this.#holdGuard()
    const found: Waiter[] = []
    try {
      for (let node = this.#read(QUEUE.HEAD); node !== 0;) {
        const words = this.#here.space.reach(node)
        const [thread, flow, mode] = [NODE.THREAD, NODE.FLOW, NODE.MODE].map((word) => read(words, node + word))
        found.push({ thread: thread ?? 0, flow: flow ?? 0, mode: mode ?? 0 })
        node = read(words, node + NODE.NEXT)
      }
    } finally {
      this.#finish()
    }
    return found
  }

  // ------------------------------------------------------------------ the guard

  /** Tends the queue, or leaves a note that it needs tending. */
  #tend(entering: number, leaving: number): void {
    const dead = this.#takeGuard(leaving)
    if (dead === undefined) return
    this.#pass(entering, leaving, dead)
    this.#finish()
  }

  /** Takes the guard, and says whether from a dead thread; undefined if somebody else has it, who has been told. */
  #takeGuard(leaving = 0): boolean | undefined {
    for (;;) {
      const guard = this.#load(QUEUE.GUARD)
      if (guard === 0) {
        if (this.#compareAndSet(QUEUE.GUARD, 0, this.#mine)) return false
      } else if (!this.#here.space.isAlive(guard >> 1)) {
        if (this.#compareAndSet(QUEUE.GUARD, guard, this.#mine)) return true
      } else {
        // The tender finds one that leaves from the middle only by walking through all.
        if (leaving !== 0 && this.#load(QUEUE.HEAD) !== leaving) this.#store(QUEUE.SCAN, 1)
        if ((guard & DIRTY) !== 0 && this.#load(QUEUE.GUARD) === guard) return undefined
        if ((guard & DIRTY) === 0 && this.#compareAndSet(QUEUE.GUARD, guard, guard | DIRTY)) return undefined
      }
    }
  }

  /** The only one that waits for the guard, a few hundred steps of another thread at most; not for anything frequent. */
  #holdGuard(): void {
    let dead = this.#takeGuard()
    for (; dead === undefined; dead = this.#takeGuard()) pause()
    this.#pass(0, 0, dead)
  }

  /** Lets go of the guard, unless there are new notes; then wakes who is to be woken, if anybody. */
  #finish(): void {
    let first: number
    let thread: number
    for (;;) {
      first = this.#wanted ? this.#read(QUEUE.HEAD) : 0
      thread = first === 0 ? 0 : read(this.#here.space.reach(first), first + NODE.THREAD)
      if (this.#compareAndSet(QUEUE.GUARD, this.#mine, 0)) break
      this.#store(QUEUE.GUARD, this.#mine)
      this.#pass(0, 0, false)
    }
    this.#wanted = false
    if (first !== 0) this.#here.wake(thread, first)
  }

  // ------------------------------------------------------------------ what the tender does

  #pass(entering: number, leaving: number, afterDeath: boolean): void {
    // Before all else: whoever sets it has changed its node, if it has one in here, before.
    if (this.#load(QUEUE.WAKE) !== 0) {
      this.#store(QUEUE.WAKE, 0)
      this.#wanted = true
    }
    const { deaths } = this.#here.space
    if (afterDeath) this.#restore()
    this.#drain(entering)
    if (leaving !== 0 && this.#isLinked(leaving)) this.#remove(leaving)
    this.#removeFirstLeavers()
    if (deaths !== this.#read(QUEUE.DEATHS_SEEN)) this.#sweep(deaths)
    if (this.#load(QUEUE.SCAN) !== 0) this.#scan()
  }

  #drain(entering: number): void {
    for (;;) {
      const top = this.#load(QUEUE.INBOX)
      if (top === 0) return
      this.#write(QUEUE.TAKEN, top)
      if (this.#compareAndSet(QUEUE.INBOX, top, 0)) this.#linkTaken(top, entering)
    }
  }

  /** Links the nodes of a drained inbox, the one at the bottom first. */
  #linkTaken(top: number, entering: number): void {
    const batch: number[] = []
    for (let node = top; node !== 0;) {
      batch.push(node)
      node = read(this.#here.space.reach(node), node + NODE.INBOX_NEXT)
    }
    for (const node of batch.reverse()) if (!this.#isLinked(node)) this.#link(node, entering)
    this.#write(QUEUE.TAKEN, 0)
    // Not before: its owner may use it again at once, and the chain of the batch runs through it.
    for (const node of this.#dropped.splice(0)) store(this.#here.space.reach(node), node + NODE.STATE, FREE)
  }

  #link(node: number, entering: number): void {
    const words = this.#here.space.reach(node)
    const state = load(words, node + NODE.STATE)
    // From a condition it enters only if it has not given up in the meantime.
    if (state !== ENTERED && !compareAndSet(words, node + NODE.STATE, WAITING, ENTERED)) {
      this.#dropped.push(node)
      return
    }
    const tail = this.#read(QUEUE.TAIL)
    write(words, node + NODE.NEXT, 0)
    write(words, node + NODE.PREV, tail)
    if (tail === 0) this.#store(QUEUE.HEAD, node)
    else write(words, tail + NODE.NEXT, node)
    this.#write(QUEUE.TAIL, node)
    write(words, node + NODE.LINKED, 1)
    this.#write(QUEUE.LENGTH, this.#read(QUEUE.LENGTH) + 1)
    if (tail === 0 && node !== entering) this.#wanted = true
  }

  #removeFirstLeavers(): void {
    for (let node = this.#read(QUEUE.HEAD); node !== 0; node = this.#read(QUEUE.HEAD)) {
      if (load(this.#here.space.reach(node), node + NODE.STATE) < LEAVING) return
      this.#remove(node)
    }
  }

  #remove(node: number): void {
    const words = this.#here.space.reach(node)
    const how = load(words, node + NODE.STATE)
    const wasFirst = this.#read(QUEUE.HEAD) === node
    this.#unlink(node)
    if (!wasFirst) return
    const first = this.#read(QUEUE.HEAD)
    if (first === 0) return
    if (how === ACQUIRED_SHARED) {
      if (read(this.#here.space.reach(first), first + NODE.MODE) === SHARED) this.#wanted = true
    } else if (how !== ACQUIRED) this.#wanted = true
  }

  #unlink(node: number): void {
    const words = this.#here.space.reach(node)
    const next = read(words, node + NODE.NEXT)
    const prev = read(words, node + NODE.PREV)
    if (prev === 0) this.#store(QUEUE.HEAD, next)
    else write(words, prev + NODE.NEXT, next)
    if (next === 0) this.#write(QUEUE.TAIL, prev)
    else write(words, next + NODE.PREV, prev)
    write(words, node + NODE.LINKED, 0)
    this.#write(QUEUE.LENGTH, this.#read(QUEUE.LENGTH) - 1)
    store(words, node + NODE.STATE, FREE)
  }

  #scan(): void {
    this.#store(QUEUE.SCAN, 0)
    this.#removeIf((words, node) => load(words, node + NODE.STATE) >= LEAVING)
  }

  #sweep(deaths: number): void {
    this.#removeIf((words, node) => !this.#here.space.isAlive(read(words, node + NODE.THREAD)))
    this.#write(QUEUE.DEATHS_SEEN, deaths)
    this.#wanted = true // the dead one may have been the one that was woken
  }

  #removeIf(condition: (words: Int32Array, node: number) => boolean): void {
    for (let node = this.#read(QUEUE.HEAD); node !== 0;) {
      const words = this.#here.space.reach(node)
      const next = read(words, node + NODE.NEXT)
      if (condition(words, node)) this.#remove(node)
      node = next
    }
  }

  /** Makes everything else from the links forward, after a tender died somewhere in between. */
  #restore(): void {
    let last = 0
    let length = 0
    for (let node = this.#read(QUEUE.HEAD); node !== 0;) {
      const words = this.#here.space.reach(node)
      write(words, node + NODE.PREV, last)
      write(words, node + NODE.LINKED, 1)
      last = node
      length++
      node = read(words, node + NODE.NEXT)
    }
    this.#write(QUEUE.TAIL, last)
    this.#write(QUEUE.LENGTH, length)
    this.#wanted = true
    const taken = this.#read(QUEUE.TAKEN)
    if (taken === 0) return
    if (this.#isInInbox(taken)) this.#write(QUEUE.TAKEN, 0)
    else this.#linkTaken(taken, 0)
  }

  /** Then the dead tender had noted what it was about to take, but had not taken it. */
  #isInInbox(sought: number): boolean {
    for (let node = this.#load(QUEUE.INBOX); node !== 0;) {
      if (node === sought) return true
      node = read(this.#here.space.reach(node), node + NODE.INBOX_NEXT)
    }
    return false
  }

  #isLinked(node: number): boolean {
    return read(this.#here.space.reach(node), node + NODE.LINKED) !== 0
  }

  // ------------------------------------------------------------------ words

  #load(word: number): number {
    return load(this.#words, this.#base + word)
  }

  #store(word: number, value: number): void {
    store(this.#words, this.#base + word, value)
  }

  #read(word: number): number {
    return read(this.#words, this.#base + word)
  }

  #write(word: number, value: number): void {
    write(this.#words, this.#base + word, value)
  }

  #compareAndSet(word: number, expected: number, value: number): boolean {
    return compareAndSet(this.#words, this.#base + word, expected, value)
  }
}
