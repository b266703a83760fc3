/** Runs steps with the driver and notes what is delivered, at the moment it is delivered. */
import { Flow } from "#src/memory/flow/flow.js"
import { drive, type Park, type Steps, WaitList, type Wake } from "#src/memory/flow/waiting.js"

export interface Driven {
  readonly flow: Flow
  /** How the wait ended; undefined while it has not. */
  outcome?: { readonly value: unknown } | { readonly error: unknown }
}

export interface DriveOptions {
  readonly flow?: Flow
  readonly timeout?: number
  readonly signal?: AbortSignal
}

export function driven(
  steps: Steps<unknown>,
  { flow = new Flow(), timeout = Infinity, signal }: DriveOptions = {},
): Driven {
  const result: Driven = { flow }
  const settle = {
    resolve: (value: unknown) => void (result.outcome = { value }),
    reject: (error: unknown) => void (result.outcome = { error }),
  }
  drive(steps, settle, flow, timeout, signal)
  return result
}

/** Does not wait at all. */
export function* atOnce<T>(body: () => T): Steps<T> {
  for (const park of NOWHERE) yield park
  return body()
}

const NOWHERE: readonly Park[] = []

/** Waits once, and gives what woke it. */
export function* once(park: Park): Steps<Wake> {
  return yield park
}

/** Waits so many times and gives what woke it each time; `onWake` is called each time. */
export function* times(count: number, list: WaitList, onWake: () => void = () => undefined): Steps<Wake[]> {
  const wakes: Wake[] = []
  for (let left = count; left > 0; left--) {
    wakes.push(yield list)
    onWake()
  }
  return wakes
}
