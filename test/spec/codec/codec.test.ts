/** Rule ids are those of docs/spec/codec.md. */
import { LinkedBlockingQueue, NotSerializableError, ReentrantLock, TimeoutError } from "corepool"
import { copyOf, decode, encode } from "#src/codec/codec.js"
import { EncodedValue } from "#src/codec/bytes/encoded-value.js"
import * as fc from "fast-check"
import assert from "node:assert/strict"
import { test } from "node:test"
import { inspect } from "node:util"
import { runInNewContext } from "node:vm"
import { thrownBy } from "../../support/harness.ts"

test("[CD1] plain values arrive as they are", () => {
  for (const value of [
    ...[
      undefined,
      null,
      true,
      false,
      0,
      -0,
      1,
      -1,
      2 ** 31 - 1,
      2 ** 31,
      -(2 ** 31),
      0.1,
      Infinity,
      -Infinity,
      Number.NaN,
    ],
    ...[
      "",
      "a",
      "ä",
      "ÿ",
      "€",
      "\0",
      "😀",
      "\ud800",
      "x".repeat(256),
      "x".repeat(257),
      "€".repeat(1000),
      0n,
      -(2n ** 100n),
    ],
  ]) {
    assert.ok(Object.is(copyOf(value), value), String(value))
  }
})

test("[CD1] any value of plain data arrives equal", () => {
  fc.assert(
    fc.property(
      fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withTypedArray: true }),
      (value) => {
        // To deepEqual of Node 20 and 22 two invalid dates are different; another test copies one.
        fc.pre(!inspect(value, { depth: Infinity, maxArrayLength: Infinity }).includes("Invalid Date"))
        // Prototypes are not copied.
        assert.deepEqual(copyOf(value), structuredClone(value))
      },
    ),
  )
})

test("[CD1] things of the language arrive as what they are", () => {
  for (const value of [
    new Date(7),
    /a+(?<name>b)/giu,
    Object(1) as object,
    Object(2n) as object,
    new Map<unknown, unknown>([[{ a: 1 }, new Set([Number.NaN, -0])]]),
    [1, , 3, ,], // oxlint-disable-line eslint/no-sparse-arrays -- holes are what is copied
    Array.from({ length: 200 }, (_, i) => (i % 3 === 0 ? i * 1000 : i / 3)),
    Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`key ${i}`, i])),
    { "": 1, "€": 2, ["x".repeat(70_000)]: 3, "1": 4 },
    { a: undefined },
    {},
    [],
  ]) {
    assert.deepStrictEqual(copyOf(value), structuredClone(value))
  }
})

test("[CD1] dates that are none arrive as such", () => {
  const copy = copyOf(new Date(Number.NaN))
  assert.ok(copy instanceof Date)
  assert.ok(Number.isNaN(copy.getTime()))
})

test("[CD1] objects lose their class, arrays what is no element", () => {
  class Point {
    x = 1
    readonly #hidden = 2
    get y(): number {
      return this.#hidden
    }
    toJSON(): string {
      return "nothing"
    }
  }
  assert.deepStrictEqual(copyOf(new Point()), { x: 1 })
  assert.deepStrictEqual(copyOf(Object.assign(Object.create(null) as object, { x: 1 })), { x: 1 })
  assert.deepStrictEqual(copyOf(Object.assign([1], { more: 2 })), [1])
  class Registry extends Map<string, number> {}
  assert.deepStrictEqual(copyOf(new Registry([["a", 1]])), new Map([["a", 1]]))
})

test("[CD1] things of another global scope arrive as those of this one", () => {
  const script =
    "({ date: new Date(7), map: new Map([[1, { a: 1 }]]), list: [1], bytes: new Uint8Array([1]), error: new RangeError('r') })"
  const copy = copyOf(runInNewContext(script)) as Record<string, unknown>
  assert.deepStrictEqual(copy["date"], new Date(7))
  assert.deepStrictEqual(copy["map"], new Map([[1, { a: 1 }]]))
  assert.deepStrictEqual(copy["list"], [1])
  assert.deepStrictEqual(copy["bytes"], new Uint8Array([1]))
  assert.ok(copy["error"] instanceof Error)
  assert.deepEqual([copy["error"].name, copy["error"].message], ["RangeError", "r"])
})

test("[CD2] structure is kept: cycles, and one thing in two places", () => {
  const inner = { n: 1 }
  const value: Record<string, unknown> = { left: inner, right: inner, map: new Map([[inner, new Set([inner])]]) }
  value["self"] = value
  const copy = copyOf(value) as typeof value & { map: Map<object, Set<object>> }
  assert.equal(copy["self"], copy)
  assert.equal(copy["left"], copy["right"])
  assert.deepEqual(copy.map.get(copy["left"] as object), new Set([copy["right"]]))
  assert.notEqual(copy["left"], inner)
})

test("[CD2] also among many things, and of things of any kind", () => {
  const many: object[] = Array.from(
    { length: 100 },
    (_, i) =>
      [
        [],
        {},
        new Date(i),
        new Map(),
        new Set(),
        /x/,
        new Error("e"),
        new Uint8Array(1),
        new ArrayBuffer(1),
        Object(1) as object,
      ][i % 10] as object,
  )
  const copies = copyOf([...many, ...many]) as object[]
  copies.slice(0, 100).forEach((copy, i) => assert.equal(copies[100 + i], copy))
  assert.equal(new Set(copies).size, 100)
})

test("[CD2] buffers and views are copies of their own", () => {
  const numbers = new Float64Array([1, 2, 3])
  const first = copyOf({ numbers }) as { numbers: Float64Array }
  const second = copyOf({ numbers: new Float64Array([7, 8, 9]) }) as { numbers: Float64Array }
  assert.deepEqual(first.numbers, numbers)
  assert.deepEqual(second.numbers, new Float64Array([7, 8, 9]))
  const part = new Uint8Array([1, 2, 3, 4]).subarray(1, 3)
  assert.deepEqual(copyOf(part), new Uint8Array([2, 3]))
  assert.deepEqual(copyOf(part.buffer), new Uint8Array([1, 2, 3, 4]).buffer)
  const small = copyOf({ small: Buffer.from("secret") }) as { small: Buffer }
  assert.ok(Buffer.isBuffer(small.small))
  assert.equal(small.small.toString(), "secret")
  assert.equal(small.small.buffer.byteLength, 6)
  for (const view of [new DataView(part.buffer, 1, 2), new BigInt64Array([-1n, 5n]), new Uint8ClampedArray([7])]) {
    assert.deepStrictEqual(copyOf(view), view)
  }
  const resizable = new (ArrayBuffer as unknown as new (n: number, o: object) => ArrayBuffer)(2, { maxByteLength: 8 })
  assert.deepEqual((copyOf(resizable) as { maxByteLength?: number }).maxByteLength, 8)
})

// ------------------------------------------------------------------ errors

class ParseError extends SyntaxError {
  override readonly name = "ParseError"
  readonly line: number
  readonly code = "E_PARSE"
  readonly source = { text: "a b", open: () => undefined }
  readonly at = new Date(7)

  constructor(message: string, line: number, options?: ErrorOptions) {
    super(message, options)
    this.line = line
  }
}

test("[CD3] errors keep name, message, stack, cause and own fields", () => {
  const error = new ParseError("bad", 7, { cause: new RangeError("worse") })
  const copy = copyOf(error) as ParseError
  assert.notEqual(copy, error)
  assert.ok(copy instanceof Error)
  assert.deepEqual([copy.name, copy.message, copy.stack], [error.name, error.message, error.stack])
  assert.deepEqual([copy.line, copy.code, copy.at], [7, "E_PARSE", new Date(7)])
  assert.deepEqual(Object.keys(copy), ["name", "line", "code", "at"])
  assert.ok(copy.cause instanceof RangeError)
  assert.equal(copy.cause.message, "worse")
  assert.equal(Object.prototype.propertyIsEnumerable.call(copy, "cause"), false)
  assert.equal(`${copy}`, "ParseError: bad")
})

test("[CD3] errors survive anywhere inside of a value, and refer to each other", () => {
  const error: Error = new Error("outer")
  error.cause = { reason: error, list: [new TypeError("inner")] }
  const value = { error, all: [error], map: new Map<unknown, unknown>([[error, 1]]), set: new Set([error]), n: 1 }
  const copy = copyOf(value) as typeof value
  assert.ok(copy.error instanceof Error)
  assert.equal(copy.all[0], copy.error)
  assert.equal(copy.map.get(copy.error), 1)
  assert.ok(copy.set.has(copy.error))
  const cause = copy.error.cause as { reason: unknown; list: unknown[] }
  assert.equal(cause.reason, copy.error)
  assert.ok(cause.list[0] instanceof TypeError)
  assert.equal(copy.n, 1)
  const many = copyOf(new AggregateError([new Error("a"), "b"], "several")) as AggregateError
  assert.ok(many instanceof AggregateError)
  assert.deepEqual([(many.errors[0] as Error).message, many.errors[1]], ["a", "b"])
})

test("[CD4] errors of the language and of corepool keep their class, others the nearest of these", () => {
  for (const error of [
    new TypeError("t"),
    new URIError("u"),
    new TimeoutError("late"),
    new NotSerializableError("n"),
  ]) {
    const copy = copyOf(error) as Error
    assert.equal(Object.getPrototypeOf(copy), Object.getPrototypeOf(error))
    assert.equal(copy.name, error.name)
  }
  assert.equal((copyOf(new TimeoutError("late")) as TimeoutError).code, "ERR_COREPOOL_TIMEOUT")
  const aborted = copyOf(AbortSignal.abort().reason) as DOMException
  assert.ok(aborted instanceof DOMException)
  assert.deepEqual([aborted.name, aborted.code], ["AbortError", DOMException.ABORT_ERR])
  const copy = copyOf(new ParseError("bad", 1))
  assert.equal(Object.getPrototypeOf(copy), SyntaxError.prototype)
  class TypeErrorOfMine extends Error {}
  Object.defineProperty(TypeErrorOfMine, "name", { value: "TypeError" })
  assert.equal(Object.getPrototypeOf(copyOf(new TypeErrorOfMine("mine"))), Error.prototype)
})

test("[CD5] what an error drags along and cannot be copied is left behind", () => {
  const copy = copyOf(new ParseError("bad", 1)) as ParseError
  assert.equal("source" in copy, false)
  const error = Object.assign(new Error("x"), { callback: () => 1, lock: new ReentrantLock(), kept: [1] })
  assert.deepEqual(Object.keys(copyOf({ error }) as object), ["error"])
  assert.deepEqual(Object.keys((copyOf({ error }) as { error: object }).error), ["kept"])
  const evil = Object.defineProperties(new Error("x"), {
    name: {
      get() {
        throw new Error("no name")
      },
    },
    detail: {
      enumerable: true,
      get() {
        throw new Error("no detail")
      },
    },
  })
  assert.equal((copyOf(evil) as Error).message, "x")
})

test("[CD5] what was tried and left out leaves no trace", () => {
  const shared = { n: 1 }
  const error = Object.assign(new Error("x"), { bad: [shared, { n: 2 }, () => 1], good: [{ n: 3 }, shared] })
  const copy = copyOf([error, shared]) as [Error & { good: object[] }, object]
  assert.deepEqual(copy[0].good, [{ n: 3 }, { n: 1 }])
  assert.equal(copy[0].good[1], copy[1])
  const things = Array.from({ length: 30 }, () => ({}))
  const late = Object.assign(new Error("x"), { bad: [...things, () => 1], good: things })
  assert.deepEqual((copyOf(late) as typeof late).good, things)
})

// ------------------------------------------------------------------ refusals

function argumentsOf(..._args: unknown[]): unknown {
  return arguments
}

test("[CD6] what cannot be copied is refused, and the refusal says what it is and where", () => {
  function named(): void {
    // Its name is what matters.
  }
  for (const [value, message] of [
    [named, /^Function named cannot be copied$/],
    [{ jobs: [0, { callback: named }] }, /^Function named in `jobs\[1\]\.callback` cannot be copied$/],
    [[Symbol("s")], /^Symbol\(s\) in `\[0\]` cannot be copied$/],
    [new Map([["k", named]]), /^Function named in `get\(…\)` cannot be copied$/],
    [{ later: Promise.resolve() }, /^An instance of Promise in `later` cannot be copied: await it first$/],
    [{ weak: new WeakMap() }, /^An instance of WeakMap in `weak` cannot be copied$/],
    [{ ref: new WeakRef({}) }, /^An instance of WeakRef in `ref` cannot be copied$/],
    [[[].values()], /in `\[0\]` cannot be copied$/],
    [{ steps: (function* () {})() }, /in `steps` cannot be copied$/],
    [{ format: new Intl.NumberFormat() }, /^An instance of NumberFormat in `format` cannot be copied$/],
    [{ where: new URL("a:b") }, /^An instance of URL in `where` cannot be copied$/],
    [{ box: Object(Symbol("s")) as object }, /^An instance of Symbol in `box` cannot be copied$/],
    [argumentsOf(1, 2), /^An instance of Object cannot be copied/],
    [new Set([new Map([[{ f: named }, 1]])]), /^Function named in `\(…\)\.get\(…\)\.f` cannot be copied$/],
    [new Error("x", { cause: 1 }), undefined],
  ] as const) {
    if (message === undefined) {
      assert.ok(copyOf(value) instanceof Error)
      continue
    }
    const error = thrownBy(() => copyOf(value))
    assert.ok(error instanceof NotSerializableError)
    assert.match(error.message, message)
  }
})

test("[CD7] what lies in shared memory is refused, and nothing becomes shared by the attempt", () => {
  const shared = new SharedArrayBuffer(8)
  for (const value of [new Blob(["a"]), { port: new MessageChannel().port1 }]) {
    const error = thrownBy(() => copyOf(value))
    assert.ok(error instanceof NotSerializableError)
    assert.match(error.message, /(Blob|MessagePort).*post it/)
  }
  for (const value of [shared, { view: new Int32Array(shared) }, [new DataView(shared)]]) {
    const error = thrownBy(() => copyOf(value))
    assert.ok(error instanceof NotSerializableError)
    assert.match(error.message, /shared memory/)
  }
  const queue = new LinkedBlockingQueue<unknown>()
  const element = () => 1
  queue.add(element)
  for (const value of [{ lock: new ReentrantLock() }, { queue }]) {
    const error = thrownBy(() => copyOf(value))
    assert.ok(error instanceof NotSerializableError)
    assert.match(error.message, /(ReentrantLock|LinkedBlockingQueue) in `(lock|queue)` cannot be written down.*post it/)
  }
  assert.equal(queue.poll(), element, "it is still a local one")
})

// ------------------------------------------------------------------ letters

test("[CD8] letters are used again, and what was read from one does not change", () => {
  const values: unknown[] = []
  for (let i = 0; i < 50; i++) {
    const written = encode(i % 2 === 0 ? `string ${i}` : new Uint8Array([i, i, i]))
    const read = EncodedValue.toRead(written.kind, written.length)
    read.words.set(written.words.subarray(0, (written.length + 3) >> 2))
    written.release()
    values.push(decode(read))
    read.release()
  }
  values.forEach((value, i) => assert.deepEqual(value, i % 2 === 0 ? `string ${i}` : new Uint8Array([i, i, i])))
})

test("[CD11] bytes of no kind are refused", () => {
  const encoded = EncodedValue.toRead(0, 0)
  assert.ok(thrownBy(() => decode(encoded)) instanceof NotSerializableError)
})
