/**
 * Finds out whether the code of corepool can still work in this thread. A task may have replaced methods of built-in
 * objects: by others that work, as polyfills do, or by some that do not.
 *
 * The question arises when that code has failed to find a function, to decode arguments or to encode an outcome.
 * Usually the value is to blame, or code of the program that belongs to it, and the task fails. But if the thread is to
 * blame, each later task would fail too, for a reason that has nothing to do with it. To tell the difference, the same
 * is done with values that are known to be sound. That happens only after an error, so it may take its time.
 */
import { Buffer } from "node:buffer"
import { createRequire } from "node:module"
import { isPromiseLike } from "../../checks.ts"
import { decode, encode } from "../../codec/codec.ts"
import { compile } from "../../task/compile.ts"
import { messageOf, propertyOf } from "../../user-values.ts"

/** This thread is not fit to work: see stopping-runner.ts. The message is that of the error that showed it. */
export class UnfitThread extends Error {}

/**
 * `error` was thrown by code of corepool. Throws UnfitThread if the thread is to blame. This calls methods that a task
 * may have replaced, and that need not return: so the thread must count as being in the task, if the task is undecided.
 */
export function requireFit(error: unknown): void {
  if (!isFit()) throw new UnfitThread(messageOf(error))
}

/**
 * The same for an error that was thrown while the function of a task was looked for. The loaders of the runtime, which
 * compile functions that are sent as texts and load modules, use `node:path` and the parts of `node:module` as a task
 * may have left them.
 */
export function requireFitToFind(error: unknown): void {
  requireFit(error)
  if (!canCompile() || !hasPaths() || !canRequire()) throw new UnfitThread(messageOf(error))
}

/** For code of corepool that may have to wait. */
export async function ifFit<T>(
  find: () => T | Promise<T>,
  requires: (error: unknown) => void = requireFit,
): Promise<T> {
  try {
    return await find()
  } catch (error) {
    requires(error)
    throw error
  }
}

function isFit(): boolean {
  try {
    return canCopy() && canCompute()
  } catch {
    return false
  }
}

function canCompile(): boolean {
  try {
    return compile("((a) => a + 1)", "sample", undefined)(1) === 2
  } catch {
    return false
  }
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
const PARTS = partsOfLoader()

function partsOfLoader(): string {
  const Module = commonJs()
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
      partsOfLoader() === PARTS &&
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

/** One of most kinds of values that can be sent. */
function sample() {
  const error = new RangeError("sample", { cause: { code: 1 } })
  error.stack = "RangeError: sample\n    at sample (file:///sample.js:1:1)"
  return {
    text: "sample",
    letters: "äλ€",
    list: [1, -1, 0.5, "a", true, null, undefined, [{ a: 1 }]],
    big: 10n,
    map: new Map([["key", { since: new Date(5) }]]),
    set: new Set([1, 2]),
    pattern: /a/g,
    error,
    bytes: Buffer.from("sample", "latin1"),
    words: new Int32Array([1, 2, 3]).subarray(1),
    buffer: new ArrayBuffer(8),
  }
}

function canCopy(): boolean {
  const encoded = encode(sample())
  const copy = decode(encoded) as ReturnType<typeof sample>
  encoded.release()
  const { text, letters, list, big, map, set, pattern, error, bytes, words, buffer } = copy
  const told = `${text} ${letters} ${list.length} ${big} ${map.get("key")?.since.getTime()} ${map.size + set.size} ${pattern.source} ${error.message} ${bytes.length} ${words[1]} ${buffer.byteLength}`
  return told === "sample äλ€ 8 10 5 3 a sample 6 3 8"
}

/** Tries what else the code of pools uses. */
function canCompute(): boolean {
  const list = [3, 1, 2]
  const map = new Map([[1, "a"]])
  const weak = new WeakMap<object, number>()
  weak.set(list, 1)
  const set = new Set(list)
  const [first, ...others] = list.map((n) => n + 1).filter((n) => n > 2)
  list.push(4)
  list.splice(1, 1)
  const lists = [
    first,
    others.length,
    list.pop(),
    list.indexOf(2),
    ...list.slice(1),
    ...set,
    ...map.keys(),
    ...map.values(),
  ]
  for (const [at, value] of list.entries()) lists.push(at, value)
  for (const [key, value] of map) lists.push(key, value)
  map.delete(1)
  const tests =
    list.some((n) => n === 2) && list.every((n) => n > 0) && list.includes(3) && !map.has(1) && set.delete(3)
  const numbers = [Math.min(1, 2), Math.max(1, 2), Math.ceil(0.5), Math.floor(1.5), Math.clz32(1), Math.imul(2, 3)]
  const isWhole = Number.isInteger(weak.get(list)) && Object.is(1, 1)
  const bytes = Buffer.alloc(4)
  const words = new Int32Array([7])
  bytes.set(new Uint8Array(words.buffer, words.byteOffset, 1))
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  copy.set(Uint8Array.from(bytes))
  const json = JSON.stringify(JSON.parse('{"a":["b"]}'))
  const text = `${"a".repeat(2)}${"abc".includes("b")}${"a,b".split(",").length}${Buffer.from("x", "utf8").toString("utf8")}`
  const isLoaded = typeof process.getBuiltinModule("node:module") === "function" && isPromiseLike(Promise.resolve())
  return (
    `${lists.join()} ${tests} ${numbers.join()} ${isWhole} ${json} ${copy[0]} ${text} ${isLoaded}` ===
    '4,1,4,1,2,3,1,2,1,a,0,3,1,2,1,a true 1,2,1,1,31,6 true {"a":["b"]} 7 aatrue2x true'
  )
}
