/** Rule ids are those of docs/spec/shared-queue.md. */
import { ByteStore, CELL, STORE } from "#src/memory/structures/byte-store.js"
import { GrowingWords } from "#src/memory/growing-words.js"
import { MemoryRecord } from "#src/memory/record.js"
import { CONTROL, ENTRY, LIST } from "#src/queue/shared/shared-layout.js"
import * as fc from "fast-check"
import assert from "node:assert/strict"
import { test } from "node:test"

function storeOf(memory: GrowingWords): ByteStore {
  return new ByteStore(memory, new MemoryRecord(new Int32Array(STORE.SIZE), 0))
}

function pattern(bytes: number, seed: number): Int32Array {
  return Int32Array.from({ length: (bytes + 3) >> 2 }, (_, i) => Math.imul(i + 1, seed * 2 + 1))
}

test("[BY1] pieces keep what they were filled with, whatever happens to others", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ bytes: fc.nat(700), take: fc.boolean(), pick: fc.nat(100) }), { maxLength: 60 }),
      (steps) => {
        const store = storeOf(GrowingWords.reserve(64, 200 * CELL.SIZE))
        const pieces: { piece: number; data: Int32Array }[] = []
        for (const [seed, { bytes, take, pick }] of steps.entries()) {
          if (take || pieces.length === 0) {
            const piece = store.take(bytes)
            if (piece === 0) continue
            const data = pattern(bytes, seed)
            store.fill(piece, data)
            pieces.push({ piece, data })
          } else {
            for (const { piece } of pieces.splice(pick % pieces.length, 1)) store.give(piece)
          }
          for (const { piece, data } of pieces) {
            const copy = new Int32Array(data.length)
            store.copy(piece, copy)
            assert.deepEqual(copy, data)
          }
        }
        for (const { piece } of pieces) store.give(piece)
        assert.equal(store.room, 199)
      },
    ),
  )
})

test("[BY2] the words of the user are his, and the first of them is 0 in a new piece", () => {
  const store = storeOf(GrowingWords.fixed(4 * CELL.SIZE))
  const piece = store.take(100)
  for (let word: number = CELL.OWN; word < CELL.DATA; word++) store.words[piece + word] = 77
  store.words[piece + CELL.LINK] = 77
  const data = pattern(100, 3)
  store.fill(piece, data)
  const copy = new Int32Array(25)
  store.copy(piece, copy)
  assert.deepEqual(copy, data)
  assert.equal(store.words[piece + CELL.OWN], 77)
  store.words[piece + CELL.OWN] = 0
  store.give(piece)
  for (let i = 0; i < 3; i++) assert.equal(store.words[store.take(0) + CELL.OWN], 0)
})

test("[BY3] when there is no room the answer is 0, also if only the spare ones are left", () => {
  const store = storeOf(GrowingWords.fixed(11 * CELL.SIZE))
  assert.equal(store.room, 10)
  assert.equal(ByteStore.cellsFor(24), 1)
  assert.equal(ByteStore.cellsFor(25), 2)
  assert.equal(ByteStore.cellsFor(24 + 56), 2)
  assert.equal(store.couldHold(24 + 9 * 56, 0), true)
  assert.equal(store.couldHold(24 + 9 * 56 + 1, 0), false)
  assert.equal(store.couldHold(24 + 9 * 56, 1), false)
  const long = store.take(24 + 6 * 56, 3)
  assert.notEqual(long, 0)
  assert.equal(store.take(0, 3), 0)
  assert.equal(store.take(24 + 3 * 56), 0)
  const pieces = [store.take(0), store.take(0), store.take(0)]
  assert.equal(new Set([...pieces, 0]).size, 4)
  assert.equal(store.take(0), 0)
  store.give(long)
  assert.equal(store.room, 7)
})

test("[BY4] the memory grows, also under the eyes of another thread's view", () => {
  const memory = GrowingWords.reserve(64, 100_000 * CELL.SIZE)
  const state = new MemoryRecord(new Int32Array(STORE.SIZE), 0)
  const here = new ByteStore(memory, state)
  const there = new ByteStore(GrowingWords.over(memory.buffer), state)
  const data = pattern(5000, 5)
  const piece = here.take(5000)
  here.fill(piece, data)
  there.refresh()
  const copy = new Int32Array(1250)
  there.copy(piece, copy)
  assert.deepEqual(copy, data)
  there.give(piece)
  assert.equal(here.room, 99_999)
})

test("[BY4] where the runtime has no such stretch of addresses, less is reserved", () => {
  const memory = GrowingWords.reserve(64, 2 ** 45)
  assert.ok(memory.maximum >= 64 && memory.maximum < 2 ** 45)
  assert.throws(() => GrowingWords.reserve(2 ** 45, 2 ** 45), RangeError)
})

test("[BY5] after a death everything is free that belongs to no piece in use", () => {
  const store = storeOf(GrowingWords.fixed(20 * CELL.SIZE))
  const use = (piece: number): number => {
    store.words[piece + CELL.OWN] = 1
    return piece
  }
  const kept = use(store.take(200))
  store.fill(kept, pattern(200, 9))
  const gone = use(store.take(100))
  store.take(300) // somebody died before it was in use
  assert.deepEqual([...store.pieces()], [kept, gone])
  store.rebuild([kept])
  assert.equal(store.room, 19 - ByteStore.cellsFor(200))
  const copy = new Int32Array(50)
  store.copy(kept, copy)
  assert.deepEqual(copy, pattern(200, 9))
})

test("[BY6] no two words of a shared queue lie on each other", () => {
  const own = Object.values(ENTRY).filter((word) => word !== CELL.LINK)
  assert.deepEqual(
    own.toSorted((a, b) => a - b),
    Array.from({ length: CELL.DATA - CELL.OWN }, (_, i) => CELL.OWN + i),
  )
  assert.equal(ENTRY.STATE, CELL.OWN)
  const { STORE: store, ITEMS, PUTTERS, TAKERS, LEAVING, SIZE, ...single } = CONTROL
  const used = [
    ...Object.values(single).map((word) => [word]),
    Array.from({ length: STORE.SIZE }, (_, i) => store + i),
    ...[ITEMS, PUTTERS, TAKERS, LEAVING].map((list) => Array.from({ length: LIST.SIZE }, (_, i) => list + i)),
  ].flat()
  assert.equal(new Set(used).size, used.length)
  assert.equal(Math.max(...used), SIZE - 1)
})
