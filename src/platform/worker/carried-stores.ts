import { type CarriedStores, runWithStores } from "../../executor/propagation.ts"

/** Calls the function of a task whose last argument are its stores. */
export function callWithStores(fn: (...args: unknown[]) => unknown, args: unknown[]): unknown {
  const stores = args.pop() as CarriedStores
  return runWithStores(stores, () => fn(...args))
}
