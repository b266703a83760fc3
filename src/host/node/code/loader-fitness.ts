/**
 * Whether the loaders of the runtime still work in this thread. They use `node:path` and the parts of `node:module` as
 * a task may have left them.
 */
import { createRequire, Module as LoaderAtFirst } from "node:module"
import { propertyOf } from "../../../user-values.ts"

/** Whether modules can be loaded, as far as that can be found out without one. */
export function canLoadModules(): boolean {
  return hasPaths() && canRequire()
}

/** Whether the runtime still gives its loader. */
export function hasLoader(): boolean {
  return typeof process.getBuiltinModule("node:module") === "function"
}

/** As it was when this file was loaded: in a thread, before any task. */
const PATHS = Object.entries(process.getBuiltinModule("node:path"))

/** A comparison, as no sound module could be loaded as a test: the runtime keeps what it has loaded. */
function hasPaths(): boolean {
  const path = process.getBuiltinModule("node:path") as unknown as Record<string, unknown>
  return PATHS.every(([key, value]) => path[key] === value)
}

// oxlint-disable no-underscore-dangle -- the loader of CommonJS modules calls its parts so

/** The loader of CommonJS modules. Its documentation omits these members, though many tools replace them. */
interface CommonJs {
  new (file: string): { load?: (file: string) => void; _compile?: unknown }
  readonly prototype: { readonly load?: unknown; readonly _compile?: unknown }
  readonly _cache?: Record<string, unknown>
  readonly _pathCache?: Record<string, unknown>
  readonly _extensions?: Record<string, unknown>
}

/** The loader as the thread finds it. Not every runtime has all parts of it. */
function commonJs(): CommonJs {
  return (process.getBuiltinModule("node:module") as unknown as { Module: CommonJs }).Module
}

/** No file can be inside of a file. */
const NO_FILE = `${process.execPath}/none.cjs`
/** In a thread, to ask for "node:module" would load more than this class. */
const PARTS = partsOf(LoaderAtFirst as unknown as CommonJs)

function partsOf(Module: CommonJs): string {
  // Not of a new module: to make one takes `node:path`, which a program may have mocked (WK67).
  const { load, _compile: compileIn } = Module.prototype
  return `${typeof load} ${typeof compileIn} ${typeof Module._extensions?.[".js"]}`
}

/**
 * Whether the loader of CommonJS modules works, as far as a file that does not exist can show. It is tried, and not
 * compared with what it was: tools replace parts of it by others that work, and then a module that cannot be loaded is
 * itself to blame.
 */
function canRequire(): boolean {
  try {
    const Module = commonJs()
    const loaded = new Module(NO_FILE)
    return (
      partsOf(Module) === PARTS &&
      isMissed(() => createRequire(NO_FILE)(NO_FILE)) &&
      (loaded.load === undefined || isMissed(() => loaded.load?.(NO_FILE))) &&
      keeps(Module._cache) &&
      keeps(Module._pathCache)
    )
  } catch {
    return false
  }
}

/** By a system call, by the resolution of names, or by a runtime that does not let the program look. */
const MISSED = /^(?:E[A-Z]+|MODULE_NOT_FOUND|ERR_ACCESS_DENIED)$/

function isMissed(open: () => unknown): boolean {
  try {
    open()
    return false
  } catch (error) {
    return MISSED.test(String(propertyOf(error, "code")))
  }
}

/** Whether an entry can be added, read and deleted. */
function keeps(cache: Record<string, unknown> | undefined): boolean {
  if (typeof cache !== "object") return false
  cache[NO_FILE] = PARTS
  const isKept = cache[NO_FILE] === PARTS
  return Reflect.deleteProperty(cache, NO_FILE) && isKept
}
