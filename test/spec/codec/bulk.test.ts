/** Bytes that go beside the letter, and arrays of numbers. Rule ids are those of docs/spec/codec.md. */
import { NotSerializableError } from "corepool"
import { BULKY, bulkOf } from "#src/codec/bytes/bulk.js"
import { copyOf, decode, encode } from "#src/codec/codec.js"
import type { EncodedValue } from "#src/codec/bytes/encoded-value.js"
import * as fc from "fast-check"
import assert from "node:assert/strict"
import { test } from "node:test"
import { thrownBy } from "../../support/harness.ts"

function encodeBulky(value: unknown): EncodedValue {
  return encode(value, undefined, undefined, true)
}

/** As it is on the other side. */
function arrived(encoded: EncodedValue): unknown {
  encoded.bulkSource = bulkOf(encoded.bulk.copies())
  const value = decode(encoded)
  encoded.release()
  return value
}

function bytes(length: number, first: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, i) => (first + i) % 251)
}

test("[CD20] long stretches of bytes go beside the letter, each at its place", () => {
  const long = bytes(BULKY, 1)
  const value = {
    long,
    again: long,
    short: bytes(BULKY - 1, 2),
    part: new Uint16Array(bytes(3 * BULKY, 3).buffer, 6, BULKY),
    buffer: bytes(BULKY + 1, 4).buffer,
    data: new DataView(bytes(2 * BULKY, 5).buffer, 3, BULKY + 3),
    node: Buffer.from(bytes(BULKY, 6)),
  }
  const encoded = encodeBulky(value)
  assert.equal(encoded.bulk.count, 5)
  assert.ok(encoded.length < 2 * BULKY)
  const copy = arrived(encoded) as typeof value
  assert.deepStrictEqual(copy, { ...value, part: Uint16Array.from(value.part), data: copy.data })
  assert.deepEqual(new Uint8Array(copy.data.buffer), new Uint8Array(value.data.buffer, 3, BULKY + 3))
  assert.equal(copy.again, copy.long)
})

test("[CD20] and only if they may; memory that grows stays in the letter", () => {
  const encoded = encode(bytes(BULKY, 0))
  assert.deepEqual([encoded.bulk.count, encoded.length > BULKY], [0, true])
  assert.deepEqual(decode(encoded), bytes(BULKY, 0))
  encoded.release()
})

test("[CD20] what could not be written leaves nothing beside the letter", () => {
  const error = Object.assign(new Error("with fields"), {
    spoilt: [bytes(BULKY, 1), () => undefined],
    good: bytes(BULKY, 2),
  })
  const encoded = encodeBulky(error)
  assert.equal(encoded.bulk.count, 1)
  const copy = arrived(encoded) as typeof error
  assert.deepEqual(copy.good, error.good)
  assert.equal("spoilt" in copy, false)
  assert.ok(thrownBy(() => encodeBulky([bytes(BULKY, 1), Symbol("refused")])) instanceof NotSerializableError)
  const next = encodeBulky([bytes(BULKY, 3)])
  assert.equal(next.bulk.count, 1)
  next.release()
})

test("[CD20] a buffer that is transferred while the value is written is a refusal; afterwards, zeros", () => {
  const doomed = bytes(BULKY, 1)
  const value = {
    doomed,
    get later(): number {
      structuredClone(doomed.buffer, { transfer: [doomed.buffer] })
      return 1
    },
  }
  const error = thrownBy(() => encodeBulky(value))
  assert.ok(error instanceof NotSerializableError)
  assert.match(error.message, /changed while it was being copied/)
  const gone = bytes(BULKY, 1)
  const encoded = encodeBulky([gone, bytes(BULKY, 2)])
  structuredClone(gone.buffer, { transfer: [gone.buffer] })
  assert.deepEqual(arrived(encoded), [new Uint8Array(BULKY), bytes(BULKY, 2)])
})

test("[CD11][CD20] without the bytes, or with others, it is no value", () => {
  for (const copies of [[], [new ArrayBuffer(BULKY - 1)], [new ArrayBuffer(BULKY + 1)]]) {
    const encoded = encodeBulky([bytes(BULKY, 1)])
    encoded.bulkSource = bulkOf(copies)
    assert.ok(thrownBy(() => decode(encoded)) instanceof NotSerializableError)
    encoded.bulkSource = undefined
    assert.ok(thrownBy(() => decode(encoded)) instanceof NotSerializableError)
    encoded.release()
  }
})

test("[CD1] arrays of numbers, of any size and length", () => {
  const bounds = [0, 1, -1, 127, 128, 255, 256, -0x8000, -0x8001, 0x7fff, 0x8000, 2 ** 31 - 1, -(2 ** 31), 2 ** 31]
  const number = fc.oneof(fc.constantFrom(...bounds, -0, NaN, 0.5, Infinity), fc.integer(), fc.double())
  const array = fc.oneof(
    fc.array(fc.nat(255), { maxLength: 40 }),
    fc.array(fc.integer({ min: -0x8000, max: 0x7fff }), { maxLength: 40 }),
    fc.array(fc.integer(), { maxLength: 40 }),
    fc.array(number, { maxLength: 40 }),
    fc.array(fc.oneof({ weight: 30, arbitrary: number }, fc.constantFrom("text", null, undefined)), { maxLength: 40 }),
  )
  fc.assert(
    fc.property(array, (numbers) => {
      const copy = copyOf([numbers, numbers]) as unknown[][]
      assert.deepStrictEqual(copy, [numbers, numbers])
      assert.equal(copy[0], copy[1])
      assert.deepEqual(Object.keys(copy[0] as unknown[]), Object.keys(numbers))
    }),
  )
})

test("[CD10] an array of numbers that becomes something else while it is read", () => {
  for (const [before, after] of [
    [7, "text"],
    [7, 300],
    [300, 100_000],
    [7, -0],
    [0.5, null],
  ]) {
    const array: unknown[] = Array.from({ length: 30 }, () => before)
    let reads = 0
    Object.defineProperty(array, 20, { get: () => (reads++ === 0 ? before : after), enumerable: true })
    const copy = copyOf(array) as unknown[]
    assert.equal(copy.length, 30)
    assert.ok([before, after].some((value) => Object.is(copy[20], value)))
  }
})
