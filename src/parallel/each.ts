/**
 * The user's function, as loops call it: with the element and its place, or with the number, and then with the
 * arguments that are the same for all.
 */
import { isPromiseLike } from "../checks.ts"
import type { Elements } from "./typed-arrays.ts"
import { kindIn } from "./items.ts"
import { Loops } from "./loops.ts"

export type AnyFunction = (...args: never[]) => unknown
type ElementFunction = (element: unknown, index: number, ...args: unknown[]) => unknown
type NumberFunction = (index: number, ...args: unknown[]) => unknown

/** To spread arguments is several times slower than to name them. */
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

/** The function with its arguments, for a loop of so many turns. */
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

/** What loops have to know by the first value. */
export function requireSynchronous(value: unknown): void {
  if (!isPromiseLike(value)) return
  value.then(undefined, () => undefined) // it is of no use, so its error is of no interest
  throw new TypeError(
    "Expected the function to return a value, got a promise: parallel algorithms call synchronous functions only. For others there is `executor.map`",
  )
}
