/**
 * The user's function, as loops call it: with the element and its index, or with the number, and then with the
 * arguments that are the same for all elements.
 */
import { isPromiseLike } from "../checks.ts"
import type { Elements } from "./typed-arrays.ts"
import { kindIn } from "./items.ts"
import { Loops } from "./loops.ts"

export type AnyFunction = (...args: never[]) => unknown
type ElementFunction = (element: unknown, index: number, ...args: unknown[]) => unknown
type NumberFunction = (index: number, ...args: unknown[]) => unknown

/** Binds the arguments. Spreading them in each call is several times slower than naming them. */
function ofElements(fn: ElementFunction, args: readonly unknown[]): ElementFunction {
  const [a, b, c, d] = args
  switch (args.length) {
    case 0:
      return fn
    case 1:
      return (element, index) => fn(element, index, a)
    case 2:
      return (element, index) => fn(element, index, a, b)
    case 3:
      return (element, index) => fn(element, index, a, b, c)
    case 4:
      return (element, index) => fn(element, index, a, b, c, d)
    default:
      return (element, index) => fn(element, index, ...args)
  }
}

function ofNumbers(fn: NumberFunction, args: readonly unknown[]): NumberFunction {
  const [a, b, c, d] = args
  switch (args.length) {
    case 0:
      return fn
    case 1:
      return (index) => fn(index, a)
    case 2:
      return (index) => fn(index, a, b)
    case 3:
      return (index) => fn(index, a, b, c)
    case 4:
      return (index) => fn(index, a, b, c, d)
    default:
      return (index) => fn(index, ...args)
  }
}

const elements = new Loops(ofElements)
const numbers = new Loops(ofNumbers)

/** The function with its arguments, for a loop over so many elements. */
export function bound(
  fn: AnyFunction,
  args: readonly unknown[],
  array: Elements | undefined,
  count: number,
): AnyFunction {
  const make = (array === undefined ? numbers : elements).of(count, kindIn(array), fn) as unknown as (
    fn: AnyFunction,
    args: readonly unknown[],
  ) => AnyFunction
  return make(fn, args)
}

/** Throws if the function returned a promise. Loops check only the first value. */
export function requireSynchronous(value: unknown): void {
  if (!isPromiseLike(value)) return
  value.then(undefined, () => undefined) // the promise is not used, so its error is ignored
  throw new TypeError(
    "Expected the function to return a value, got a promise: parallel algorithms call synchronous functions only. For others there is `executor.map`",
  )
}
