/**
 * How threads know that they mean the same scoped value. Each thread that loads a module makes its own `ScopedValue`
 * object of `export const user = ScopedValue.newInstance()`; a fork in another thread finds the binding by a key that
 * both objects have.
 *
 * The key is the position in the module from which the object was made, as the engine tells it. That is only done for
 * code at the top level of a module, which runs once. If a position makes a second object, as a loop does, that object
 * has a key of its own that no other thread has: rather no binding than the binding of another value. For such cases,
 * and for builds in which threads load other files, a name is given, which is the key then.
 */
import { perThread } from "../per-thread.ts"

type AnyFunction = (...args: never[]) => unknown

/** The positions that have made an object in this thread. */
const known = /* @__PURE__ */ perThread("positions of scoped values", () => new Set<string>())

/** How engines name code of a module that is in no function; a function without a name has another caller. */
const TOP_LEVEL = /^(?:|<anonymous>|<static_initializer>|module code|global code)$/

/** The files of the runtime, and among them those that run modules. */
const RUNTIME = /^(?:node|ext|bun):/
const LOADER = /^(?:node:internal\/modules\/|ext:|bun:)/

/** Deeper calls at the top level of a module do not occur. */
const DEPTH = 24

/** What engines know of a frame. */
interface CallSite {
  getFileName(): string | null | undefined
  getLineNumber(): number | null
  getColumnNumber(): number | null
  getFunctionName(): string | null | undefined
}

/** The key for the caller of `above`. */
export function keyAbove(above: AnyFunction): string {
  const position = positionAbove(above)
  if (position === undefined || known.has(position)) return uniqueKey()
  known.add(position)
  return position
}

/** A key that no other thread makes. (`crypto.randomUUID` would load modules of the runtime in every thread.) */
function uniqueKey(): string {
  return `only ${Math.random()} ${Math.random()}`
}

function positionAbove(above: AnyFunction): string | undefined {
  const own: CallSite[] = []
  let caller = ""
  for (const site of sitesAbove(above)) {
    const file = site.getFileName()
    if (typeof file !== "string" || file === "" || file === "native") continue // a function of the engine: `map`, say
    if (RUNTIME.test(file)) {
      caller = file
      break
    }
    own.push(site)
  }
  const outermost = own.at(-1)
  if (outermost === undefined || !TOP_LEVEL.test(outermost.getFunctionName() ?? "")) return undefined
  // No caller: a runtime that does not show its own frames, or a module that was loaded after one that awaits.
  if (caller !== "" && !LOADER.test(caller)) return undefined
  return own.map((site) => `${pathOf(site)}:${site.getLineNumber()}:${site.getColumnNumber()}`).join(" ")
}

/** The frames as the engine has them: source maps, which stacks may show, differ between threads. */
function sitesAbove(above: AnyFunction): readonly CallSite[] {
  const isSet = Object.hasOwn(Error, "prepareStackTrace")
  const before: unknown = Reflect.get(Error, "prepareStackTrace")
  const { stackTraceLimit } = Error
  let sites: readonly CallSite[] = []
  const collect = (_: unknown, raw: readonly CallSite[]): string => {
    sites = raw
    return ""
  }
  if (!Reflect.set(Error, "prepareStackTrace", collect)) return sites
  Reflect.set(Error, "stackTraceLimit", DEPTH)
  try {
    const holder: { stack?: unknown } = {}
    Error.captureStackTrace(holder, above)
    void holder.stack // engines make it when it is read
  } finally {
    Reflect.set(Error, "stackTraceLimit", stackTraceLimit)
    Reflect.set(Error, "prepareStackTrace", before)
    if (!isSet) Reflect.deleteProperty(Error, "prepareStackTrace")
  }
  return sites
}

/** The same for a module that one thread has loaded by its path, and another by its URL. */
function pathOf(site: CallSite): string {
  return (site.getFileName() ?? "").replace(/^file:\/\//, "")
}
