/** Rule ids are those of docs/spec/codec.md. */
import { NotSerializableError } from "corepool"
import { decodeArguments, encodeArguments } from "#src/codec/arguments.js"
import { encode } from "#src/codec/codec.js"
import {
  EncodedValue,
  NO_ARGUMENTS,
  ONE_DOUBLE,
  ONE_INT,
  TREE,
  TWO_DOUBLES,
  TWO_INTS,
} from "#src/codec/bytes/encoded-value.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { thrownBy } from "../../support/harness.ts"

/** As through the memory of a task: kind, length and words. */
function through(args: readonly unknown[]): { kind: number; length: number; args: unknown[] } {
  const written = encodeArguments(args)
  const { kind, length } = written
  const words = written.words.slice(0, (length + 3) >> 2)
  written.release()
  const read = EncodedValue.toRead(kind, length)
  read.words.set(words)
  const decoded = decodeArguments(read)
  read.release()
  return { kind, length, args: decoded }
}

test("[CD12] none, and one or two numbers, are nothing but words", () => {
  for (const [args, kind, length] of [
    [[], NO_ARGUMENTS, 0],
    [[7], ONE_INT, 4],
    [[-(2 ** 31)], ONE_INT, 4],
    [[-0], ONE_DOUBLE, 8],
    [[2 ** 31], ONE_DOUBLE, 8],
    [[Number.NaN], ONE_DOUBLE, 8],
    [[1, -2], TWO_INTS, 8],
    [[1, -0], TWO_DOUBLES, 16],
    [[0.5, 1], TWO_DOUBLES, 16],
  ] as const) {
    assert.deepStrictEqual(through(args), { kind, length, args: [...args] })
  }
})

test("[CD12] others are a list of values", () => {
  const point = { x: 1 }
  for (const args of [
    [1, 2, 3],
    [undefined],
    ["a"],
    [1, "a"],
    [null, 1],
    [point, point],
    [[1], new Map([[1, 2]])],
    [1n],
  ]) {
    assert.deepStrictEqual(through(args).args, args)
  }
  const [first, second] = through([point, point]).args
  assert.equal(first, second)
  assert.equal(through(["a"]).kind, TREE)
})

test("[CD12] a refusal says which argument it is about", () => {
  const error = thrownBy(() => encodeArguments([1, { callback: () => 1 }]))
  assert.ok(error instanceof NotSerializableError)
  assert.equal(error.message, "Function callback in `args[1].callback` cannot be copied")
})

test("[CD11][CD12] a letter with something else is refused", () => {
  assert.ok(thrownBy(() => decodeArguments(encode({ a: 1 }))) instanceof NotSerializableError)
  assert.ok(thrownBy(() => decodeArguments(encode("text"))) instanceof NotSerializableError)
  assert.ok(thrownBy(() => decodeArguments(EncodedValue.toRead(99, 0))) instanceof NotSerializableError)
})
