/**
 * Stands in for `src/memory/atomics.ts` under the condition `model`: the same functions, and the library does not
 * notice. In a thread of the model each call on the model's memory is a step, which the checker takes when it wants to.
 * Everywhere else, and on words that are not the model's, a call does at once what it says.
 */
import { context } from "./context.ts"
import { longOf, numberOf } from "./long.ts"
import { type Access, carryOut, NOWHERE } from "./operation.ts"
import { ModelError } from "./trace.ts"

export function load(words: Int32Array, index: number): number {
  return access("load", words, index, 0, 0)
}

export function store(words: Int32Array, index: number, value: number): void {
  access("store", words, index, value, 0)
}

export function add(words: Int32Array, index: number, amount: number): number {
  return access("add", words, index, amount, 0)
}

export function exchange(words: Int32Array, index: number, value: number): number {
  return access("exchange", words, index, value, 0)
}

export function compareAndSet(words: Int32Array, index: number, expected: number, value: number): boolean {
  return access("compareAndSet", words, index, expected, value) === 1
}

export function read(words: Int32Array, index: number): number {
  return access("read", words, index, 0, 0)
}

export function write(words: Int32Array, index: number, value: number): void {
  access("write", words, index, value, 0)
}

export function wait(words: Int32Array, index: number, value: number, ms: number): void {
  const address = addressOf(words, index)
  if (context.thread !== undefined && address !== NOWHERE) context.thread.step("wait", words, index, value, ms, address)
  else if (words[index] === (value | 0) && ms === Infinity)
    throw new ModelError("wait would never end: nobody can notify words that were not allocated by the set-up")
}

export function listen(words: Int32Array, index: number, value: number, rung: () => void): boolean {
  const address = addressOf(words, index)
  if (context.thread === undefined || address === NOWHERE)
    throw new ModelError("listen is for a thread of the model, on words that the set-up has allocated")
  return context.thread.listen(words, index, value, address, rung) === 1
}

export function notify(words: Int32Array, index: number): void {
  const address = addressOf(words, index)
  if (address !== NOWHERE) context.thread?.step("notify", words, index, 0, 0, address)
}

export function notifyOne(_words: Int32Array, _index: number): boolean {
  throw new ModelError(
    "notifyOne asks the runtime whether a thread is there still, which in a model the checker decides",
  )
}

export function loadLong(longs: BigInt64Array, index: number): bigint {
  return longOf(access("loadLong", wordsOf(longs), index * 2, 0, 0))
}

export function exchangeLong(longs: BigInt64Array, index: number, value: bigint): bigint {
  return longOf(access("exchangeLong", wordsOf(longs), index * 2, numberOf(value), 0))
}

export function compareAndSetLong(longs: BigInt64Array, index: number, expected: bigint, value: bigint): boolean {
  return access("compareAndSetLong", wordsOf(longs), index * 2, numberOf(expected), numberOf(value)) === 1
}

const nothing = new Int32Array(1)

export const pause: () => void = () => {
  context.thread?.step("pause", nothing, 0, 0, 0, NOWHERE)
}

export function block(ms: number): void {
  context.thread?.step("block", nothing, 0, ms, 0, NOWHERE)
}

export function sharedWords(count: number): Int32Array<SharedArrayBuffer> {
  const words = new Int32Array(new SharedArrayBuffer(count * 4))
  // What a thread allocates is its own: it has no way to hand it to others, and each replay makes it anew.
  if (context.thread === undefined) context.memory?.adopt(words)
  return words
}

/** The suspension, or what a model has found out: no guard may catch that. */
export function letPass(error: unknown): void {
  if (context.memory !== undefined) throw error
}

function access(code: Access, words: Int32Array, index: number, a: number, b: number): number {
  const { memory, thread } = context
  const address = addressOf(words, index)
  if (memory === undefined || address === NOWHERE) return carryOut(code, words, index, a, b)
  if (thread !== undefined) return thread.step(code, words, index, a, b, address)
  return memory.accessOutside(code, words, index, a, b, address)
}

/** The view through which a 64-bit word was reached last, and its words. */
let lastLongs: BigInt64Array | undefined
let lastWords: Int32Array = nothing

function wordsOf(longs: BigInt64Array): Int32Array {
  if (longs !== lastLongs) {
    lastLongs = longs
    lastWords = new Int32Array(longs.buffer, longs.byteOffset, longs.length * 2)
  }
  return lastWords
}

function addressOf(words: Int32Array, index: number): number {
  if (!(index >= 0 && index < words.length)) throw new RangeError(`There is no word ${index} of ${words.length}`)
  return context.memory === undefined ? NOWHERE : context.memory.addressOf(words, index)
}
