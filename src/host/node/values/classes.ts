/** Classes of the runtime, such as that of timers or of sockets: the data of their objects is hidden. */
import { isInstance, propertyOf } from "../../../user-values.ts"
import { runtime } from "../runtime/clock.ts"
import { isBun } from "../runtime/runtime.ts"

/** The value of an own property; undefined if it has a getter. */
export function valueIn(object: object, key: PropertyKey): unknown {
  const descriptor = Object.getOwnPropertyDescriptor(object, key)
  return descriptor !== undefined && Object.hasOwn(descriptor, "value") ? descriptor.value : undefined
}

/** Whether this is the prototype of a class that a module of the runtime has. */
export function isOfModule(prototype: object): boolean {
  const type = valueIn(prototype, "constructor")
  if (typeof type === "function" && propertyOf(type, "name") === HIDDEN) return true
  learn()
  return known.has(prototype)
}

/** The name of the class of an object whose class is called {@link HIDDEN}. */
export function hiddenName(value: object): string {
  const { Session } = process.getBuiltinModule("node:inspector")
  return isInstance(value, Session) ? "Session" : "a class of the runtime"
}

/** Modules of the runtime with classes, by the names under which Node has loaded them, if it has. */
const MODULES =
  "async_hooks child_process cluster crypto dgram diagnostics_channel dns events fs http http2 https inspector module net perf_hooks readline stream string_decoder timers tls trace_events tty util v8 vm wasi worker_threads zlib"

/**
 * The modules that are loaded for this where the runtime does not say which are loaded. In Bun loading the inspector
 * takes long, but its class can be recognised without: see {@link HIDDEN}.
 */
const ELSEWHERE = [
  "async_hooks",
  "crypto",
  "diagnostics_channel",
  "events",
  "net",
  "stream",
  "string_decoder",
  "trace_events",
]
  .concat(isBun ? [] : "inspector")
  .map((name) => `NativeModule ${name}`)

/** The name that Bun gives to some classes of its modules. */
export const HIDDEN = "::bunternal::"

/** Make objects of classes that their modules do not export. Making one has no effect. */
const MAKERS: Readonly<Record<string, (exports: object) => unknown>> = {
  async_hooks: (exports) => (exports as typeof import("node:async_hooks")).createHook({}),
  diagnostics_channel: (exports) => (exports as typeof import("node:diagnostics_channel")).tracingChannel("corepool"),
  trace_events: (exports) =>
    (exports as typeof import("node:trace_events")).createTracing({ categories: ["corepool"] }),
}

/** The names of classes of the runtime whose objects are only data. */
export const DATA: RegExp = /^(?:Stats|BigIntStats|StatFs|Buffer|FastBuffer)$/

const known = new WeakSet()
let loaded = 0

/**
 * Finds the classes of the modules that are loaded by now; other modules have no objects. Only Node has such a list.
 */
function learn(): void {
  const { moduleLoadList = [] } = process as { moduleLoadList?: readonly string[] }
  const list = moduleLoadList.length > 0 ? moduleLoadList : ELSEWHERE
  if (list.length === loaded) return
  if (loaded === 0) learnTimers()
  loaded = list.length
  const names = new Set(list)
  for (const name of MODULES.split(" ")) if (names.has(`NativeModule ${name}`)) learnFrom(name)
}

function learnTimers(): void {
  const timer = runtime.startTimeout(() => undefined, 1)
  runtime.stopTimeout(timer)
  // oxlint-disable-next-line typescript/no-confusing-void-expression -- Node has an object of it, too
  const made: unknown[] = [timer, runtime.afterTurn(() => undefined)]
  for (const each of made) learnFromObject(each)
}

/** In runtimes other than Node some of them are plain objects, or numbers. */
function learnFromObject(made: unknown): void {
  if (typeof made !== "object" || made === null) return
  const prototype = Object.getPrototypeOf(made) as object | null
  if (prototype !== null && prototype !== Object.prototype) known.add(prototype)
}

function learnFrom(name: string): void {
  const exports: unknown = process.getBuiltinModule(`node:${name}`)
  if (typeof exports !== "object" && typeof exports !== "function") return
  for (const key of Object.getOwnPropertyNames(exports)) {
    // Getters load more of the runtime, or warn; those of async_hooks, where Node 24 has one, do not.
    const type = name === "async_hooks" ? propertyOf(exports, key) : valueIn(exports as object, key)
    const prototype: unknown = typeof type === "function" ? valueIn(type, "prototype") : undefined
    if (typeof prototype === "object" && prototype !== null && !DATA.test(key)) known.add(prototype)
  }
  learnFromObject(MAKERS[name]?.(exports as object))
}
