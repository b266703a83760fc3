import { load, read, store, write } from "#atomics"
import { push } from "../primordials.ts"
import type { ThreadContext } from "../memory/thread/thread-context.ts"
import { FREE, WAITING } from "../memory/thread/node-pool.ts"
import { NODE } from "../memory/thread/thread-registry.ts"

const HEAD = 0
const TAIL = 1
export const LIST_WORDS = 2

/** The STATE of a node whose task could not come back to take it out: the next task that meets it in the list does. */
export const LEFT_BEHIND = 7

/**
 * The tasks that wait on a condition, longest waiting first. Only the holder of the lock touches the list, so plain
 * reads and writes will do. Whether a node still waits, its own task decides at any moment.
 *
 * Death. The holder may die in the middle of a change, and the next holder finds the list as it was left. HEAD and the
 * forward links are the truth, and each change of them is one store. TAIL is right or points to the node before the
 * last one, which was just being put in or taken out: the next node that is appended takes its place.
 */
export class ConditionList {
  readonly #threadContext: ThreadContext
  readonly #words: Int32Array
  readonly #base: number

  /** Occupies `LIST_WORDS` words from `base` on. */
  constructor(threadContext: ThreadContext, words: Int32Array, base: number) {
    this.#threadContext = threadContext
    this.#words = words
    this.#base = base
  }

  append(node: number): void {
    this.#link(node, 0)
    if (this.#head === 0) {
      this.#tail = node // first: TAIL is not read while there is no HEAD
      this.#head = node
    } else {
      this.#link(this.#tail, node)
      this.#tail = node
    }
  }

  /**
   * Takes out the first node that still waits and whose thread is alive; 0 if there is none. A cancelled node stays for
   * its own task to take out.
   */
  takeFirst(): number {
    let before = 0
    for (let node = this.#head; node !== 0;) {
      const next = this.#after(node)
      const state = this.#stateOf(node)
      const isDead = !this.#isAlive(node)
      if (isDead || state === LEFT_BEHIND) {
        this.#unlink(before, node)
        store(this.#threadContext.registry.reach(node), node + NODE.STATE, FREE)
      } else if (state === WAITING) {
        this.#unlink(before, node)
        return node
      } else before = node
      node = next
    }
    return 0
  }

  /** Takes out this node; false if it is not in the list. */
  remove(sought: number): boolean {
    let before = 0
    for (let node = this.#head; node !== 0; node = this.#after(node)) {
      if (node === sought) {
        this.#unlink(before, node)
        return true
      }
      before = node
    }
    return false
  }

  /** The nodes that wait. */
  nodes(): number[] {
    const found: number[] = []
    for (let node = this.#head; node !== 0; node = this.#after(node)) {
      if (this.#stateOf(node) === WAITING && this.#isAlive(node)) push(found, node)
    }
    return found
  }

  #unlink(before: number, node: number): void {
    const next = this.#after(node)
    const last = next === 0 ? before : next
    // First: nodes after TAIL do not count. Nor must TAIL stay behind, if a dead holder left a node after it.
    if (last !== 0 && this.#tail === node) this.#tail = last
    if (before === 0) this.#head = next
    else this.#link(before, next)
  }

  #isAlive(node: number): boolean {
    return this.#threadContext.registry.isAlive(read(this.#threadContext.registry.reach(node), node + NODE.THREAD))
  }

  #stateOf(node: number): number {
    return load(this.#threadContext.registry.reach(node), node + NODE.STATE)
  }

  #after(node: number): number {
    return read(this.#threadContext.registry.reach(node), node + NODE.CONDITION_NEXT)
  }

  #link(node: number, next: number): void {
    write(this.#threadContext.registry.reach(node), node + NODE.CONDITION_NEXT, next)
  }

  get #head(): number {
    return read(this.#words, this.#base + HEAD)
  }

  set #head(node: number) {
    write(this.#words, this.#base + HEAD, node)
  }

  get #tail(): number {
    return read(this.#words, this.#base + TAIL)
  }

  set #tail(node: number) {
    write(this.#words, this.#base + TAIL, node)
  }
}
