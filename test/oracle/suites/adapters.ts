/** The ops of suite "invoke" that need no pool: `Executors.callable` and the factories. */
import { Executors, type ExecutorService, type ThreadFactory, ThreadPoolExecutor } from "corepool"
import { type JsonObject, maybeInteger, maybeString, ScenarioError, string } from "../json.ts"
import { OwnError } from "../results.ts"
import { NULL } from "./driver.ts"

/** `Executors.callable` of a runnable that returns, throws or is null, called. */
export function callAdapter(op: JsonObject): unknown {
  const kind = maybeString(op, "runnable")
  const body = (): void => {
    if (kind === "throw") throw new OwnError("r")
  }
  const runnable = kind === undefined ? NULL : body
  const callable = "result" in op ? Executors.callable(runnable, op["result"]) : Executors.callable(runnable)
  return callable()
}

/** What an executor made by `Executors.<method>` is like; it is shut down at once. */
export function describeFactory(op: JsonObject, threads: ThreadFactory): unknown {
  const executor = make(string(op, "method"), maybeInteger(op, "n") ?? 0, threads)
  executor.shutdown()
  if (!(executor instanceof ThreadPoolExecutor)) return "not a ThreadPoolExecutor"
  return {
    corePoolSize: executor.corePoolSize,
    maximumPoolSize: executor.maximumPoolSize,
    keepAliveMs: executor.keepAliveTime,
    queue: executor.queue.constructor.name,
    remainingCapacity: executor.queue.remainingCapacity,
    allowsCoreThreadTimeOut: executor.allowCoreThreadTimeOut,
  }
}

function make(method: string, n: number, threads: ThreadFactory): ExecutorService {
  switch (method) {
    case "newFixedThreadPool":
      return Executors.newFixedThreadPool(n, threads)
    case "newCachedThreadPool":
      return Executors.newCachedThreadPool(threads)
    case "newSingleThreadExecutor":
      return Executors.newSingleThreadExecutor(threads)
    case "newScheduledThreadPool":
      return Executors.newScheduledThreadPool(n, threads)
    case "unconfigurableExecutorService":
      return Executors.unconfigurableExecutorService(NULL)
    default:
      throw new ScenarioError(`No such factory: ${method}`)
  }
}
