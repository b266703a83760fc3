import { apply } from "../../../primordials.ts"
import { AsyncLocalStorage, AsyncResource, executionAsyncResource } from "node:async_hooks"

/**
 * A variable of the asynchronous context: its value follows a flow of control across awaits, timers and callbacks. The
 * static method `snapshot` returns a function that runs other functions in the context of that moment.
 */
export { AsyncLocalStorage as AsyncVariable } from "node:async_hooks"

/**
 * The asynchronous context of a moment, with the stores of all AsyncLocalStorages. An AsyncResource and not a snapshot,
 * which takes a hundred times as long to make.
 */
export interface Frame {
  /** Calls the function in this context. */
  runInAsyncScope<A extends unknown[], R>(fn: (...args: A) => R, self: unknown, ...args: A): R
}

/** No hook is called when the object is collected. */
const OPTIONS = { requireManualDestroy: true }

/** The frame of this moment. */
export function currentFrame(): Frame {
  return new AsyncResource("corepool", OPTIONS)
}

/** What a frame has inside, by keys of the runtime. */
type Inside = Readonly<Record<PropertyKey, unknown>>

type Stores = ReadonlyMap<unknown, unknown>

/** The storages of Node up to 22, as far as this file looks into them. */
interface HookedStorage {
  /** The key under which the resource of the code that runs now has the store. */
  readonly kResourceStore?: symbol
}

/** The method of theirs that each `run` and `enterWith` calls. */
const ENABLE = "_enable"

const prototype = AsyncLocalStorage.prototype as unknown as Record<string, unknown>

/** A storage from which the next constants learn what the runtime does. */
const probe: HookedStorage & AsyncLocalStorage<object> = new AsyncLocalStorage()

/** Node up to 22: storages copy their stores from resource to resource by hooks. */
const isHooked =
  [ENABLE, "_propagate"].every((method) => typeof prototype[method] === "function") &&
  typeof probe.kResourceStore === "symbol"

/**
 * A frame in which the storage has a store; none if there are hooks, which `run` would install. To do so takes a third
 * of a millisecond.
 */
const probed: Inside = isHooked ? {} : (probe.run(OPTIONS, currentFrame) as unknown as Inside)
if (!isHooked) probe.disable()

/** Node from 24 on: the key under which a frame has a map of all stores. */
const KEY: PropertyKey | undefined = Reflect.ownKeys(probed).find((key) => {
  const stores = probed[key] as Partial<Stores> | undefined
  return typeof stores === "object" && typeof stores.has === "function" && stores.has(probe)
})

/**
 * Node up to 22: the keys of all storages that have ever had a store. Undefined if they cannot be known.
 *
 * There a frame takes longer to make and to enter than all the rest of a task, and also to ask a resource for its keys
 * takes long. So this file remembers them. Storages that have had a store before are seen in a new frame; those that
 * get their first one later call `_enable`.
 */
const KEYS: symbol[] | undefined = (() => {
  if (!isHooked) return undefined
  const enable = prototype[ENABLE] as () => unknown
  const keys = Object.getOwnPropertySymbols(currentFrame()).filter((key) => key.description === "kResourceStore")
  prototype[ENABLE] = function (this: HookedStorage): unknown {
    const key = this.kResourceStore
    if (key !== undefined && keys.length <= MOST_KEYS && !keys.includes(key)) keys.push(key)
    return apply(enable, this, [])
  }
  return keys
})()

/** So many storages are looked at. If a program has more, the answer is that there may be stores, which costs time. */
const MOST_KEYS = 32

/** A map that is known to have no stores: there are few of them, one after the other. */
let emptyStores: Stores | undefined

/** Whether no AsyncLocalStorage has a store now, except perhaps `own`. False if the runtime does not tell. */
export function hasNoStores(own?: unknown): boolean {
  if (KEYS !== undefined) return hasNoneOf(KEYS, (own as HookedStorage | undefined)?.kResourceStore)
  return KEY !== undefined && isEmpty((currentFrame() as unknown as Inside)[KEY] as Stores | undefined, own)
}

function hasNoneOf(keys: readonly symbol[], own: symbol | undefined): boolean {
  if (keys.length > MOST_KEYS) return false
  const resource = executionAsyncResource() as Inside
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as symbol
    if (key !== own && resource[key] !== undefined) return false
  }
  return true
}

/** Whether code without a store can belong to no other store than this one: here it can, as stores are never lost. */
export function isCertain(_variable: unknown, _store: unknown): boolean {
  return true
}

/** Whether code that enters a store in a frame leaves the frame as it was. Up to Node 22 it changes the frame. */
export const areFramesConstant: boolean = KEYS === undefined

/**
 * Node up to 22: takes back the stores that a function has entered and not left, if there were none before.
 */
export function forgetStores(own: unknown): void {
  if (KEYS === undefined || hasNoStores(own)) return
  const resource = executionAsyncResource() as Record<symbol, unknown>
  for (const key of KEYS) if (key !== (own as HookedStorage).kResourceStore) resource[key] = undefined
}

function isEmpty(stores: Stores | undefined, own: unknown): boolean {
  if (stores === undefined || stores === emptyStores) return true
  for (const [variable, store] of stores) if (store !== undefined && variable !== own) return false
  emptyStores = stores
  return true
}
