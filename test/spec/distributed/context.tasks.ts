/** Tasks that look at their context, on whatever machine. */
import { propagate, task } from "corepool"
import { AsyncLocalStorage } from "node:async_hooks"
import { isMainThread } from "node:worker_threads"

export const request = new AsyncLocalStorage<unknown>()
propagate(request, { name: "test: request" })

export const look = task(import.meta.url, async function look(): Promise<{ store: unknown; isMain: boolean }> {
  await Promise.resolve()
  return { store: request.getStore(), isMain: isMainThread }
})

export const fail = task(import.meta.url, function fail(): never {
  throw new RangeError("no")
})
