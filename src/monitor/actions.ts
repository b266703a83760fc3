import { MAX_VALUE } from "../checks.ts"
import type { RunningFuture } from "../events/event-source.ts"
import { ForkJoinPool } from "../forkjoin/fork-join-pool.ts"
import { ThreadPoolExecutor } from "../pool/thread-pool-executor.ts"
import type { Watched } from "./viewer.ts"
import type { Action } from "./wire.ts"

/** The most threads that a client may ask for. */
const MOST_THREADS = 1024

/** Does what a client of the monitor asks for. The text says what was wrong; it is undefined if all went well. */
export function act(given: unknown, { ids, source }: Pick<Watched, "ids" | "source">): string | undefined {
  if (typeof given !== "object" || given === null) return "Expected an object"
  const { action, id, size, task } = given as Partial<Action>
  if (action === "cancel" && typeof task === "number") return cancelTask(source?.futureOf(task))
  const target = typeof id === "number" ? ids.find(id) : undefined
  if (target === undefined) return "There is no such pool or task any more"
  if (action === "cancel") return cancel(target)
  if (!(target instanceof ThreadPoolExecutor || target instanceof ForkJoinPool)) return "That is no pool"
  switch (action) {
    case "shutdown":
      target.shutdown()
      return undefined
    case "resize":
      return target instanceof ThreadPoolExecutor ? resize(target, size) : "A ForkJoinPool cannot be resized"
    case "pause":
      target.pause()
      return undefined
    case "resume":
      target.resume()
      return undefined
    default:
      return "There is no such action"
  }
}

/** Sets both sizes of a pool whose two sizes are the same, otherwise the core size, and the maximum if it is less. */
function resize(pool: ThreadPoolExecutor, size: unknown): string | undefined {
  if (!Number.isSafeInteger(size) || (size as number) < 1 || (size as number) > MOST_THREADS) {
    return `Expected a size between 1 and ${MOST_THREADS}`
  }
  const wanted = size as number
  const isFixed = pool.corePoolSize === pool.maximumPoolSize && pool.maximumPoolSize < MAX_VALUE
  if (wanted > pool.maximumPoolSize) pool.maximumPoolSize = wanted
  pool.corePoolSize = wanted
  if (isFixed) pool.maximumPoolSize = wanted
  return undefined
}

function cancel(target: object): string | undefined {
  const { cancel: method } = target as { readonly cancel?: unknown }
  if (typeof method !== "function" || target instanceof ThreadPoolExecutor) return "That cannot be cancelled"
  return (target as { cancel(): boolean }).cancel() ? undefined : "It is over already"
}

/** As `future.cancel(true)` does. */
function cancelTask(future: RunningFuture | undefined): string | undefined {
  if (future === undefined) return "It is over already, or its future is in another thread"
  return future.cancel(true) ? undefined : "It is over already"
}
