import { MAX_VALUE } from "../checks.ts"
import { ForkJoinPool } from "../forkjoin/fork-join-pool.ts"
import { ThreadPoolExecutor } from "../pool/thread-pool-executor.ts"
import { type Ids, isPausable } from "./sampler.ts"
import type { Action } from "./wire.ts"

/** The most threads that a client may ask for. */
const MOST_THREADS = 1024

/** Does what a client of the monitor asks for. The text says what was wrong; it is undefined if all went well. */
export async function act(given: unknown, ids: Ids): Promise<string | undefined> {
  if (typeof given !== "object" || given === null) return "Expected an object"
  const { action, id, size } = given as Partial<Action>
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
    case "resume":
      if (!isPausable(target)) return "This pool has no methods pause() and resume()"
      await (action === "pause" ? target.pause() : target.resume())
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
