/** Values that are not what they seem, and bytes that are none. Rule ids are those of docs/spec/codec.md. */
import { NotSerializableError } from "corepool"
import { copyOf, decode, decodeFromBytes, encode, encodeToBytes } from "#src/codec/codec.js"
import { EncodedValue, TREE } from "#src/codec/bytes/encoded-value.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { thrownBy } from "../../support/harness.ts"

test("[CD10] proxies are refused, and asked nothing", () => {
  const asked: PropertyKey[] = []
  const nosy = new Proxy({}, { get: (_, key) => asked.push(key), ownKeys: () => [String(asked.push("keys"))] })
  const { proxy: revoked, revoke } = Proxy.revocable({}, {})
  revoke()
  for (const proxy of [nosy, new Proxy([1], {}), new Proxy(new Map(), {}), revoked]) {
    const error = thrownBy(() => copyOf({ inside: proxy }))
    assert.ok(error instanceof NotSerializableError)
    assert.match(error.message, /in `inside` is a proxy/)
  }
  assert.deepEqual(
    asked.filter((key) => key !== "constructor"),
    [],
    "only what it is called, for the message",
  )
})

test("[CD9] what a getter throws is not turned into text, which may be endless", () => {
  const endless = Object.assign([], { length: 2 ** 31 })
  const value = {
    get a(): never {
      throw endless as unknown as Error
    },
  }
  const error = thrownBy(() => copyOf(value))
  assert.ok(error instanceof NotSerializableError)
  assert.match(error.message, /: copying it threw an instance of Array$/)
  assert.equal(error.cause, endless)
})

test("[CD10] a key called __proto__ is a key, and keys of all objects are keys", () => {
  const text = `{ "__proto__": { "polluted": 1 }, "constructor": 2, "toString": 3, "hasOwnProperty": 4 }`
  const copy = copyOf(JSON.parse(text)) as object
  assert.equal(Object.getPrototypeOf(copy), Object.prototype)
  assert.deepEqual(JSON.stringify(copy), JSON.stringify(JSON.parse(text)))
  const large = Object.defineProperty(Object.fromEntries(Array.from({ length: 99 }, (_, i) => [i, i])), "__proto__", {
    value: 1,
    enumerable: true,
  })
  assert.deepEqual(Object.getOwnPropertyDescriptor(copyOf(large), "__proto__")?.value, 1)
})

test("[CD10] what an object says of itself means nothing", () => {
  assert.deepEqual(copyOf({ [Symbol.toStringTag]: "Map", size: 3 }), { size: 3 })
  for (const type of [Map, Date, Uint8Array, ArrayBuffer, Promise]) {
    assert.ok(thrownBy(() => copyOf(Object.create(type.prototype as object))) instanceof NotSerializableError)
    assert.doesNotThrow(() => copyOf([new Map(), new Date(), new Uint8Array()]), "and nothing is learned from it")
  }
  class Endless extends Set<number> {
    override *[Symbol.iterator](): SetIterator<number> {
      for (;;) yield 1
    }
    override forEach(): void {
      throw new Error("never called")
    }
    override get size(): number {
      return 1e9
    }
  }
  assert.deepStrictEqual(copyOf(new Endless([1, 2])), new Set([1, 2]))
  const date = Object.assign(new Date(7), { getTime: () => 8 })
  assert.deepStrictEqual((copyOf(date) as Date).getTime(), 7)
})

test("[CD10] something enumerable that all objects inherit does no harm", () => {
  // oxlint-disable-next-line eslint/no-extend-native -- that somebody does is what this is about
  Object.defineProperty(Object.prototype, "inherited", { value: 1, enumerable: true, configurable: true })
  try {
    assert.deepEqual(Object.keys(copyOf({ a: 1, b: undefined }) as object), ["a", "b"])
  } finally {
    delete (Object.prototype as { inherited?: unknown }).inherited
  }
})

test("[CD10] billions of holes take no time", () => {
  const holes: unknown[] = []
  holes.length = 2 ** 32 - 1
  holes[5] = "a"
  holes[2 ** 32 - 2] = "b"
  const encoded = encode([holes, holes])
  assert.ok(encoded.length < 100)
  const [copy] = decode(encoded) as [unknown[], unknown[]]
  assert.equal(copy.length, 2 ** 32 - 1)
  assert.deepEqual(Object.keys(copy), ["5", String(2 ** 32 - 2)])
  assert.deepEqual([copy[5], copy[2 ** 32 - 2]], ["a", "b"])
  assert.equal(5 in copy && !(4 in copy), true)
})

test("[CD10] what changes while it is being copied is copied somehow", () => {
  const object: Record<string, unknown> = {
    get first() {
      delete object["second"]
      object["fourth"] = 4
      return 1
    },
    second: 2,
    third: 3,
  }
  assert.deepEqual(copyOf(object), { first: 1, third: 3 })
  const array: unknown[] = [
    {
      get shrink() {
        array.length = 2
        return 1
      },
    },
    2,
    3,
  ]
  assert.deepEqual(copyOf(array), Object.assign([{ shrink: 1 }, 2], { length: 3 }))
  const map = new Map<unknown, unknown>()
  map.set("grow", {
    get now() {
      map.set("new", 1)
      return 1
    },
  })
  assert.deepEqual(copyOf(map), new Map([["grow", { now: 1 }]]))
})

test("[CD1][CD10] objects whose keys come often are copied like others", () => {
  const odd = [`"`, `'`, "`", "\\", "\n", "\u2028", "$", "{x}", "*/", "});", "", "0", "-1", "\0", "€", "get a"]
  for (let i = 0; i < 1000; i++) {
    const value = {
      all: Object.fromEntries(odd.map((key) => [key, i])),
      own: Object.defineProperty({ a: undefined }, "__proto__", { value: i, enumerable: true }),
      twice: [{ x: i }, { x: i + 1 }],
      get first() {
        if (i % 2 === 1) delete (this as { second?: unknown }).second
        return i
      },
      second: undefined,
    }
    const copy = copyOf(value) as object
    const { second: _, ...rest } = value
    assert.deepEqual(copy, i % 2 === 1 ? rest : { ...rest, second: undefined })
    assert.equal("second" in copy, i % 2 === 0)
  }
})

test("[CD10] a getter may encode something itself", () => {
  const value = {
    before: [1],
    get inner() {
      return copyOf({ a: [1, 2], before: "x" })
    },
    after: [2],
  }
  assert.deepEqual(copyOf(value), { before: [1], inner: { a: [1, 2], before: "x" }, after: [2] })
})

test("[CD9] what a getter throws is the cause", () => {
  const reason = new TypeError("not now")
  const value = {
    list: [
      {
        get bad() {
          throw reason
        },
      },
    ],
  }
  const error = thrownBy(() => copyOf(value))
  assert.ok(error instanceof NotSerializableError)
  assert.equal(error.cause, reason)
  assert.match(error.message, /in `list\[0\]` cannot be sent to another thread: copying it threw TypeError: not now$/)
  assert.deepEqual(copyOf({ list: [{ good: 1 }] }), { list: [{ good: 1 }] }, "and the next one is not affected")
})

test("[CD9] a value that is nested too deeply is refused", () => {
  let nested: unknown = 1
  for (let i = 0; i < 200_000; i++) nested = [nested]
  const error = thrownBy(() => copyOf(nested))
  assert.ok(error instanceof NotSerializableError)
  assert.match(error.message, /nested too deeply/)
  let modest: unknown = 1
  for (let i = 0; i < 500; i++) modest = { modest }
  assert.deepEqual(copyOf(modest), modest)
})

// ------------------------------------------------------------------ bytes

test("[CD11] bytes that were cut off, or have something behind them, are refused", () => {
  const value = {
    a: [1, 2.5, "three", 4n],
    b: new Map([[new Date(5), new Set([new Error("x")])]]),
    c: new Int16Array(3),
  }
  const bytes = encodeToBytes(value)
  for (let length = 1; length < bytes.length; length++) {
    const error = thrownBy(() => decodeFromBytes(bytes.subarray(0, length)))
    assert.ok(error instanceof NotSerializableError, String(error))
  }
  assert.ok(thrownBy(() => decodeFromBytes(Uint8Array.from([...bytes, 1]))) instanceof NotSerializableError)
  assert.ok(thrownBy(() => decodeFromBytes(new Uint8Array())) instanceof NotSerializableError)
})

test("[CD11] deeply nested bytes are refused, and long lengths cost nothing", () => {
  const deep = EncodedValue.toRead(TREE, 1_000_000)
  for (let i = 0; i < deep.length; i += 2) deep.bytes.set([12, 1], i) // an array of one
  assert.ok(thrownBy(() => decode(deep)) instanceof NotSerializableError)
  for (const tag of [9, 10, 12, 16, 18, 19, 23]) {
    const encoded = EncodedValue.toRead(TREE, 6)
    encoded.bytes.set([tag, 0xff, 0xff, 0xff, 0xff, 0x0f])
    assert.ok(thrownBy(() => decode(encoded)) instanceof NotSerializableError, `tag ${tag}`)
  }
})
