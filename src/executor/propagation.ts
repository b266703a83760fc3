import { requireOptions, requireString, typeError } from "../checks.ts"
import { IllegalStateError, NotSerializableError } from "../errors.ts"
import { AsyncVariable } from "#host/runtime/context"
import { perThread } from "../per-thread.ts"
import { messageOf } from "../user-values.ts"

/** What {@link propagate} needs of an AsyncLocalStorage. */
export interface PropagatedStorage<T> {
  /** The store that is in effect. */
  getStore(): T | undefined
  /** Calls the function with the store in effect. */
  run<R>(store: T, fn: () => R): R
  /** Puts the store into effect for the rest of this flow of control. */
  enterWith(store: T): void
}

/** Settings of {@link propagate}. */
export interface PropagateOptions {
  /** The name under which all threads know the storage. */
  readonly name: string
}

/** Stores on their way to another thread, by the names of their storages. */
export type CarriedStores = Readonly<Record<string, unknown>>

interface Propagated {
  isUsed: boolean
  readonly storages: Map<string, PropagatedStorage<unknown>>
  /** The stores that have come with the current task, and whose storages this thread does not know (yet). */
  readonly unknown: AsyncVariable<CarriedStores>
}

/** The storages of this thread. `isUsed` is false as long as there can be nothing to carry. */
export const propagated: Propagated = perThread("propagated", (): Propagated => ({
  isUsed: false,
  storages: new Map(),
  unknown: new AsyncVariable(),
}))

/**
 * Carries the store of an `AsyncLocalStorage` into the tasks that are submitted to platform threads while it is in
 * effect, and into the tasks that these submit. The task gets a copy, as of an argument. (Tasks on virtual threads see
 * all stores anyway.)
 *
 * Call it in the module that makes the storage. A worker thread finds the storage by its name when it has loaded that
 * module: because the module of the task imports it, or by `preload` of `platformThreads`. A module that is loaded
 * later, by the task itself, puts the store into effect for the code that loads it. Until then the thread keeps the
 * store, and passes it on to the tasks that the task submits.
 *
 * A store that cannot be copied is a NotSerializableError at submission, which names the storage.
 *
 * @example
 * ```ts
 * import { AsyncLocalStorage } from "node:async_hooks"
 * import { propagate } from "corepool"
 *
 * export const requestId = new AsyncLocalStorage<string>()
 * propagate(requestId, { name: "request-id" })
 * ```
 *
 * @throws IllegalStateError if another storage of this thread has the name.
 */
export function propagate<T>(storage: PropagatedStorage<T>, options: PropagateOptions): void {
  const { name } = requireOptions("options", options, { name: true }, "an object with `name`")
  requireString("name", name)
  if (!isStorage(storage)) throw typeError("storage", "an AsyncLocalStorage", storage)
  const other = propagated.storages.get(name)
  if (other !== undefined && other !== storage) {
    throw new IllegalStateError(`Another AsyncLocalStorage is called ${JSON.stringify(name)} already`)
  }
  propagated.storages.set(name, storage)
  propagated.isUsed = true
  const waiting = propagated.unknown.getStore()
  if (waiting !== undefined && Object.hasOwn(waiting, name)) storage.enterWith(waiting[name] as T)
}

function isStorage(value: unknown): value is PropagatedStorage<unknown> {
  const storage = value as Partial<PropagatedStorage<unknown>> | null | undefined
  return (
    typeof storage?.getStore === "function" &&
    typeof storage.run === "function" &&
    typeof storage.enterWith === "function"
  )
}

/** Whether a task on this thread may have stores, which other tasks must not see. */
export function mayHaveStores(): boolean {
  return propagated.isUsed
}

/** The stores that a task which is submitted now has to take with it; undefined if there are none. */
export function storesToCarry(): CarriedStores | undefined {
  return propagated.isUsed ? collect() : undefined
}

function collect(): CarriedStores | undefined {
  const stores: Record<string, unknown> = {}
  const strange = propagated.unknown.getStore() ?? {}
  for (const name of Object.keys(strange)) if (!propagated.storages.has(name)) setStore(stores, name, strange[name])
  for (const [name, storage] of propagated.storages) {
    const store = storage.getStore()
    if (store !== undefined) setStore(stores, name, store)
  }
  return Object.keys(stores).length === 0 ? undefined : stores
}

/** Not by an assignment: a storage may be called `__proto__`. */
function setStore(stores: object, name: string, value: unknown): void {
  Object.defineProperty(stores, name, { value, enumerable: true, configurable: true, writable: true })
}

/** Calls the function with these stores in effect, and with no others of storages that are propagated. */
export function runWithStores<R>(stores: CarriedStores | undefined, fn: () => R): R {
  if (stores === undefined && !propagated.isUsed) return fn()
  propagated.isUsed = true
  const strange: Record<string, unknown> = {}
  let body = fn
  for (const [name, store] of Object.entries(stores ?? {})) {
    if (!propagated.storages.has(name)) setStore(strange, name, store)
  }
  for (const [name, storage] of propagated.storages) {
    const inner = body
    const store = stores !== undefined && Object.hasOwn(stores, name) ? stores[name] : undefined
    if (store !== undefined || storage.getStore() !== undefined) body = () => storage.run(store, inner)
  }
  return propagated.unknown.run(strange, body)
}

/** Throws an error that names the storage, if one of the stores is why a task cannot be sent. */
export function blameStore(stores: CarriedStores, encode: (value: unknown) => void): void {
  for (const [name, store] of Object.entries(stores)) {
    try {
      encode(store)
    } catch (cause) {
      throw new NotSerializableError(
        `The store of the AsyncLocalStorage ${JSON.stringify(name)} cannot be sent to another thread: ${messageOf(cause).replace("args[0]", "store")}`,
        { cause },
      )
    }
  }
}
