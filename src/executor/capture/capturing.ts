/**
 * The output of tasks, as views of executors know it. How it is captured stands in captured-output.ts. That is provided
 * together with platform threads (platform/member/equip.ts): a program that uses `corepool/virtual` only does without,
 * and so does a page.
 */
import { UnsupportedOperationError } from "../../errors.ts"
import type { Callable } from "../../future/runnable.ts"

/** How much of the output of a task is captured. */
export interface CaptureOptions {
  /** The most bytes that are kept, of both outputs together; default 1 MB. What is beyond is dropped. */
  readonly limit?: number
}

/** The option `capture` of a view, checked. */
export interface Capture extends CaptureOptions {
  /** Makes a future of the callable, whose output is captured. */
  future<T, F>(callable: Callable<T>, make: (callable: Callable<T>) => F): F
}

/** Checks the option; undefined if it is false. */
type Check = (given: boolean | CaptureOptions) => Capture | undefined

let check: Check = () => {
  throw new UnsupportedOperationError("`capture` needs `corepool`, and does not work in a page")
}

export function provideCapture(provided: Check): void {
  check = provided
}

export function requireCapture(given: boolean | CaptureOptions): Capture | undefined {
  return check(given)
}
