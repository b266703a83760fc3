import { sourceText } from "../primordials.ts"
import { functionOf } from "#host/code/evaluation"

type AnyFunction = (...args: never[]) => unknown

/** Making a copy takes about as long as a loop over so many elements. */
const WORTHWHILE = 4096

/** Each copy has a number in its text: the engine takes two functions of the same text for one. */
let made = 0
let isAllowed = true

/**
 * Loops over elements, compiled separately for each function and each kind of array.
 *
 * An engine optimises a loop for the types it has seen there. If the functions of all users, and arrays of all kinds,
 * went through one loop, it would have seen everything: it would look up each element and make a real call for each,
 * five times as slow as a loop that the user has written. So each function and kind of array gets its own copy of the
 * loop.
 *
 * A copy is made from the text of the function. So a loop must be self-contained, like a task that is sent as source:
 * it may use only its arguments. If the program forbids making functions from text, all use the original loop.
 */
export class Loops<L extends AnyFunction> {
  readonly #original: L
  readonly #copies = new WeakMap<object, Map<string, L>>()

  constructor(original: L) {
    this.#original = original
  }

  /** The loop for so many elements of arrays of this kind, with this function. */
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
