/**
 * Finds out whether the code of corepool can still work in this thread. A task may have replaced methods of built-in
 * objects: by others that work, as polyfills do, or by some that do not.
 *
 * The question arises when that code has failed to find a function, to decode arguments or to encode an outcome.
 * Usually the value is to blame, or code of the program that belongs to it, and the task fails. But if the thread is to
 * blame, each later task would fail too, for a reason that has nothing to do with it. To tell the difference, the same
 * is done with values that are known to be sound. That happens only after an error, so it may take its time.
 */
import { Bytes } from "#host/values/bytes"
import { canLoadModules, hasLoader } from "#host/code/loader-fitness"
import { isPromiseLike } from "../../checks.ts"
import { decode, encode } from "../../codec/codec.ts"
import { compile } from "../../task/compile.ts"
import { messageOf } from "../../user-values.ts"

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
  if (!canCompile() || !canLoadModules()) throw new UnfitThread(messageOf(error))
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
    bytes: Bytes.from("sample", "latin1"),
    words: new Int32Array([1, 2, 3]).subarray(1),
    buffer: new ArrayBuffer(8),
  }
}

function canCopy(): boolean {
  const encoded = encode(sample())
  const copy = decode(encoded) as ReturnType<typeof sample>
  encoded.release()
  const { text, letters, list, big, map, set, pattern, error, bytes, words, buffer } = copy
  const found = `${text} ${letters} ${list.length} ${big} ${map.get("key")?.since.getTime()} ${map.size + set.size} ${pattern.source} ${error.message} ${bytes.length} ${words[1]} ${buffer.byteLength}`
  return found === "sample äλ€ 8 10 5 3 a sample 6 3 8"
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
  const bytes = Bytes.alloc(4)
  const words = new Int32Array([7])
  bytes.set(new Uint8Array(words.buffer, words.byteOffset, 1))
  const copy = Bytes.allocUnsafeSlow(bytes.length)
  copy.set(Uint8Array.from(bytes))
  const json = JSON.stringify(JSON.parse('{"a":["b"]}'))
  const text = `${"a".repeat(2)}${"abc".includes("b")}${"a,b".split(",").length}${Bytes.from("x", "utf8").toString("utf8")}`
  const isLoaded = hasLoader() && isPromiseLike(Promise.resolve())
  return (
    `${lists.join()} ${tests} ${numbers.join()} ${isWhole} ${json} ${copy[0]} ${text} ${isLoaded}` ===
    '4,1,4,1,2,3,1,2,1,a,0,3,1,2,1,a true 1,2,1,1,31,6 true {"a":["b"]} 7 aatrue2x true'
  )
}
