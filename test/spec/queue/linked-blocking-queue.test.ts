/** Rule ids are those of docs/spec/queue.md. */
import { LinkedBlockingQueue } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { blockingQueueContract } from "../../contract/blocking-queue.ts"
import { thrownBy } from "../../support/harness.ts"
import { gives, waiting } from "./support.ts"

blockingQueueContract<number>({
  name: "LinkedBlockingQueue",
  create: (capacity) => new LinkedBlockingQueue(capacity),
  element: (n) => n,
  numberOf: (e) => e,
  isBounded: true,
  isOrdered: true,
  noticesInterrupt: { put: true, timedOffer: true, take: true, timedPoll: true },
  noun: "Queue",
})

test("[LQ1] the capacity is an integer of at least 1, and 2³¹−1 without one", () => {
  const queue = new LinkedBlockingQueue<string>()
  assert.equal(queue.remainingCapacity, 2_147_483_647)
  queue.add("a")
  assert.equal(queue.remainingCapacity, 2_147_483_646)
  assert.equal(new LinkedBlockingQueue(3).remainingCapacity, 3)
  for (const capacity of [0, -1, 1.5, Infinity]) {
    assert.ok(thrownBy(() => new LinkedBlockingQueue(capacity)) instanceof RangeError)
  }
  assert.ok(thrownBy(() => new LinkedBlockingQueue("1" as unknown as number)) instanceof TypeError)
})

test("[LQ2] one drain or clear lets in all putters for whom there is room", async () => {
  for (const empty of [
    (queue: LinkedBlockingQueue<number>) => queue.drainTo([]),
    (queue: LinkedBlockingQueue<number>) => queue.clear(),
  ]) {
    const queue = new LinkedBlockingQueue<number>(2)
    queue.addAll([1, 2])
    const putters = [await waiting(() => queue.put(3)), await waiting(() => queue.put(4))]
    const third = await waiting(() => queue.put(5))
    empty(queue)
    for (const putter of putters) await gives(putter, undefined)
    assert.ok(third.isWaiting)
    assert.deepEqual(queue.toArray(), [3, 4])
  }
})

test("[LQ3] removing by a test lets in as many putters as elements went", async () => {
  for (const remove of [
    (queue: LinkedBlockingQueue<number>) => queue.removeIf((n) => n <= 2),
    (queue: LinkedBlockingQueue<number>) => queue.removeAll([1, 2]),
    (queue: LinkedBlockingQueue<number>) => queue.retainAll([3]),
  ]) {
    const queue = new LinkedBlockingQueue<number>(3)
    queue.addAll([1, 2, 3])
    const putters = [await waiting(() => queue.put(4)), await waiting(() => queue.put(5))]
    assert.equal(remove(queue), true)
    for (const putter of putters) await gives(putter, undefined)
    assert.deepEqual(queue.toArray(), [3, 4, 5])
  }
})

test("[BQ18] equality is the sought one's, the element's, or that of values", () => {
  class Point {
    readonly x: number
    constructor(x: number) {
      this.x = x
    }
    equals(other: unknown): boolean {
      return (other instanceof Point && other.x === this.x) || other === this.x
    }
  }
  const queue = new LinkedBlockingQueue<unknown>()
  const plain = { x: 1 }
  queue.addAll([new Point(1), Number.NaN, plain, "1", 0])
  assert.equal(queue.contains(new Point(1)), true, "the sought one's")
  assert.equal(queue.contains(1), true, "the element's")
  assert.equal(queue.contains(Number.NaN), true)
  assert.equal(queue.contains(-0), true)
  assert.equal(queue.contains({ x: 1 }), false)
  assert.equal(queue.removeAll([new Point(1), { x: 1 }]), true)
  assert.equal(queue.removeAll([1]), false)
  assert.equal(queue.retainAll([plain, Number.NaN]), true)
  assert.deepEqual(queue.toArray(), [Number.NaN, plain])
  assert.equal(queue.remove(Number.NaN), true)
  assert.equal(queue.remove(plain), true)
  queue.add(new Point(2))
  assert.equal(queue.removeAll([2]), true, "the element's, in bulk")
})

test("[BQ19] of several equal elements the first is removed", () => {
  const queue = new LinkedBlockingQueue<number>()
  queue.addAll([1, 2, 1, 3])
  assert.equal(queue.remove(1), true)
  assert.deepEqual(queue.toArray(), [2, 1, 3])
})

test("[BQ52] toString shows a queue within itself, and objects that cannot show themselves", () => {
  const queue = new LinkedBlockingQueue<unknown>()
  queue.addAll([queue, Symbol("s"), Object.create(null)])
  assert.equal(queue.toString(), "[(this Collection), Symbol(s), an instance of Object]")
})
