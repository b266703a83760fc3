import { sourceText } from "../primordials.ts"
import { functionOf } from "../task/host.ts"

type AnyFunction = (...args: never[]) => unknown

/** To make a copy takes about as long as so many elements. */
const WORTHWHILE = 4096

/** The engine takes two functions of the same text for one: each has its number in it. */
let made = 0
let isAllowed = true

/**
 * Loops over elements, each compiled for itself.
 *
 * An engine compiles a loop for what it has seen in it. If the functions of all users, and arrays of all kinds, went
 * through one loop, it would have seen everything, and would look up each element and really call for each: five times
 * as slow as a loop that the user has written. So for each function, and each kind of array, there is a copy of the
 * loop of its own.
 *
 * A copy is made of the text of the function. So a loop must be self-contained, as a task that is sent as source: it
 * may use nothing but what it is called with. Where a program forbids to make functions of texts, all use the one loop.
 */
export class Loops<L extends AnyFunction> {
  readonly #original: L
  readonly #copies = new WeakMap<object, Map<string, L>>()

  constructor(original: L) {
    this.#original = original
  }

  /** The loop for so many elements of arrays of this kind, with that function. */
  of(count: number, kind: string, user: object = this): L {
    if (count < WORTHWHILE) return this.#original
    let copies = this.#copies.get(user)
    if (copies === undefined) this.#copies.set(user, (copies = new Map<string, L>()))
    let copy = copies.get(kind)
    if (copy === undefined) copies.set(kind, (copy = copyOf(this.#original)))
    return copy
  }
}

function copyOf<L extends AnyFunction>(loop: L): L {
  if (!isAllowed) return loop
  try {
    return functionOf(`"use strict"; return (${sourceText(loop)}) // ${++made}`)() as L
  } catch (error) {
    if (!(error instanceof EvalError)) throw error
    isAllowed = false
    return loop
  }
}
