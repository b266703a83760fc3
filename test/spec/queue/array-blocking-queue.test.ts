/** Rule ids are those of docs/spec/queue.md. */
import { ArrayBlockingQueue } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { blockingQueueContract } from "../../contract/blocking-queue.ts"
import { thrownBy } from "../../support/harness.ts"
import { gives, waiting } from "./support.ts"

for (const fair of [false, true]) {
  blockingQueueContract<number>({
    name: fair ? "fair ArrayBlockingQueue" : "ArrayBlockingQueue",
    create: (capacity) => new ArrayBlockingQueue(capacity, { fair }),
    element: (n) => n,
    numberOf: (e) => e,
    isBounded: true,
    isOrdered: true,
    noticesInterrupt: { put: true, timedOffer: true, take: true, timedPoll: true },
    noun: "Queue",
  })
}

test("[AQ1] the capacity is an integer of at least 1", () => {
  assert.equal(new ArrayBlockingQueue(1).remainingCapacity, 1)
  for (const capacity of [0, -1, 1.5, 2 ** 31, Number.NaN]) {
    assert.ok(thrownBy(() => new ArrayBlockingQueue(capacity)) instanceof RangeError)
  }
  for (const capacity of [undefined, null, "1"] as unknown as number[]) {
    assert.ok(thrownBy(() => new ArrayBlockingQueue(capacity)) instanceof TypeError)
  }
})

test("[AQ2] fair is a boolean", () => {
  for (const fair of [1, null] as unknown[] as boolean[]) {
    assert.ok(thrownBy(() => new ArrayBlockingQueue(1, { fair })) instanceof TypeError)
  }
})

test("[AQ3] removing by a test lets no putter in, the next other removal does", async () => {
  for (const remove of [
    (queue: ArrayBlockingQueue<number>) => queue.removeIf((n) => n === 1),
    (queue: ArrayBlockingQueue<number>) => queue.removeAll([1]),
    (queue: ArrayBlockingQueue<number>) => queue.retainAll([2]),
  ]) {
    const queue = new ArrayBlockingQueue<number>(2)
    queue.addAll([1, 2])
    const putter = await waiting(() => queue.put(3))
    assert.equal(remove(queue), true)
    assert.ok(putter.isWaiting)
    assert.deepEqual(queue.toArray(), [2])
    assert.equal(queue.poll(), 2)
    await gives(putter, undefined)
    assert.deepEqual(queue.toArray(), [3])
  }
})
