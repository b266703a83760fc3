/** The arena, one operation at a time. Ids such as [AR1] refer to docs/spec/memory-structures.md. */
import { Arena, ARENA, BLOCK, KIND, KINDS } from "#src/memory/structures/arena.js"
import { LINE } from "#src/memory/layout.js"
import assert from "node:assert/strict"
import test from "node:test"

const UNIT = 128
const HEADER = BLOCK.DATA * 4

/** An arena of so many units that cannot grow. */
function arenaOf(units: number): Arena {
  return new Arena(new SharedArrayBuffer(Arena.overhead + units * UNIT))
}

/** As many bytes as a whole block of so many units has room for. */
function roomOf(units: number): number {
  return units * UNIT - HEADER
}

function pattern(length: number, seed: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (i * 31 + seed) & 255)
}

/** A buffer that grows as `grow` has it. */
function growingBy(grow: (buffer: SharedArrayBuffer, bytes: number) => void): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(Arena.overhead + 2 * UNIT, { maxByteLength: 2 ** 20 })
  return Object.defineProperty(buffer, "grow", { value: (bytes: number) => grow(buffer, bytes) })
}

function reallyGrow(buffer: SharedArrayBuffer, bytes: number): void {
  SharedArrayBuffer.prototype.grow.call(buffer, bytes)
}

test("[AR1] memory that is all 0 is an arena without blocks", () => {
  const arena = arenaOf(4)
  assert.equal(arena.used, 0)
  assert.equal(arena.extent, 0)
  assert.equal(Arena.reserve().extent, 0)
})

test("[AR1] several objects over one buffer are one arena", () => {
  const arena = arenaOf(2)
  const other = new Arena(arena.buffer)
  const [a, b] = [arena.take(1), other.take(1)]
  assert.notEqual(a, b)
  assert.equal(arena.take(1), 0)
  arena.write(a, pattern(9, 1))
  assert.deepEqual(other.read(a, 9), pattern(9, 1))
  assert.ok(other.give(a))
  assert.equal(arena.give(a), false)
  assert.equal(arena.take(1), a)
})

test("[AR1] a buffer that is too short is refused, and so is a size that is none", () => {
  assert.throws(() => new Arena(new SharedArrayBuffer(Arena.overhead - 1)), RangeError)
  for (const size of [-1, 0, Arena.overhead - 1, 1e6 + 0.5, NaN]) assert.throws(() => Arena.reserve(size), RangeError)
})

test("[AR2] a block has room for what was asked, and is less than twice as long as need be", () => {
  const arena = Arena.reserve()
  for (let units = 1; units <= 2 ** (KINDS - 1); units *= 2) {
    for (const bytes of [roomOf(units) - 1, roomOf(units), roomOf(units) + 1]) {
      const block = arena.take(bytes)
      if (bytes > Arena.largest) {
        assert.equal(block, 0)
        continue
      }
      assert.ok(Number.isInteger(block) && block > 0 && block < 2 ** 31)
      assert.ok(arena.roomIn(block) >= bytes)
      assert.ok(bytes < UNIT || arena.roomIn(block) + HEADER < 2 * (bytes + HEADER))
      assert.ok(arena.give(block))
    }
  }
  assert.equal(arena.roomIn(arena.take(0)), roomOf(1))
})

test("[AR2] what all threads write of different sizes lies on different cache lines", () => {
  assert.ok(ARENA.KINDS >= LINE && ARENA.KINDS % LINE === 0)
  assert.equal(KIND.SIZE % LINE, 0)
  assert.ok(KIND.HEAD % 2 === 0 && KIND.TAKEN >= KIND.HEAD + 2 && KIND.TAKEN < KIND.SIZE)
})

test("[AR3] what is written is read back, whole or in part", () => {
  const arena = arenaOf(16)
  const block = arena.take(1000)
  const bytes = pattern(1000, 5)
  arena.write(block, bytes)
  assert.deepEqual(arena.read(block, 1000), bytes)
  assert.deepEqual(arena.read(block, 10, 990), bytes.subarray(990))
  arena.write(block, Uint8Array.of(1, 2, 3, 4), 3, 500)
  const changed = bytes.slice()
  changed.set([1, 2, 3], 500)
  assert.deepEqual(arena.read(block, 1000), changed)
  // From the middle of something larger, as buffers often are.
  arena.write(block, changed.subarray(498), 3)
  assert.deepEqual([...arena.read(block, 3)], [changed[498], changed[499], 1])
  const target = new Uint8Array(8).fill(9)
  arena.readInto(target.subarray(2), block, 4, 499)
  assert.deepEqual([...target], [9, 9, bytes[499], 1, 2, 3, 9, 9])
  assert.equal(arena.read(block, 0).length, 0)
})

test("[AR3] what was read does not change any more", () => {
  const arena = arenaOf(2)
  const block = arena.take(100)
  arena.write(block, pattern(100, 1))
  const copy = arena.read(block, 100)
  assert.ok(!(copy.buffer instanceof SharedArrayBuffer))
  arena.write(block, pattern(100, 2))
  assert.deepEqual(copy, pattern(100, 1))
})

test("[AR3] blocks filled to their last byte leave each other alone", () => {
  const arena = arenaOf(64)
  const blocks = [1, 2, 8, 1, 4, 16, 2].map((units) => arena.take(roomOf(units)))
  for (const [i, block] of blocks.entries()) arena.write(block, pattern(arena.roomIn(block), i))
  for (const [i, block] of blocks.entries()) {
    const room = arena.roomIn(block)
    assert.deepEqual(arena.read(block, room), pattern(room, i))
    assert.ok(arena.give(block))
  }
  assert.equal(arena.used, 0)
})

test("[AR4] without room there is no block, until one is given back", () => {
  const arena = arenaOf(5)
  const four = arena.take(roomOf(4))
  assert.equal(arena.take(roomOf(2)), 0)
  const one = arena.take(roomOf(1))
  assert.notEqual(one, 0)
  assert.equal(arena.take(0), 0)
  arena.give(four)
  assert.equal(arena.take(roomOf(8)), 0)
  assert.equal(arena.take(roomOf(4)), four)
})

test("[AR4] more than the largest block is no room", () => {
  const arena = Arena.reserve()
  for (const bytes of [Arena.largest + 1, 2 ** 31, 2 ** 40, Infinity]) assert.equal(arena.take(bytes), 0)
  assert.equal(arena.extent, 0)
  assert.notEqual(arena.take(Arena.largest), 0)
})

test("[AR4] if the machine has no more memory, there is no room, and nothing is lost", () => {
  let refusing = true
  const arena = new Arena(
    growingBy((buffer, bytes) => {
      if (refusing) throw new RangeError("not now")
      reallyGrow(buffer, bytes)
    }),
  )
  assert.equal(arena.take(roomOf(4)), 0)
  assert.equal(arena.extent, 0)
  const small = arena.take(roomOf(2))
  assert.notEqual(small, 0)
  refusing = false
  assert.notEqual(arena.take(roomOf(4)), 0)
  assert.equal(arena.extent, 6 * UNIT)
})

test("[AR4] if the machine has no more than is needed, that will do", () => {
  const need = Arena.overhead + 4 * UNIT
  const arena = new Arena(
    growingBy((buffer, bytes) => {
      if (bytes > need) throw new RangeError("too much")
      reallyGrow(buffer, bytes)
    }),
  )
  assert.notEqual(arena.take(roomOf(4)), 0)
  assert.equal(arena.take(roomOf(1)), 0)
})

test("[AR4] what is no want of memory is not taken for it", () => {
  const arena = new Arena(
    growingBy(() => {
      throw new TypeError("broken")
    }),
  )
  assert.throws(() => arena.take(roomOf(4)), TypeError)
})

test("[AR14] that another thread was faster to make the buffer larger is no want of memory", () => {
  const arena = new Arena(
    growingBy((buffer, bytes) => {
      if (buffer.byteLength < 2 ** 16) reallyGrow(buffer, 2 ** 16)
      reallyGrow(buffer, bytes)
    }),
  )
  assert.notEqual(arena.take(roomOf(4)), 0)
  assert.equal(arena.buffer.byteLength, 2 ** 16)
})

test("[AR14] an object whose views are too short reaches what others have made", () => {
  const arena = Arena.reserve()
  const other = new Arena(arena.buffer)
  const third = new Arena(arena.buffer)
  const blocks = Array.from({ length: 20 }, () => arena.take(100_000))
  const last = blocks.at(-1) ?? 0
  arena.write(last, pattern(100_000, 3))
  assert.deepEqual(other.read(last, 100_000), pattern(100_000, 3))
  assert.ok(third.give(last))
  assert.equal(new Arena(arena.buffer).take(100_000), last)
})

test("[AR5][AR9] a block given back is taken next, and the extent stays", () => {
  const arena = Arena.reserve()
  for (const bytes of [1, 200, 5000, 70_000, 1_000_000]) {
    const block = arena.take(bytes)
    const { extent, used } = arena
    for (let i = 0; i < 100; i++) {
      assert.ok(arena.give(block))
      assert.equal(arena.take(bytes), block)
    }
    assert.equal(arena.extent, extent)
    assert.equal(arena.used, used)
  }
})

test("[AR5][AR9] a larger block is cut, and every part of it is used", () => {
  const arena = arenaOf(24)
  const [eight, sixteen] = [arena.take(roomOf(8)), arena.take(roomOf(16))]
  assert.equal(arena.used, 24 * UNIT)
  arena.give(sixteen)
  arena.give(eight)
  assert.equal(arena.used, 0)
  // The smaller of the two is cut first.
  assert.equal(arena.take(roomOf(1)), eight)
  assert.equal(arena.take(roomOf(16)), sixteen)
  const parts = [4, 2, 1].map((units) => arena.take(roomOf(units)))
  assert.ok(!parts.includes(0))
  assert.equal(arena.take(0), 0)
  assert.equal(arena.used, 24 * UNIT)
  assert.equal(arena.extent, 24 * UNIT)
})

test("[AR6] sizes that take turns come to an end of their demand", () => {
  const arena = Arena.reserve()
  const sizes = [100, 3_000_000, 700, 40_000, 9_000, 250_000]
  const round = (): void => {
    for (const bytes of sizes) {
      const blocks = Array.from({ length: 8 }, () => arena.take(bytes))
      assert.ok(!blocks.includes(0))
      for (const block of blocks) arena.give(block)
    }
  }
  for (let i = 0; i < 3; i++) round()
  const { extent } = arena
  for (let i = 0; i < 50; i++) round()
  assert.equal(arena.extent, extent)
})

test("[AR7] what is not the name of a block in use cannot be given", () => {
  const arena = arenaOf(32)
  const [a, b] = [arena.take(roomOf(4)), arena.take(roomOf(4))]
  arena.write(b, new Uint8Array(arena.roomIn(b)).fill(0xff))
  assert.ok(arena.give(a))
  const before = new Uint8Array(arena.buffer).slice()
  const inner = [1, 2, 3].map((units) => b + (units * UNIT) / 4)
  for (const wrong of [
    a,
    0,
    -1,
    1,
    32,
    a + 1,
    b - 1,
    b + 32.5,
    ...inner,
    b + UNIT,
    2 ** 31,
    2 ** 32 + b,
    NaN,
    Infinity,
  ]) {
    assert.equal(arena.give(wrong), false, `${wrong}`)
  }
  assert.equal(arena.give(`${b}` as never), false)
  assert.deepEqual(new Uint8Array(arena.buffer).slice(), before)
  assert.ok(arena.give(b))
})

test("[AR7] a free block cannot be given, whatever its last user left where it begins", () => {
  const seals = arenaOf(2)
  seals.take(1)
  const upper = seals.take(1)
  const seal = new Uint8Array(seals.buffer, upper * 4, 4).slice()
  // The same place in another arena is the middle of a block, until that is cut.
  const arena = arenaOf(2)
  const block = arena.take(roomOf(2))
  arena.write(block, seal, 4, UNIT - HEADER)
  arena.give(block)
  arena.take(1)
  assert.equal(arena.give(upper), false)
  assert.equal(arena.take(1), upper)
})

test("[AR8] what is not the name of a block in use can neither be written nor read", () => {
  const arena = arenaOf(8)
  const given = arena.take(10)
  const used = arena.take(10)
  arena.give(given)
  for (const wrong of [given, 0, -32, used + 1, used + 32, NaN, 2 ** 40]) {
    assert.throws(() => arena.write(wrong, Uint8Array.of(1)), RangeError)
    assert.throws(() => arena.read(wrong, 1), { name: "RangeError", message: /^Expected `block` to be a block in use/ })
    assert.throws(() => arena.roomIn(wrong), RangeError)
  }
})

test("[AR8] what does not fit is refused, and nothing is written", () => {
  const arena = arenaOf(8)
  const block = arena.take(roomOf(2))
  const room = arena.roomIn(block)
  const before = new Uint8Array(arena.buffer).slice()
  const long = new Uint8Array(room + 1).fill(7)
  assert.throws(() => arena.write(block, long), RangeError)
  assert.throws(() => arena.write(block, long, room, 1), RangeError)
  assert.throws(() => arena.write(block, long, room + 2), RangeError)
  for (const wrong of [-1, 0.5, NaN, Infinity]) {
    assert.throws(() => arena.write(block, long, wrong), RangeError)
    assert.throws(() => arena.write(block, long, 1, wrong), RangeError)
    assert.throws(() => arena.read(block, wrong), RangeError)
    assert.throws(() => arena.read(block, 1, wrong), RangeError)
  }
  assert.throws(() => arena.read(block, room + 1), RangeError)
  assert.throws(() => arena.read(block, 2, room - 1), RangeError)
  assert.throws(() => arena.readInto(new Uint8Array(3), block, 4), RangeError)
  assert.throws(() => arena.write(block, long, "1" as never), TypeError)
  assert.deepEqual(new Uint8Array(arena.buffer).slice(), before)
  arena.write(block, long, 1, room - 1)
  assert.deepEqual([...arena.read(block, 2, room - 2)], [0, 7])
})

test("[AR8] only a number of bytes can be asked for", () => {
  const arena = arenaOf(8)
  for (const wrong of [-1, 0.5, NaN, -Infinity]) assert.throws(() => arena.take(wrong), RangeError)
  assert.throws(() => arena.take("5" as never), TypeError)
  assert.equal(arena.used, 0)
})

for (const tag of [2 ** 31 - 2, 2 ** 32 - 2]) {
  test(`[AR15] a tag runs on from ${tag}`, () => {
    const arena = arenaOf(3)
    const words = new Int32Array(arena.buffer)
    // No block is free yet, so the head is nothing but its tag.
    new BigInt64Array(arena.buffer)[(ARENA.KINDS + KIND.HEAD) / 2] = BigInt.asIntN(64, BigInt(tag) << 32n)
    for (let i = 0; i < 5; i++) {
      const blocks = [arena.take(1), arena.take(1), arena.take(1)]
      assert.equal(new Set(blocks).size, 3)
      assert.equal(arena.take(1), 0)
      for (const block of blocks) assert.ok(arena.give(block))
    }
    assert.equal(words[ARENA.KINDS + KIND.HEAD + 1], (tag + 15) | 0)
  })
}
