/** Runs a task whose output is captured, in the thread of the task, which loads this file with the first of them. */
import { AsyncVariable } from "#host/runtime/context"
import { interceptOutput, type Taker } from "#host/threads/intercept"
import { isPromiseLike } from "../../checks.ts"
import { currentFlow, type Flow } from "../../memory/flow/flow.ts"
import { OutputLog } from "../../memory/structures/output-log.ts"
import { perThread } from "../../per-thread.ts"
import { defineBuiltIn } from "../../task/definitions.ts"
import { CAPTURE_MODULE } from "./capture-part.ts"

/** Where the output of a task goes; nowhere once the task is over. */
interface Destination {
  readonly flow: Flow
  take: Taker | undefined
}

/*
 * The variable follows the code of the task across awaits, timers and callbacks. The flow is compared as well, because
 * a task that this one submits to a virtual thread begins with the stores of its submitter.
 */
const destinations = /* @__PURE__ */ perThread("destinations", () => new AsyncVariable<Destination>())

function takerNow(): Taker | undefined {
  const destination = destinations.getStore()
  return destination?.take !== undefined && destination.flow === currentFlow() ? destination.take : undefined
}

/** Calls the function of the task. The last of the arguments is the memory for its output. */
export const runCaptured: (
  given: { readonly functions: readonly [(...args: never[]) => unknown] },
  ...args: unknown[]
) => unknown = /* @__PURE__ */ defineBuiltIn(
  { module: CAPTURE_MODULE, name: "runCaptured" },
  ({ functions: [fn] }: { readonly functions: readonly [(...args: never[]) => unknown] }, ...args: unknown[]) => {
    const log = OutputLog.open(args.pop())
    interceptOutput(takerNow) // at each task: the program may have replaced the methods meanwhile
    log.begin()
    const destination: Destination = {
      flow: currentFlow(),
      take: (isError, bytes) => log.append(isError, bytes),
    }
    const end = (): void => {
      destination.take = undefined
      log.end()
    }
    let isPending = false
    try {
      return destinations.run(destination, () => {
        const result = (fn as (...args: unknown[]) => unknown)(...args)
        isPending = isPromiseLike(result)
        return isPending ? endAfter(result, end) : result
      })
    } finally {
      if (!isPending) end()
    }
  },
)

async function endAfter(pending: unknown, end: () => void): Promise<unknown> {
  try {
    return await pending
  } finally {
    end()
  }
}
