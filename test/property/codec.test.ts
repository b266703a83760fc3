/**
 * Values through the codec beside `structuredClone`, and bytes that nobody encoded. Ids such as [CD1] refer to
 * docs/spec/codec.md. A failure prints the seed and the shortest value: `fc.assert(…, { seed, path })`.
 */
import { NotSerializableError } from "corepool"
import { decodeArguments, encodeArguments } from "#src/codec/arguments.js"
import { copyOf, decode, encode } from "#src/codec/codec.js"
import { GRAPH, EncodedValue, TREE } from "#src/codec/bytes/encoded-value.js"
import fc from "fast-check"
import assert from "node:assert/strict"
import test from "node:test"
import { isDeepStrictEqual } from "node:util"
import { STRESS } from "../support/stress.ts"

const RUNS = 1000 * STRESS

const key = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.constantFrom("a", "b", "id", "name", "__proto__", "constructor", "0", "length"),
)

const anything = fc.anything({
  key,
  maxDepth: 4,
  withBigInt: true,
  withBoxedValues: true,
  withMap: true,
  withSet: true,
  withTypedArray: true,
  withNullPrototype: true,
  withSparseArray: true,
  stringUnit: "binary",
  withObjectString: true,
})

/** Not every runtime finds two clones of one map equal, if some of its keys are objects that look alike. */
function isComparable(value: unknown): boolean {
  return isDeepStrictEqual(structuredClone(value), structuredClone(value))
}

test("[CD1] whatever it is, the copy is that of structuredClone", () => {
  fc.assert(
    fc.property(anything, (value) => {
      fc.pre(isComparable(value))
      assert.deepStrictEqual(copyOf(value), structuredClone(value))
    }),
    { numRuns: RUNS },
  )
})

test("[CD12] and so are arguments", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.double(), fc.integer(), anything), { maxLength: 3 }), (args) => {
      fc.pre(isComparable(args))
      const encoded = encodeArguments(args)
      assert.deepStrictEqual(decodeArguments(encoded), structuredClone(args))
      encoded.release()
    }),
    { numRuns: RUNS },
  )
})

test("[CD2] things that refer to each other in any way", () => {
  const links = fc.array(fc.tuple(fc.nat(39), fc.nat(39)), { maxLength: 80 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), links, (size, pairs) => {
      const things = Array.from({ length: size }, (_, i) => makeThing(i))
      for (const [from, to] of pairs) link(things[from % size] as object, things[to % size] as object)
      const copy = copyOf(things) as object[]
      assert.deepEqual(outline(copy), outline(things))
    }),
    { numRuns: RUNS / 4 },
  )
})

function makeThing(i: number): object {
  return [{ i }, [i], new Map([[i, i]]), new Set([i]), new Error(String(i))][i % 5] as object
}

function link(from: object, to: object): void {
  if (Array.isArray(from)) from.push(to)
  else if (from instanceof Map) from.set(to, from.size)
  else if (from instanceof Set) from.add(to)
  else (from as Record<string, unknown>)[`to${Object.keys(from).length}`] = to
}

/** What refers to what, by numbers in the order of a walk. */
function outline(root: object): string[] {
  const numbers = new Map<object, number>()
  const lines: string[] = []
  const visit = (value: unknown): string => {
    if (typeof value !== "object" || value === null) return String(value)
    const known = numbers.get(value)
    if (known !== undefined) return `#${known}`
    numbers.set(value, numbers.size)
    let inner: unknown[]
    if (value instanceof Map) inner = [...value].flat()
    else if (value instanceof Set) inner = [...value]
    else inner = Object.entries(value).flat()
    lines.push(`${value.constructor.name}(${inner.map(visit).join()})`)
    return `#${numbers.get(value)}`
  }
  visit(root)
  return lines
}

// ------------------------------------------------------------------ bytes

function decodeOrRefuse(kind: number, bytes: Uint8Array): void {
  const encoded = EncodedValue.toRead(kind, bytes.length)
  encoded.bytes.set(bytes)
  try {
    decode(encoded, [new SharedArrayBuffer(8)])
  } catch (error) {
    if (!(error instanceof NotSerializableError)) throw error
  } finally {
    encoded.release()
  }
}

/** Tags and small numbers prevail, so that there is something to read. */
const noise = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.array(fc.oneof(fc.integer({ min: 0, max: 32 }), fc.integer({ min: 0x80, max: 0x84 })), { maxLength: 200 }),
)

test("[CD11] bytes that nobody encoded are read or refused", () => {
  fc.assert(
    fc.property(fc.constantFrom(TREE, GRAPH), noise, (kind, bytes) => decodeOrRefuse(kind, Uint8Array.from(bytes))),
    { numRuns: RUNS * 5 },
  )
})

test("[CD11] a value with some of its bytes changed is read or refused", () => {
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(anything, changes, (value, list) => {
      const encoded = encode([value, new Error("x"), { a: 1, b: [value] }])
      const bytes = Uint8Array.from(encoded.bytes.subarray(0, encoded.length))
      encoded.release()
      for (const [at, byte] of list) bytes[at % bytes.length] = byte
      decodeOrRefuse(GRAPH, bytes)
    }),
    { numRuns: RUNS },
  )
})
