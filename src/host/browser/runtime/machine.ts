import { scope } from "./globals.ts"

/** How many threads can run at the same time. */
export function availableParallelism(): number {
  return scope.navigator?.hardwareConcurrency ?? 1
}
