import assert from "node:assert/strict"
import { test } from "node:test"
import { thrownBy } from "../../support/harness.ts"
import { filled, shown, type QueueKind } from "./kind.ts"

/** What holds for every kind that can hold elements: looking at them. */
export function looking<E>(kind: QueueKind<E>): void {
  const { create, element, numberOf, isOrdered } = kind

  test("[BQ46] size follows", () => {
    const queue = create(5)
    for (let n = 1; n <= 5; n++) {
      assert.equal(queue.size, n - 1)
      queue.add(element(n))
    }
    for (let n = 5; n >= 1; n--) {
      assert.equal(queue.size, n)
      queue.remove()
    }
    assert.equal(queue.isEmpty, true)
  })

  test("[BQ48] iteration and toArray show every element once and remove none", () => {
    const queue = filled(kind, 4, 5)
    queue.poll()
    queue.add(element(5))
    assert.deepEqual(shown(kind, queue), [2, 3, 4, 5])
    assert.deepEqual(shown(kind, queue.toArray()), [2, 3, 4, 5])
    assert.equal(numberOf(queue.toArray()[0] as E), 2, "the head first")
    assert.equal(queue.size, 4)
    const iterator = queue[Symbol.iterator]()
    assert.equal(iterator[Symbol.iterator](), iterator)
  })

  test("[BQ65] forEach shows what iteration shows", () => {
    const queue = filled(kind, 4, 5)
    const seen: E[] = []
    queue.forEach((e) => seen.push(e))
    assert.deepEqual(shown(kind, seen), [1, 2, 3, 4])
    assert.equal(queue.size, 4)
    const error = new Error("enough")
    let calls = 0
    const stop = (): never => {
      calls++
      throw error
    }
    assert.throws(() => queue.forEach(stop), error)
    assert.equal(calls, 1)
    assert.throws(() => queue.forEach(undefined as never), TypeError)
  })

  test("[BQ49] an iterator bears insertions and removals", () => {
    const queue = filled(kind, 4, 5)
    const iterator = queue[Symbol.iterator]()
    const seen = [numberOf(iterator.next().value as E)]
    queue.poll()
    queue.remove(element(3))
    queue.add(element(5))
    for (const e of iterator) seen.push(numberOf(e))
    for (const stays of [2, 4]) assert.ok(seen.includes(stays))
    assert.equal(new Set(seen).size, seen.length)
    if (isOrdered) assert.ok(!seen.includes(3), "it was gone before it was reached")
    assert.deepEqual(shown(kind, queue), [2, 4, 5])
  })

  test("[BQ49] an iterator bears a clear and a new beginning", () => {
    const queue = filled(kind, 3)
    const iterator = queue[Symbol.iterator]()
    iterator.next()
    queue.clear()
    queue.add(element(7))
    const seen = [...iterator].map(numberOf)
    if (isOrdered) assert.deepEqual(seen, [7])
    assert.deepEqual(shown(kind, queue), [7])
  })

  test("[BQ50] an iterator removes what it has shown", () => {
    const queue = filled(kind, 4)
    const iterator = queue[Symbol.iterator]()
    assert.equal((thrownBy(() => iterator.remove()) as Error).name, "IllegalStateError")
    for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
      if (numberOf(next.value) % 2 === 0) {
        iterator.remove()
        assert.equal((thrownBy(() => iterator.remove()) as Error).name, "IllegalStateError")
      }
    }
    assert.deepEqual(shown(kind, queue), [1, 3])
  })

  test("[BQ50] an iterator at the end still removes what it showed last", () => {
    const queue = filled(kind, 1)
    const iterator = queue[Symbol.iterator]()
    while (iterator.next().done !== true);
    iterator.remove()
    assert.equal(queue.isEmpty, true)
  })

  test("[BQ51] an iterator does not remove what somebody else already has", () => {
    const queue = filled(kind, 2, 3)
    const iterator = queue[Symbol.iterator]()
    iterator.next()
    const head = queue.remove()
    queue.add(element(3))
    iterator.remove()
    assert.equal(numberOf(head), 1)
    assert.deepEqual(shown(kind, queue), [2, 3])
  })

  test("[BQ51] an iterator does not take an equal element for the one it showed", () => {
    const queue = filled(kind, 1, 3)
    const iterator = queue[Symbol.iterator]()
    const shownLast = iterator.next().value as E
    queue.poll()
    queue.add(shownLast)
    iterator.remove()
    assert.equal(queue.size, 1)
  })

  test("[BQ52] toString shows the elements as Java does", () => {
    assert.equal(filled(kind, 1).toString(), `[${String(element(1))}]`)
    const text = filled(kind, 3).toString()
    assert.ok(text.startsWith(`[${String(element(1))}, `))
    assert.equal(text.split(", ").length, 3)
  })
}
