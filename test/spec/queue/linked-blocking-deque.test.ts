/** Rule ids are those of docs/spec/queue.md. */
import { LinkedBlockingDeque } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { blockingQueueContract } from "../../contract/blocking-queue.ts"
import { rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { failsWith, gives, raised, timeLimit, waiting } from "./support.ts"

blockingQueueContract<number>({
  name: "LinkedBlockingDeque",
  create: (capacity) => new LinkedBlockingDeque(capacity),
  element: (n) => n,
  numberOf: (e) => e,
  isBounded: true,
  isOrdered: true,
  noticesInterrupt: { put: false, timedOffer: true, take: false, timedPoll: true },
  noun: "Deque",
})

function dequeOf(...elements: number[]): LinkedBlockingDeque<number> {
  const deque = new LinkedBlockingDeque<number>()
  deque.addAll(elements)
  return deque
}

function fullOf(...elements: number[]): LinkedBlockingDeque<number> {
  const deque = new LinkedBlockingDeque<number>(elements.length)
  deque.addAll(elements)
  return deque
}

test("[LD1] the capacity is an integer of at least 1, and 2³¹−1 without one", () => {
  assert.equal(new LinkedBlockingDeque().remainingCapacity, 2_147_483_647)
  assert.equal(dequeOf(1, 2).remainingCapacity, 2_147_483_645)
  assert.equal(new LinkedBlockingDeque(3).remainingCapacity, 3)
  for (const capacity of [0, -1, 1.5]) {
    assert.ok(thrownBy(() => new LinkedBlockingDeque(capacity)) instanceof RangeError)
  }
  assert.ok(thrownBy(() => new LinkedBlockingDeque(null as unknown as number)) instanceof TypeError)
})

test("[LD2] offers insert at their end, unless the deque is full", () => {
  const deque = new LinkedBlockingDeque<number>(3)
  assert.equal(deque.offerFirst(1), true)
  assert.equal(deque.offerLast(2), true)
  assert.equal(deque.offerFirst(3), true)
  assert.equal(deque.offerFirst(4), false)
  assert.equal(deque.offerLast(4), false)
  assert.deepEqual(deque.toArray(), [3, 1, 2])
})

test("[LD3] adds insert at their end, and throw if the deque is full", () => {
  const deque = new LinkedBlockingDeque<number>(4)
  deque.addFirst(1)
  deque.addLast(2)
  deque.push(3)
  assert.equal(deque.add(4), true)
  assert.deepEqual(deque.toArray(), [3, 1, 2, 4])
  for (const call of [() => deque.addFirst(5), () => deque.addLast(5), () => deque.push(5), () => deque.add(5)]) {
    const error = thrownBy(call) as Error
    assert.equal(error.name, "IllegalStateError")
    assert.equal(error.message, "Deque full")
  }
})

test("[LD4] polls take from their end", async () => {
  const deque = dequeOf(1, 2, 3, 4)
  assert.equal(deque.pollFirst(), 1)
  assert.equal(deque.pollLast(), 4)
  assert.equal(await deque.pollLast(0), 3)
  assert.equal(await deque.pollFirst(0), 2)
  assert.equal(deque.pollFirst(), undefined)
  assert.equal(deque.pollLast(), undefined)
  assert.equal(await deque.pollFirst(0), undefined)
  assert.equal(await deque.pollLast(0), undefined)
})

test("[LD5] removes take from their end, and throw if there is nothing", () => {
  const deque = dequeOf(1, 2, 3, 4)
  assert.equal(deque.removeFirst(), 1)
  assert.equal(deque.removeLast(), 4)
  assert.equal(deque.pop(), 2)
  assert.equal(deque.remove(), 3)
  for (const call of [() => deque.removeFirst(), () => deque.removeLast(), () => deque.pop(), () => deque.remove()]) {
    assert.equal((thrownBy(call) as Error).name, "NoSuchElementError")
  }
})

test("[LD6] looks at both ends", () => {
  const deque = dequeOf(1, 2, 3)
  assert.deepEqual([deque.peekFirst(), deque.peekLast(), deque.getFirst(), deque.getLast()], [1, 3, 1, 3])
  assert.equal(deque.size, 3)
  deque.clear()
  assert.deepEqual([deque.peekFirst(), deque.peekLast()], [undefined, undefined])
  assert.equal((thrownBy(() => deque.getFirst()) as Error).name, "NoSuchElementError")
  assert.equal((thrownBy(() => deque.getLast()) as Error).name, "NoSuchElementError")
})

test("[LD7] putters wait for room and then insert at their end", async () => {
  const deque = fullOf(0)
  const putters = [
    await waiting<unknown>(() => deque.putFirst(1)),
    await waiting<unknown>(() => deque.putLast(2)),
    await waiting<unknown>(() => deque.offerFirst(3, 60_000)),
    await waiting<unknown>(() => deque.offerLast(4, 60_000)),
  ]
  for (const n of [0, 1, 2, 3]) assert.equal(deque.poll(), n)
  await turns(1)
  for (const putter of putters) assert.equal(putter.call.state, "fulfilled")
  assert.deepEqual(deque.toArray(), [4])

  const three = fullOf(0, 1, 2)
  const first = await waiting(() => three.putFirst(7))
  const last = await waiting(() => three.putLast(8))
  three.remove(1)
  three.remove(2)
  await gives(first, undefined)
  await gives(last, undefined)
  assert.deepEqual(three.toArray(), [7, 0, 8])
})

test("[LD7] waiting putters can be interrupted, timed ones give up in time", async () => {
  const deque = fullOf(0)
  for (const call of [
    () => deque.putFirst(1),
    () => deque.putLast(1),
    () => deque.offerFirst(1, 60_000),
    () => deque.offerLast(1, 60_000),
  ]) {
    const putter = await waiting<unknown>(call)
    putter.interrupt()
    await failsWith(putter, "InterruptedError")
    await failsWith(await raised<unknown>(call), "InterruptedError")
  }
  const limit = timeLimit(5)
  assert.deepEqual(await Promise.all([deque.offerFirst(1, 5), deque.offerLast(1, 5)]), [false, false])
  assert.ok(limit.isOver)
  assert.deepEqual(deque.toArray(), [0])
})

test("[LD8] takers wait for an element and take it from their end", async () => {
  const deque = new LinkedBlockingDeque<number>()
  const takers = [
    await waiting<unknown>(() => deque.takeFirst()),
    await waiting<unknown>(() => deque.takeLast()),
    await waiting<unknown>(() => deque.pollFirst(60_000)),
    await waiting<unknown>(() => deque.pollLast(60_000)),
  ]
  for (const [n, taker] of takers.entries()) {
    deque.add(n)
    await gives(taker, n)
  }
  deque.addAll([1, 2, 3, 4])
  assert.equal(await deque.takeLast(), 4)
  assert.equal(await deque.takeFirst(), 1)
  assert.equal(await deque.pollLast(60_000), 3)
  assert.equal(await deque.pollFirst(60_000), 2)
})

test("[LD8] waiting takers can be interrupted, timed ones give up in time", async () => {
  const deque = new LinkedBlockingDeque<number>()
  for (const call of [
    () => deque.takeFirst(),
    () => deque.takeLast(),
    () => deque.pollFirst(60_000),
    () => deque.pollLast(60_000),
  ]) {
    const taker = await waiting<unknown>(call)
    taker.interrupt()
    await failsWith(taker, "InterruptedError")
    await failsWith(await raised<unknown>(call), "InterruptedError")
  }
  const limit = timeLimit(5)
  assert.deepEqual(await Promise.all([deque.pollFirst(5), deque.pollLast(5)]), [undefined, undefined])
  assert.ok(limit.isOver)
})

test("[LD9] all takers stand in one line, and all putters", async () => {
  const deque = new LinkedBlockingDeque<number>(1)
  const takers = [
    await waiting(() => deque.takeLast()),
    await waiting(() => deque.takeFirst()),
    await waiting(() => deque.take()),
  ]
  for (const [n, taker] of takers.entries()) {
    if (n % 2 === 0) deque.addFirst(n)
    else deque.addLast(n)
    await gives(taker, n)
  }
  deque.add(0)
  const putters = [
    await waiting(() => deque.putLast(1)),
    await waiting(() => deque.putFirst(2)),
    await waiting(() => deque.put(3)),
  ]
  for (const [n, putter] of putters.entries()) {
    assert.equal(n % 2 === 0 ? deque.pollLast() : deque.pollFirst(), n)
    await gives(putter, undefined)
  }
})

test("[LD10] occurrences are removed from their end", () => {
  const deque = dequeOf(1, 2, 1, 3, 1)
  assert.equal(deque.removeLastOccurrence(1), true)
  assert.deepEqual(deque.toArray(), [1, 2, 1, 3])
  assert.equal(deque.removeFirstOccurrence(1), true)
  assert.deepEqual(deque.toArray(), [2, 1, 3])
  assert.equal(deque.removeFirstOccurrence(9), false)
  assert.equal(deque.removeLastOccurrence(9), false)
  assert.equal(deque.removeFirstOccurrence(null), false)
})

test("[LD10] removing an occurrence lets a putter in", async () => {
  const deque = fullOf(1, 2)
  const putter = await waiting(() => deque.put(3))
  assert.equal(deque.removeLastOccurrence(2), true)
  await gives(putter, undefined)
})

test("[LD11] it is a stack", () => {
  const deque = new LinkedBlockingDeque<string>()
  for (const encoded of "abc") {
    deque.push(encoded)
    assert.equal(deque.peek(), encoded)
  }
  assert.deepEqual([deque.pop(), deque.pop(), deque.pop()], ["c", "b", "a"])
})

test("[LD12] the descending iterator goes from tail to head and removes", () => {
  const deque = dequeOf(1, 2, 3, 4)
  assert.deepEqual([...deque.descendingIterator()], [4, 3, 2, 1])
  const iterator = deque.descendingIterator()
  assert.equal((thrownBy(() => iterator.remove()) as Error).name, "IllegalStateError")
  assert.equal(iterator.next().value, 4)
  assert.equal(iterator.next().value, 3)
  iterator.remove()
  assert.equal((thrownBy(() => iterator.remove()) as Error).name, "IllegalStateError")
  assert.deepEqual([...iterator], [2, 1])
  assert.deepEqual(deque.toArray(), [1, 2, 4])
  assert.deepEqual([...new LinkedBlockingDeque().descendingIterator()], [])
})

test("[LD12] the descending iterator is not disturbed by changes", () => {
  const deque = dequeOf(1, 2, 3, 4)
  const iterator = deque.descendingIterator()
  assert.equal(iterator.next().value, 4)
  deque.pollLast()
  deque.remove(2)
  deque.pollFirst()
  deque.addLast(5)
  assert.deepEqual([...iterator], [3])
})

test("[LD13] addAll with null among the elements adds none", () => {
  const deque = new LinkedBlockingDeque<number>()
  assert.ok(thrownBy(() => deque.addAll([1, null as unknown as number])) instanceof TypeError)
  assert.equal(deque.size, 0)
})

test("[LD14] the forms for one end refuse null and undefined", async () => {
  const deque = new LinkedBlockingDeque<number>()
  for (const nothing of [null, undefined] as unknown as number[]) {
    for (const call of [
      () => deque.addFirst(nothing),
      () => deque.addLast(nothing),
      () => deque.push(nothing),
      () => deque.offerFirst(nothing),
      () => deque.offerLast(nothing),
    ]) {
      assert.ok(thrownBy(call) instanceof TypeError)
    }
    for (const call of [
      () => deque.putFirst(nothing),
      () => deque.putLast(nothing),
      () => deque.offerFirst(nothing, 1),
      () => deque.offerLast(nothing, 1),
    ]) {
      assert.ok((await rejectionOf(call())) instanceof TypeError)
    }
  }
  assert.equal(deque.size, 0)
})

test("[LD15] removing by a test lets in as many putters as elements went", async () => {
  for (const remove of [
    (deque: LinkedBlockingDeque<number>) => deque.removeIf((n) => n <= 2),
    (deque: LinkedBlockingDeque<number>) => deque.removeAll([1, 2]),
    (deque: LinkedBlockingDeque<number>) => deque.retainAll([3]),
  ]) {
    const deque = fullOf(1, 2, 3)
    const putters = [await waiting(() => deque.put(4)), await waiting(() => deque.putFirst(5))]
    assert.equal(remove(deque), true)
    for (const putter of putters) await gives(putter, undefined)
    assert.deepEqual(deque.toArray(), [5, 3, 4])
  }
})
