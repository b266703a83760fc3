import { LinkedBlockingQueue } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { gives, waiting } from "../../spec/queue/support.ts"
import { thrownBy } from "../../support/harness.ts"
import { drained, filled, shown, type QueueKind } from "./kind.ts"

/** What holds for every kind that can hold elements: many at once. */
export function bulk<E>(kind: QueueKind<E>): void {
  const { create, element, numberOf } = kind

  test("[BQ31] addAll adds in the order of iteration and tells whether it did", () => {
    const queue = create(4)
    assert.equal(queue.addAll([]), false)
    assert.equal(queue.addAll(new Set([element(1), element(2)])), true)
    assert.equal(queue.addAll(filled(kind, 1)), true)
    assert.equal(queue.size, 3)
    queue.clear()
    queue.addAll([1, 2, 3, 4].map(element))
    assert.deepEqual(drained(kind, queue), [1, 2, 3, 4])
  })

  test("[BQ33] addAll with null among the elements is refused there", () => {
    const queue = create(4)
    assert.ok(thrownBy(() => queue.addAll([element(1), null as E, element(2)])) instanceof TypeError)
    assert.ok(queue.size <= 1)
  })

  test("[BQ34] containsAll is true for parts and false beyond", () => {
    const queue = filled(kind, 3)
    assert.equal(queue.containsAll([element(3), element(1)]), true)
    assert.equal(queue.containsAll([element(1), element(7)]), false)
    assert.equal(queue.containsAll(queue), true)
    assert.equal(queue.containsAll([null]), false)
  })

  test("[BQ35] removeAll removes those given, retainAll the others, and both tell", () => {
    const queue = filled(kind, 6)
    assert.equal(queue.removeAll([element(2), element(5), element(9), null]), true)
    assert.deepEqual(shown(kind, queue), [1, 3, 4, 6])
    assert.equal(queue.removeAll([element(2)]), false)
    assert.equal(queue.retainAll([element(3), element(6), element(9)]), true)
    assert.deepEqual(shown(kind, queue), [3, 6])
    assert.equal(queue.retainAll(queue), false)
    assert.equal(queue.removeAll(queue), true)
    assert.equal(queue.isEmpty, true)
  })

  test("[BQ36] removeIf removes exactly what passes and tells", () => {
    const queue = filled(kind, 7)
    assert.equal(
      queue.removeIf((e) => numberOf(e) % 2 === 0),
      true,
    )
    assert.equal(
      queue.removeIf((e) => numberOf(e) % 2 === 0),
      false,
    )
    assert.equal(queue.size, 4)
    assert.deepEqual(drained(kind, queue), [1, 3, 5, 7])
  })

  test("[BQ37] a test that throws removes nothing", () => {
    const queue = filled(kind, 5)
    const error = new Error("no more")
    const thrown = thrownBy(() =>
      queue.removeIf((e) => {
        if (numberOf(e) === 4) throw error
        return true
      }),
    )
    assert.equal(thrown, error)
    assert.deepEqual(drained(kind, queue), [1, 2, 3, 4, 5])
  })

  test("[BQ37] a test may use the queue it is called for", () => {
    const queue = filled(kind, 5, 8)
    const changed = queue.removeIf((e) => {
      if (numberOf(e) === 1) {
        queue.poll()
        queue.add(element(6))
      }
      return numberOf(e) <= 2
    })
    assert.equal(changed, true)
    assert.deepEqual(drained(kind, queue), [3, 4, 5, 6])
  })

  test("[BQ39] drainTo moves everything in order, and again", () => {
    const queue = filled(kind, 3)
    const target = [element(0)]
    assert.equal(queue.drainTo(target), 3)
    assert.deepEqual(target.map(numberOf), [0, 1, 2, 3])
    assert.equal(queue.isEmpty, true)
    assert.equal(queue.drainTo(target), 0)
    queue.add(element(4))
    assert.equal(queue.drainTo(target), 1)
    assert.equal(target.length, 5)
  })

  test("[BQ40] drainTo moves no more than it may", () => {
    const queue = filled(kind, 4)
    for (const max of [0, -1, -5]) assert.equal(queue.drainTo([], max), 0)
    const target: E[] = []
    assert.equal(queue.drainTo(target, 3), 3)
    assert.deepEqual(target.map(numberOf), [1, 2, 3])
    assert.equal(queue.drainTo(target, 3), 1)
    assert.equal(queue.size, 0)
  })

  test("[BQ42] what a target refuses stays, and what came before it is moved", () => {
    const queue = filled(kind, 4)
    const target = new LinkedBlockingQueue<E>(2)
    const error = thrownBy(() => queue.drainTo(target)) as Error
    assert.equal(error.message, "Queue full")
    assert.deepEqual([...target].map(numberOf), [1, 2])
    assert.deepEqual(drained(kind, queue), [3, 4])

    const frozen = Object.freeze([element(1)]) as unknown as E[]
    queue.add(element(5))
    assert.ok(thrownBy(() => queue.drainTo(frozen)) instanceof TypeError)
    assert.deepEqual(drained(kind, queue), [5])
  })

  test("[BQ42] draining into another queue feeds those who wait there", async () => {
    const queue = filled(kind, 2)
    const target = create(3)
    const taker = await waiting(() => target.take())
    assert.equal(queue.drainTo(target), 2)
    await gives(taker, element(1))
    assert.deepEqual(drained(kind, target), [2])
  })

  test("[BQ44] clear empties a queue that can be used on", async () => {
    const queue = filled(kind, 3)
    queue.clear()
    assert.equal(queue.size, 0)
    assert.deepEqual([...queue], [])
    queue.clear()
    queue.add(element(1))
    assert.equal(numberOf(await queue.take()), 1)
  })
}
