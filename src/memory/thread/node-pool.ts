import { compareAndSet, load, store, write } from "#atomics"
import { CHUNK_NODES, NODE, NODE_SIZE, type ThreadRegistry } from "./thread-registry.ts"

/** Values of a node's STATE. From LEAVING on its flow waits no longer. */
export const FREE = 0
/** In a queue, or on the way into it. */
export const ENTERED = 1
/** In the list of a condition. */
export const WAITING = 2
export const LEAVING = 4
/** It got what it waited for, alone or together with others. */
export const ACQUIRED = 4
export const ACQUIRED_SHARED = 5
/** It gave up. */
export const CANCELLED = 6

/**
 * The wait nodes of one thread. It alone takes them and gives them back, so the free list is an ordinary array and no
 * two threads ever compete for a node.
 *
 * A node that its wait is done with may still be in somebody's hands: linked in a queue that another thread is just
 * tending (STATE is not FREE yet), or in our mail (MAILED). It is laid aside until neither is so. This, and that a node
 * never goes to another thread while it is in use, is why a number on paper always means the node it meant when it was
 * written: there is no ABA to guard against.
 */
export class NodePool {
  readonly #registry: ThreadRegistry
  readonly #token: number
  readonly #free: number[] = []
  #aside: number[] = []
  /** What is left of the chunk that was taken last. */
  #next = 0
  #end = 0

  constructor(registry: ThreadRegistry, token: number) {
    this.#registry = registry
    this.#token = token
  }

  /** A node for a wait of the flow, in this state. */
  take(flow: number, state: number, mode: number): number {
    const node = this.#free.pop() ?? this.#refill()
    const words = this.#registry.reach(node)
    write(words, node + NODE.FLOW, flow)
    write(words, node + NODE.MODE, mode)
    write(words, node + NODE.LINKED, 0)
    write(words, node + NODE.THREAD, this.#token)
    store(words, node + NODE.STATE, state)
    return node
  }

  /** The wait is over. */
  give(node: number): void {
    if (this.#isIdle(node)) this.#free.push(node)
    else this.#aside.push(node)
  }

  /**
   * If threads died on the way to our mailbox with nodes in their hands, of those in use or of those laid aside, others
   * may take them now. `deliver` empties the mailbox, and has to do so when we know who is dead, and not before: a node
   * that a dead thread has left there is still in the mail, and must not be put there once more. After that, none of
   * its can come.
   */
  unstick(used: Iterable<number>, deliver: () => void): void {
    const lost: { readonly node: number; readonly carrier: number }[] = []
    for (const node of [...used, ...this.#aside]) {
      const carrier = load(this.#registry.reach(node), node + NODE.MAILED)
      if (carrier !== 0 && !this.#registry.isAlive(carrier)) lost.push({ node, carrier })
    }
    deliver()
    for (const { node, carrier } of lost) compareAndSet(this.#registry.reach(node), node + NODE.MAILED, carrier, 0)
  }

  #isIdle(node: number): boolean {
    const words = this.#registry.reach(node)
    return load(words, node + NODE.STATE) === FREE && load(words, node + NODE.MAILED) === 0
  }

  #refill(): number {
    const aside = this.#aside
    this.#aside = []
    for (const node of aside) this.give(node)
    for (;;) {
      const node = this.#free.pop() ?? 0
      if (node !== 0) return node
      if (this.#next === this.#end) {
        const chunk = this.#registry.takeChunk(this.#token)
        this.#next = chunk + NODE_SIZE // the first record says whose chunk it is
        this.#end = chunk + CHUNK_NODES * NODE_SIZE
      }
      // Of a chunk that a dead thread left, a node may still stand in a queue, until somebody sweeps that.
      this.give(this.#next)
      this.#next += NODE_SIZE
    }
  }
}
