/**
 * Text from a queue to which somebody else has written. Ids such as [DP9] refer to docs/spec/distributed.md. A failure prints the seed and the
 * shortest text: `fc.assert(…, { seed, path })`.
 */
import { NotSerializableError, registerClass } from "corepool"
import { decodeFailure, encodeFailure } from "#src/distributed/job/failure.js"
import { decodeArguments, decodeResult, encodeArguments, encodeResult } from "#src/distributed/job/payload.js"
import { GRAPH, TREE } from "#src/codec/bytes/encoded-value.js"
import * as tags from "#src/codec/bytes/tags.js"
import fc from "fast-check"
import assert from "node:assert/strict"
import test from "node:test"
import { STRESS } from "../support/stress.ts"

const RUNS = 2000 * STRESS

class Point {
  x = 1
  y = 2
}
registerClass(Point, { name: "payload.property.Point" })

/** Either a value comes, or one kind of error. */
function isHarmless(text: string): boolean {
  const members = Reflect.ownKeys(Object.prototype).length
  for (const read of [decodeResult, decodeArguments]) {
    try {
      read("t", text)
    } catch (error) {
      assert.ok(error instanceof NotSerializableError, `threw ${String(error)}`)
      assert.ok(error.message.length <= 500)
    }
  }
  assert.ok(["error", "cancelled"].includes(decodeFailure(`Error: x\ncorepool:error:${text}`).kind))
  assert.equal(Reflect.ownKeys(Object.prototype).length, members)
  return true
}

function textOf(...bytes: number[]): string {
  return Buffer.from(bytes).toString("base64")
}

const kind = fc.constantFrom(TREE, GRAPH)

test("[DP9] any text, and any bytes", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), isHarmless), { numRuns: RUNS })
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => isHarmless(textOf(...bytes))),
    { numRuns: RUNS },
  )
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 30 }), fc.uint8Array({ maxLength: 20 }), (any, bytes) =>
      isHarmless(textOf(1, any, ...bytes)),
    ),
    { numRuns: RUNS },
  )
})

test("[DP9] bytes that look like a value", () => {
  const tag = fc.constantFrom(...Object.values(tags).filter((value) => typeof value === "number" && value < 64))
  const piece = fc.oneof(
    tag.map((byte) => [byte]),
    fc.uint8Array({ minLength: 1, maxLength: 6 }).map((bytes) => Array.from(bytes)),
    // A text: its tag (9), its length and its characters.
    fc
      .constantFrom("Error", "AggregateError", "DOMException", "payload.property.Point", "ReadLock", "__proto__")
      .map((name) => Array.from(Buffer.from(`\t${String.fromCharCode(name.length)}${name}`, "latin1"))),
  )
  fc.assert(
    fc.property(kind, fc.array(piece, { maxLength: 40 }), (form, pieces) =>
      isHarmless(textOf(1, form, ...pieces.flat())),
    ),
    { numRuns: 4 * RUNS },
  )
})

test("[DP9] values that were changed on their way", () => {
  const shared = { a: 1 }
  const values: unknown[] = [
    { list: [1, 2, { a: "x", b: [new Date(1), /a/g] }], map: new Map([[1, new Set(["a"])]]), shared, again: shared },
    Object.assign(new AggregateError([new RangeError("r", { cause: new Error("c") })], "m"), { own: 1n << 80n }),
    [
      new Point(),
      new Uint8Array(9),
      new Float64Array(3),
      Object(5),
      Object.assign([1], { 3: 1 }),
      Array.from({ length: 40 }, (_, i) => i),
    ],
    Array.from({ length: 30 }, (_, i) => ({ id: i, name: `n${i}` })),
  ]
  const texts = [...values.map((value) => encodeResult("t", value)), encodeArguments("t", values)]
  const change = fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }), cut: fc.nat({ max: 3 }) })
  fc.assert(
    fc.property(fc.constantFrom(...texts), fc.array(change, { minLength: 1, maxLength: 4 }), (text, changes) => {
      let bytes = [...Buffer.from(text, "base64")]
      for (const { at, byte, cut } of changes) {
        const place = 1 + (at % (bytes.length - 1))
        if (cut === 0) bytes = bytes.slice(0, place + 1)
        else if (cut === 1) bytes.splice(place, 1)
        else bytes[place] = byte
        if (bytes.length < 3) break
      }
      return isHarmless(textOf(...bytes))
    }),
    { numRuns: 4 * RUNS },
  )
})

test("[DP9] deep nesting, and lengths of which nothing is there", () => {
  for (const [tag, count] of [
    [tags.ARRAY, 1],
    [tags.MAP, 1],
    [tags.SET, 1],
    [tags.DICTIONARY, 1],
    [tags.BOXED, 0],
  ] as const) {
    const level = tag === tags.DICTIONARY ? [tag, count, 2, 97] : tag === tags.BOXED ? [tag] : [tag, count]
    const deep = Buffer.from(Array.from({ length: 200_000 }, () => level).flat())
    for (const form of [TREE, GRAPH]) isHarmless(Buffer.concat([Buffer.from([1, form]), deep]).toString("base64"))
  }
  const huge = [0xff, 0xff, 0xff, 0xff, 0x0f]
  for (let tag = 0; tag < 64; tag++) {
    for (const form of [TREE, GRAPH]) {
      isHarmless(textOf(1, form, tag, ...huge))
      isHarmless(textOf(1, form, tag, ...huge, ...huge, ...huge))
      isHarmless(textOf(1, form, tag, 1, ...huge, ...huge))
    }
  }
})

test("[DP9] what can grow reserves a limited amount, in size and in number", () => {
  const growing = (max: number): Buffer => {
    const bytes = Buffer.alloc(10)
    bytes[0] = tags.RESIZABLE_BUFFER
    bytes.writeDoubleLE(max, 1)
    return bytes
  }
  for (const [count, max] of [
    [1, 2 ** 40],
    [100_000, 1],
    [1000, 2 ** 30],
    [1, NaN],
    [1, -1],
  ] as const) {
    const head = Buffer.from([1, TREE, tags.ARRAY, (count & 0x7f) | 0x80, ((count >> 7) & 0x7f) | 0x80, count >> 14])
    const bytes = Buffer.concat([head, ...Array.from({ length: count }, () => growing(max))])
    assert.throws(() => decodeResult("t", bytes.toString("base64")), NotSerializableError)
  }
})

test("[DP9] reasons of which the line for people is anything", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (message, name) => {
      const error = Object.assign(new Error(message), { name })
      const failure = decodeFailure(encodeFailure(error, "timeout"))
      assert.equal(failure.kind, "timeout")
      assert.deepEqual([(failure.error as Error).message, (failure.error as Error).name], [message, name])
    }),
    { numRuns: RUNS },
  )
})
