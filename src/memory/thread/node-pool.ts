import { compareAndSet, load, store, write } from "#atomics"
import { push, Stack } from "../../primordials.ts"
import { CHUNK_NODES, NODE, NODE_SIZE, type ThreadRegistry } from "./thread-registry.ts"

/** Values of a node's STATE. From LEAVING on its flow waits no longer. */
export const FREE = 0
/** In a queue, or on the way into it. */
export const ENTERED = 1
/** In the list of a condition. */
export const WAITING = 2
export const LEAVING = 4
/** The flow has acquired, alone or together with others. */
export const ACQUIRED = 4
export const ACQUIRED_SHARED = 5
/** The flow has given up. */
export const CANCELLED = 6

/**
 * The wait nodes of one thread. This thread alone takes them and gives them back, so the free list is an ordinary array
 * and no two threads ever compete for a node.
 *
 * Other threads may still use a node when its wait is over: it may be linked in a queue that another thread is
 * combining (STATE is not FREE yet), or it may be in this thread's mailbox (MAILED). Such a node is laid aside until
 * neither is so. Besides, a node never goes to another thread while it is in use. A stored node number therefore always
 * means the node that it meant when it was written: there is no ABA to guard against.
 */
export class NodePool {
  readonly #registry: ThreadRegistry
  readonly #token: number
  readonly #free = new Stack<number>()
  #aside: number[] = []
  /** What is left of the chunk that was taken last. */
  #next = 0
  #end = 0

  constructor(registry: ThreadRegistry, token: number) {
    this.#registry = registry
    this.#token = token
  }

  /** Takes a node for a wait of the flow, in this state. */
  take(flow: number, state: number, mode: number, priority = 0): number {
    const node = this.#free.pop() ?? this.#refill()
    const words = this.#registry.reach(node)
    write(words, node + NODE.FLOW, flow)
    write(words, node + NODE.MODE, mode)
    write(words, node + NODE.PRIORITY, priority)
    write(words, node + NODE.LINKED, 0)
    write(words, node + NODE.THREAD, this.#token)
    store(words, node + NODE.STATE, state)
    return node
  }

  /** Gives the node back after its wait is over. */
  give(node: number): void {
    if (this.#isIdle(node)) this.#free.push(node)
    else push(this.#aside, node)
  }

  /**
   * Clears the MAILED mark of nodes, in use or laid aside, whose waker died before it delivered them; then other wakers
   * may mail them again. `deliver` empties the mailbox. It must be called after the dead wakers are known, and not
   * before: a node that a dead thread has put into the mailbox is still in the mail, and must not be put there once
   * more. After the delivery, no more mail of a dead thread can come.
   */
  unstick(used: Iterable<number>, deliver: () => void): void {
    const lost: { readonly node: number; readonly carrier: number }[] = []
    for (const node of [...used, ...this.#aside]) {
      const carrier = load(this.#registry.reach(node), node + NODE.MAILED)
      if (carrier !== 0 && !this.#registry.isAlive(carrier)) push(lost, { node, carrier })
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
        this.#next = chunk + NODE_SIZE // the first record names the owner of the chunk
        this.#end = chunk + CHUNK_NODES * NODE_SIZE
      }
      // A node of a chunk that a dead thread left may still be in a queue, until a combiner sweeps that queue. It may
      // also still say what the dead thread waited for.
      write(this.#registry.reach(this.#next), this.#next + NODE.KIND, 0)
      this.give(this.#next)
      this.#next += NODE_SIZE
    }
  }
}
