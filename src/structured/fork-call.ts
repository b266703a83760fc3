import { isPromiseLike } from "../checks.ts"
import { type Bindings, within } from "./context.ts"

/** Is notified of the run of a fork in this thread. */
export interface ForkRun {
  begun(): void
  ended(): void
}

/** What a fork inherits. Another thread has a copy, without `run`: see remote.ts. */
export class Inheritance {
  readonly bindings: Bindings
  readonly run: ForkRun | undefined

  constructor(bindings: Bindings, run?: ForkRun) {
    this.bindings = bindings
    this.run = run
  }
}

/** Calls the function of a fork, in the thread of the fork. */
export function runFork(
  { functions: [fn] }: { readonly functions: readonly [(...args: never[]) => unknown] },
  { bindings, run }: Inheritance,
  ...args: unknown[]
): unknown {
  run?.begun()
  let result: unknown
  try {
    result = within(bindings, () => promised((fn as (...args: unknown[]) => unknown)(...args)))
  } catch (error) {
    run?.ended()
    throw error
  }
  if (run === undefined) return result
  if (result instanceof Promise) return endAfter(result, run)
  run.ended()
  return result
}

/** Any object with a `then` method is awaited in the frame of the fork. */
function promised(result: unknown): unknown {
  return isPromiseLike(result) && !(result instanceof Promise) ? Promise.resolve(result) : result
}

async function endAfter(pending: Promise<unknown>, run: ForkRun): Promise<unknown> {
  try {
    return await pending
  } finally {
    run.ended()
  }
}
