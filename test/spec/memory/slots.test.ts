/** The allocator of slots, one operation at a time. Ids such as [SL1] refer to docs/spec/memory-structures.md. */
import { LINE } from "#src/memory/layout.js"
import { Ring } from "#src/memory/structures/ring.js"
import { SLOT, Slots, SLOTS } from "#src/memory/structures/slots.js"
import assert from "node:assert/strict"
import test from "node:test"
import { Fenced, MEMORIES } from "./fenced.ts"

function slotsOf(capacity: number, bodyWords = 2): { slots: Slots; words: Int32Array } {
  const words = new Int32Array(Slots.wordsFor(capacity, bodyWords))
  return { slots: new Slots(words, 0, capacity, bodyWords), words }
}

function takeAll(slots: Slots, owner = 0): number[] {
  const handles: number[] = []
  for (let handle = slots.take(owner); handle !== 0; handle = slots.take(owner)) handles.push(handle)
  return handles
}

for (const capacity of [1, 2, 3, 7, 8, 100]) {
  test(`[SL1] there are ${capacity} slots to take, each once, and then 0`, () => {
    const { slots } = slotsOf(capacity)
    for (let round = 0; round < 3; round++) {
      const handles = takeAll(slots)
      assert.equal(handles.length, capacity)
      const numbers = handles.map((handle) => slots.slotOf(handle)).sort((a, b) => a - b)
      assert.deepEqual(
        numbers,
        Array.from({ length: capacity }, (_, i) => i + 1),
      )
      assert.equal(slots.take(), 0)
      for (const handle of handles) assert.ok(slots.free(handle))
    }
  })
}

test("[SL1] several objects over the same words are one allocator", () => {
  const { slots, words } = slotsOf(2)
  const other = new Slots(words, 0, 2, 2)
  const a = slots.take()
  const b = other.take()
  assert.notEqual(slots.slotOf(a), other.slotOf(b))
  assert.equal(slots.take(), 0)
  assert.ok(slots.isCurrent(b))
  assert.ok(other.free(a))
  assert.equal(slots.isCurrent(a), false)
  assert.notEqual(slots.take(), 0)
})

test("[SL2] the slot freed first is taken first, a fresh one only if no other is free", () => {
  const { slots } = slotsOf(4)
  const [a, b, c] = [slots.take(), slots.take(), slots.take()]
  for (const handle of [b, a, c]) slots.free(handle)
  const again = [slots.take(), slots.take(), slots.take()]
  assert.deepEqual(
    again.map((handle) => slots.slotOf(handle)),
    [b, a, c].map((handle) => slots.slotOf(handle)),
  )
  assert.equal(slots.slotOf(slots.take()), 4)
})

test("[SL2] a slot finds its place even in a ring full of holes", () => {
  const { slots, words } = slotsOf(3)
  const [a, b, c] = [slots.take(), slots.take(), slots.take()]
  slots.free(a)
  slots.free(b)
  // What late threads could do to the ring of four: two holes behind the first.
  const ring = new Ring(words, SLOTS.RING, 4, 3)
  for (let i = 0; i < 2; i++) {
    assert.ok(ring.remove(slots.slotOf(b)))
    assert.ok(ring.offer(slots.slotOf(b)))
  }
  assert.equal(ring.offer(slots.slotOf(c)), false)
  assert.ok(slots.free(c))
  assert.deepEqual(
    takeAll(slots).map((handle) => slots.slotOf(handle)),
    [b, a, c].map((handle) => slots.slotOf(handle)),
  )
})

test("[SL3] a handle is current from take to free, and not when the slot is in use again", () => {
  const { slots } = slotsOf(3)
  const past: number[] = []
  for (let i = 0; i < 1000; i++) {
    const handle = slots.take()
    assert.ok(!past.includes(handle))
    assert.ok(slots.isCurrent(handle))
    assert.equal(slots.handleOf(slots.slotOf(handle)), handle)
    for (const old of past.slice(-5)) assert.equal(slots.isCurrent(old), false)
    slots.free(handle)
    assert.equal(slots.isCurrent(handle), false)
    past.push(handle)
  }
})

test("[SL3] generations come round as late as the bits allow, and everything still works", () => {
  const { slots } = slotsOf(2 ** 24 - 1, 0)
  const first = slots.take()
  let handle = first
  for (let i = 1; i < 2 ** 8; i++) {
    slots.free(handle)
    handle = slots.take()
    assert.equal(slots.slotOf(handle), slots.slotOf(first))
    assert.equal(slots.isCurrent(first), false)
  }
  slots.free(handle)
  assert.equal(slots.take(), first)
  assert.ok(slots.isCurrent(first))
})

test("[SL20] a renewed slot has another handle, and is nobody else's", () => {
  const { slots, words } = slotsOf(2)
  const first = slots.take(7)
  const other = slots.take(8)
  const second = slots.renew(slots.slotOf(first))
  assert.equal(slots.slotOf(second), slots.slotOf(first))
  assert.deepEqual([slots.isCurrent(first), slots.isCurrent(second), slots.isCurrent(other)], [false, true, true])
  assert.deepEqual(
    [slots.handleOf(slots.slotOf(first)), words[slots.bodyOf(second) - SLOT.BODY + SLOT.OWNER]],
    [second, 7],
  )
  assert.deepEqual([slots.take(), slots.free(first), slots.free(second)], [0, false, true])
  assert.equal(slots.slotOf(slots.take()), slots.slotOf(first))
})

test("[SL4] freeing twice, or what never was a handle, has no effect", () => {
  const { slots, words } = slotsOf(5)
  const a = slots.take()
  const b = slots.take()
  assert.equal(slots.free(a), true)
  const before = words.slice()
  assert.equal(slots.free(a), false)
  for (const nonsense of [0, 3, 6, 7, -1, a + 8, b + 8, 2 ** 31 - 1]) {
    assert.equal(slots.free(nonsense), false)
    assert.equal(slots.isCurrent(nonsense), false)
  }
  assert.deepEqual(words, before)
  const again = slots.take()
  assert.equal(slots.slotOf(again), slots.slotOf(a))
  assert.equal(slots.free(a), false)
  assert.ok(slots.isCurrent(again))
  assert.ok(slots.free(b))
})

test("[SL5] bodies do not overlap, and are as their last user left them", () => {
  const { slots, words } = slotsOf(4, 3)
  const handles = takeAll(slots)
  for (const handle of handles) {
    const body = slots.bodyOf(handle)
    assert.deepEqual([...words.subarray(body, body + 3)], [0, 0, 0])
    words.fill(handle, body, body + 3)
  }
  for (const handle of handles) assert.ok(slots.isCurrent(handle))
  for (const handle of handles) slots.free(handle)
  for (const handle of takeAll(slots)) {
    const body = slots.bodyOf(handle)
    assert.equal(slots.bodyOf(slots.slotOf(handle)), body)
    assert.equal(slots.bodyOf(0) + slots.slotOf(handle) * slots.stride, body)
    const left = words[body] ?? 0
    assert.equal(slots.slotOf(left), slots.slotOf(handle))
    assert.deepEqual([...words.subarray(body, body + 3)], [left, left, left])
  }
})

test("[SL6] capacity and body length are checked", () => {
  const words = new Int32Array(1000)
  for (const capacity of [0, -1, 1.5, NaN, 2 ** 24]) {
    assert.throws(() => new Slots(words, 0, capacity, 1), RangeError)
    assert.throws(() => Slots.wordsFor(capacity, 1), RangeError)
  }
  for (const length of [-1, 1.5, NaN]) {
    assert.throws(() => new Slots(words, 0, 1, length), RangeError)
    assert.throws(() => Slots.wordsFor(1, length), RangeError)
  }
  assert.throws(() => new Slots(words, 0, "1" as never, 1), TypeError)
})

for (const [kind, memory] of Object.entries(MEMORIES)) {
  test(`[SL7] nothing outside of its words is touched, in ${kind} memory`, () => {
    const fenced = new Fenced(Slots.wordsFor(5, 3), memory)
    const slots = new Slots(fenced.words, fenced.index, 5, 3)
    for (let round = 0; round < 20; round++) {
      for (const handle of takeAll(slots, 7)) {
        const body = slots.bodyOf(handle)
        fenced.words.fill(-1, body, body + 3)
        if (round % 2 === 0) slots.free(handle)
        else slots.reclaim((owner) => owner === 7)
      }
    }
    fenced.assertUntouched()
  })
}

test("[SL7] a record of 16 words has a cache line to itself", () => {
  for (const capacity of [1, 3, 40]) {
    const { slots } = slotsOf(capacity, LINE - SLOT.BODY)
    for (const handle of takeAll(slots)) assert.equal((slots.bodyOf(handle) - SLOT.BODY) % LINE, 0)
  }
  assert.equal(SLOTS.RING % LINE, 0)
  assert.ok(SLOTS.FRESH < LINE)
})

test("[SL11] what dead owners had is freed, and nothing else", () => {
  const { slots } = slotsOf(6)
  const dead = [slots.take(11), slots.take(12), slots.take(11)]
  const alive = slots.take(13)
  const nobodys = slots.take()
  slots.free(dead[2] ?? 0)
  assert.equal(
    slots.reclaim((owner) => owner !== 13),
    2,
  )
  assert.equal(
    slots.reclaim((owner) => owner !== 13),
    0,
  )
  for (const handle of dead) assert.equal(slots.isCurrent(handle), false)
  for (const handle of [alive, nobodys]) assert.ok(slots.isCurrent(handle))
  assert.equal(takeAll(slots).length, 4)
})
