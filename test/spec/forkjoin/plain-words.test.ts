/** Arguments that are nothing but words. Rules: docs/spec/forkjoin.md. */
import { readPlain, sharedAmong, writePlain } from "#src/codec/plain-words.js"
import fc from "fast-check"
import assert from "node:assert/strict"
import test from "node:test"

const ROOM = 15

type ViewConstructor = new (buffer: SharedArrayBuffer, at?: number, length?: number) => object

function through(args: readonly unknown[]): unknown[] | undefined {
  const words = new Int32Array(ROOM + 2).fill(77)
  const things: object[] = []
  const used = writePlain(words, 1, ROOM, args, things)
  assert.deepEqual([words[0], words[ROOM + 1]], [77, 77], "it has written elsewhere")
  if (used === 0) return undefined
  assert.ok(used <= ROOM)
  assert.deepEqual(things, sharedAmong(args))
  return readPlain(words.subarray(1, 1 + used), things)
}

test("[FJ5] numbers, and other values that are words, are what they were", () => {
  const value = fc.oneof(
    fc.integer(),
    fc.double(),
    fc.constantFrom<unknown>(true, false, null, undefined, 0, -0, NaN, Infinity, 2 ** 31, -(2 ** 31)),
  )
  fc.assert(fc.property(fc.array(value, { maxLength: 5 }), (args) => assert.deepEqual(through(args), args)))
})

test("[FJ5] views of shared memory are views of the same memory", () => {
  const buffer = new SharedArrayBuffer(64)
  const numbers = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array]
  const types = [...numbers, Float32Array, Float64Array, BigInt64Array, BigUint64Array]
  for (const type of types as unknown as ViewConstructor[]) {
    const [view, from, to, whole] = through([new type(buffer, 8, 4), 1, 2, new type(buffer)]) as [
      Int8Array,
      ...unknown[],
    ]
    assert.equal(view.constructor, type)
    assert.deepEqual([view.buffer, view.byteOffset, view.length, from, to], [buffer, 8, 4, 1, 2])
    assert.equal((whole as Int8Array).byteLength, 64)
  }
  const other = new Int32Array(new SharedArrayBuffer(8))
  const [first, second] = through([new Int32Array(buffer), other]) as [Int32Array, Int32Array]
  assert.deepEqual([first.buffer, second.buffer], [buffer, other.buffer])
})

test("[FJ5] everything else is left to the codec", () => {
  class Own extends Int32Array {}
  const own = Reflect.construct(Own, [new SharedArrayBuffer(8)]) as Own
  const growable = new SharedArrayBuffer(8, { maxByteLength: 16 })
  for (const value of ["text", 1n, {}, [], new Int32Array(2), own, new Int32Array(growable)]) {
    assert.equal(through([1, value]), undefined)
  }
  assert.equal(through([1, 2, 3, 4, 5, 6, 7, 8]), undefined)
  assert.equal(through([0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]), undefined)
})
