import { compareAndSet, load, read, store, write } from "#atomics"
import { pop, push, splice } from "../../primordials.ts"
import { ACQUIRED, ACQUIRED_SHARED, ENTERED, FREE, LEAVING, WAITING } from "../thread/node-pool.ts"
import { NODE, type ThreadRegistry } from "../thread/thread-registry.ts"

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

/** A flow that is in the queue. */
export interface Waiter {
  readonly thread: number
  readonly flow: number
  readonly mode: number
}

/**
 * The list of a wait queue, and what its combiner does to it. Only the combiner, the thread that has the guard, calls
 * these methods: see wait-queue.ts, which also explains the whole.
 */
export class CombiningList {
  readonly #registry: ThreadRegistry
  readonly #words: Int32Array
  readonly #base: number
  /** Whether the first node is to be woken. */
  wakesFirst = false
  readonly #dropped: number[] = []

  constructor(registry: ThreadRegistry, words: Int32Array, base: number) {
    this.#registry = registry
    this.#words = words
    this.#base = base
  }

  /** Links the nodes in the inbox. The node `entering` is not woken if it becomes first. */
  drain(entering: number): void {
    for (;;) {
      const top = load(this.#words, this.#base + QUEUE.INBOX)
      if (top === 0) return
      write(this.#words, this.#base + QUEUE.TAKEN, top)
      if (compareAndSet(this.#words, this.#base + QUEUE.INBOX, top, 0)) this.#linkTaken(top, entering)
    }
  }

  /** Links the nodes of a drained inbox, the node at the bottom first. */
  #linkTaken(top: number, entering: number): void {
    const batch: number[] = []
    for (let node = top; node !== 0;) {
      push(batch, node)
      node = read(this.#registry.reach(node), node + NODE.INBOX_NEXT)
    }
    for (let node = pop(batch); node !== undefined; node = pop(batch)) {
      if (!this.#isLinked(node)) this.#link(node, entering)
    }
    store(this.#words, this.#base + QUEUE.TAKEN, 0) // not a plain write: other threads have to see HEAD set before
    // Not earlier: the owner of a dropped node may use it again at once, and the chain of the batch runs through it.
    for (const node of splice(this.#dropped, 0)) store(this.#registry.reach(node), node + NODE.STATE, FREE)
  }

  #link(node: number, entering: number): void {
    const words = this.#registry.reach(node)
    if (load(words, node + NODE.STATE) !== ENTERED && !this.#admit(words, node)) {
      push(this.#dropped, node)
      return
    }
    const prev = this.#lastBefore(read(words, node + NODE.PRIORITY))
    const next = this.#next(prev)
    write(words, node + NODE.NEXT, next)
    write(words, node + NODE.PREV, prev)
    this.#setNext(prev, node)
    if (next === 0) write(this.#words, this.#base + QUEUE.TAIL, node)
    else write(this.#registry.reach(next), next + NODE.PREV, node)
    write(words, node + NODE.LINKED, 1)
    write(this.#words, this.#base + QUEUE.LENGTH, read(this.#words, this.#base + QUEUE.LENGTH) + 1)
    if (prev !== 0) return
    if (node !== entering) this.wakesFirst = true
    // The node that was first may be leaving, and have left no other note, because it was first.
    if (next !== 0) store(this.#words, this.#base + QUEUE.SCAN, 1)
  }

  /** The last node that stands before a new node of this priority; 0 if there is none. Mostly it is the last of all. */
  #lastBefore(priority: number): number {
    let node = read(this.#words, this.#base + QUEUE.TAIL)
    while (node !== 0) {
      const words = this.#registry.reach(node)
      if (read(words, node + NODE.PRIORITY) >= priority) break
      node = read(words, node + NODE.PREV)
    }
    return node
  }

  /** The node after this one; after 0 comes the first. */
  #next(node: number): number {
    if (node === 0) return read(this.#words, this.#base + QUEUE.HEAD)
    return read(this.#registry.reach(node), node + NODE.NEXT)
  }

  /** The store that links a node, or takes one out. */
  #setNext(node: number, next: number): void {
    if (node === 0) store(this.#words, this.#base + QUEUE.HEAD, next)
    else write(this.#registry.reach(node), node + NODE.NEXT, next)
  }

  /**
   * Admits a node from a condition, unless its flow has given up in the meantime or its thread has died. Another thread
   * put it into the inbox, perhaps after the nodes of dead threads were swept out.
   */
  #admit(words: Int32Array, node: number): boolean {
    if (!this.#registry.isAlive(read(words, node + NODE.THREAD))) return false
    return compareAndSet(words, node + NODE.STATE, WAITING, ENTERED)
  }

  removeIfLinked(node: number): void {
    if (this.#isLinked(node)) this.remove(node)
  }

  /** Takes out a node that leaves, and decides whether that wakes the next one. */
  remove(node: number): void {
    const words = this.#registry.reach(node)
    const how = load(words, node + NODE.STATE)
    const wasFirst = read(this.#words, this.#base + QUEUE.HEAD) === node
    this.#unlink(node)
    if (!wasFirst) return
    const first = read(this.#words, this.#base + QUEUE.HEAD)
    if (first === 0) return
    if (how === ACQUIRED_SHARED) {
      if (read(this.#registry.reach(first), first + NODE.MODE) === SHARED) this.wakesFirst = true
    } else if (how !== ACQUIRED) this.wakesFirst = true
  }

  #unlink(node: number): void {
    const words = this.#registry.reach(node)
    const next = read(words, node + NODE.NEXT)
    const prev = read(words, node + NODE.PREV)
    // First: if this thread dies here, `restore` sets LINKED again if the node is still in the list, but does not
    // clear it if it is not.
    write(words, node + NODE.LINKED, 0)
    this.#setNext(prev, next)
    if (next === 0) write(this.#words, this.#base + QUEUE.TAIL, prev)
    else write(this.#registry.reach(next), next + NODE.PREV, prev)
    write(this.#words, this.#base + QUEUE.LENGTH, read(this.#words, this.#base + QUEUE.LENGTH) - 1)
    store(words, node + NODE.STATE, FREE)
  }

  /** Takes out all nodes that leave. */
  scan(): void {
    store(this.#words, this.#base + QUEUE.SCAN, 0)
    this.#removeIf((words, node) => load(words, node + NODE.STATE) >= LEAVING)
  }

  /** Takes out the nodes of dead threads. */
  sweep(deaths: number): void {
    this.#removeIf((words, node) => !this.#registry.isAlive(read(words, node + NODE.THREAD)))
    write(this.#words, this.#base + QUEUE.DEATHS_SEEN, deaths)
    this.wakesFirst = true // the flow that was woken may have died
  }

  #removeIf(condition: (words: Int32Array, node: number) => boolean): void {
    for (let node = read(this.#words, this.#base + QUEUE.HEAD); node !== 0;) {
      const words = this.#registry.reach(node)
      const next = read(words, node + NODE.NEXT)
      if (condition(words, node)) this.remove(node)
      node = next
    }
  }

  /** Makes all other words from the forward links, after a combiner died during a pass. */
  restore(): void {
    let last = 0
    let length = 0
    for (let node = read(this.#words, this.#base + QUEUE.HEAD); node !== 0;) {
      const words = this.#registry.reach(node)
      write(words, node + NODE.PREV, last)
      write(words, node + NODE.LINKED, 1)
      last = node
      length++
      node = read(words, node + NODE.NEXT)
    }
    write(this.#words, this.#base + QUEUE.TAIL, last)
    write(this.#words, this.#base + QUEUE.LENGTH, length)
    this.wakesFirst = true
    const taken = read(this.#words, this.#base + QUEUE.TAKEN)
    if (taken === 0) return
    if (this.#isInInbox(taken)) write(this.#words, this.#base + QUEUE.TAKEN, 0)
    else this.#linkTaken(taken, 0)
  }

  /** If so, the dead combiner had noted in TAKEN what it was about to take, but had not taken it. */
  #isInInbox(sought: number): boolean {
    for (let node = load(this.#words, this.#base + QUEUE.INBOX); node !== 0;) {
      if (node === sought) return true
      node = read(this.#registry.reach(node), node + NODE.INBOX_NEXT)
    }
    return false
  }

  #isLinked(node: number): boolean {
    return read(this.#registry.reach(node), node + NODE.LINKED) !== 0
  }

  /** The flows in the list, the first one first. */
  waiters(): Waiter[] {
    const found: Waiter[] = []
    for (let node = read(this.#words, this.#base + QUEUE.HEAD); node !== 0;) {
      const words = this.#registry.reach(node)
      const [thread, flow, mode] = [NODE.THREAD, NODE.FLOW, NODE.MODE].map((word) => read(words, node + word))
      found.push({ thread: thread ?? 0, flow: flow ?? 0, mode: mode ?? 0 })
      node = read(words, node + NODE.NEXT)
    }
    return found
  }
}
