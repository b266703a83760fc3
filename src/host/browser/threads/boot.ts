/**
 * Where a worker begins: the module `worker.js` of the package. It waits for its first message, takes its Web Lock,
 * which the browser gives back when the worker has stopped, however it ends, and only then begins its program.
 */
import { die } from "./farewell.ts"
import { scope, type WorkerEvent } from "../runtime/globals.ts"
import { setStartData, type StartData, type Told } from "./start-data.ts"

/** Calls `program` when the worker may begin. */
export function boot(program: (data: StartData) => void): void {
  let isBegun = false
  scope.addEventListener("message", ({ data }: WorkerEvent) => {
    if (isBegun || !isStart(data)) return
    isBegun = true
    void begin(data, program)
  })
  // An uncaught error ends the thread, as on Node. A browser would let it go on.
  scope.addEventListener("error", (event) => {
    event.preventDefault()
    die(event.error ?? new Error(event.message))
  })
  scope.addEventListener("unhandledrejection", (event) => {
    event.preventDefault()
    die(event.reason)
  })
}

/** Others may send messages to a worker of the user's own. */
function isStart(data: unknown): data is StartData {
  return typeof data === "object" && data !== null && "life" in data && "environment" in data
}

async function begin(data: StartData, program: (data: StartData) => void): Promise<void> {
  setStartData(data)
  await new Promise<void>((resolve) => {
    void scope.navigator?.locks?.request(data.life, () => {
      resolve()
      return new Promise(() => undefined) // never: the lock is held until the worker has stopped
    })
  })
  scope.postMessage({ corepool: "begun" } satisfies Told)
  program(data)
}
