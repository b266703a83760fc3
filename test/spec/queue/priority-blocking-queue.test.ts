/** Rule ids are those of docs/spec/queue.md. */
import { PriorityBlockingQueue } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { blockingQueueContract } from "../../contract/blocking-queue.ts"
import { rejectionOf, thrownBy } from "../../support/harness.ts"
import { gives, raised, waiting } from "./support.ts"

blockingQueueContract<number>({
  name: "PriorityBlockingQueue",
  create: () => new PriorityBlockingQueue(),
  element: (n) => n,
  numberOf: (e) => e,
  isBounded: false,
  isOrdered: false,
  noticesInterrupt: { put: false, timedOffer: false, take: true, timedPoll: true },
  noun: "Queue",
})

interface Job {
  readonly name: string
  readonly priority: number
}

const byPriority = (a: Job, b: Job) => a.priority - b.priority

function sorted<E>(queue: PriorityBlockingQueue<E>, elements: readonly E[]): E[] {
  queue.addAll(elements)
  const order: E[] = []
  for (let e = queue.poll(); e !== undefined; e = queue.poll()) order.push(e)
  return order
}

test("[PQ1] the least element by the comparator is the head", async () => {
  const queue = new PriorityBlockingQueue<number>((a, b) => b - a)
  queue.addAll([2, 9, 4])
  assert.equal(queue.peek(), 9)
  assert.equal(queue.element(), 9)
  assert.equal(await queue.take(), 9)
  assert.equal(await queue.poll(0), 4)
  assert.equal(queue.remove(), 2)
})

test("[PQ1] a thousand elements leave in order", () => {
  const numbers = Array.from({ length: 1000 }, (_, i) => (i * 7919) % 1009)
  assert.deepEqual(
    sorted(new PriorityBlockingQueue<number>(), numbers),
    numbers.toSorted((a, b) => a - b),
  )
})

test("[PQ2] numbers, bigints, strings, dates and comparables have a natural order", () => {
  assert.deepEqual(sorted(new PriorityBlockingQueue<number>(), [3, Number.NaN, -Infinity, 10, -1, Number.NaN]), [
    -Infinity,
    -1,
    3,
    10,
    Number.NaN,
    Number.NaN,
  ])
  assert.deepEqual(sorted(new PriorityBlockingQueue<bigint>(), [3n, 10n, -1n]), [-1n, 3n, 10n])
  assert.deepEqual(sorted(new PriorityBlockingQueue<string>(), ["b", "a", "B", "ä"]), ["B", "a", "b", "ä"])
  const [early, late] = [new Date(1), new Date(2)]
  assert.deepEqual(sorted(new PriorityBlockingQueue<Date>(), [late, early]), [early, late])
  const comparables = ["ccc", "a", "bb"].map((text) => ({
    text,
    compareTo: (other: { text: string }) => text.length - other.text.length,
  }))
  const queue = new PriorityBlockingQueue<{ text: string }>()
  assert.deepEqual(
    sorted(queue, comparables).map(({ text }) => text),
    ["a", "bb", "ccc"],
  )
})

test("[PQ3] equals leave in the order in which they came", () => {
  const queue = new PriorityBlockingQueue<Job>(byPriority)
  const jobs = Array.from({ length: 300 }, (_, i) => ({ name: `job ${i}`, priority: (i * 7) % 3 }))
  assert.deepEqual(sorted(queue, jobs), jobs.toSorted(byPriority))
})

test("[PQ4] there is no limit, and inserting notices no interrupt", async () => {
  const queue = new PriorityBlockingQueue<number>()
  assert.equal(queue.remainingCapacity, 2_147_483_647)
  const putter = await raised(() => queue.put(1))
  await gives(putter, undefined)
  assert.equal(putter.flow.isInterrupted, true)
  await gives(await raised(() => queue.offer(2, 60_000)), true)
  assert.equal(queue.remainingCapacity, 2_147_483_647)
})

test("[PQ5] elements without natural order are refused, also the first", async () => {
  const queue = new PriorityBlockingQueue<unknown>()
  for (const e of [{}, [], true, Symbol("s"), () => 1, Object.create(null)]) {
    assert.ok(thrownBy(() => queue.offer(e)) instanceof TypeError)
    assert.ok(thrownBy(() => queue.add(e)) instanceof TypeError)
    assert.ok((await rejectionOf(queue.put(e))) instanceof TypeError)
  }
  assert.equal(queue.size, 0)
  const withComparator = new PriorityBlockingQueue<unknown>(() => 0)
  assert.equal(withComparator.offer({}), true)
})

test("[PQ6] elements of different kinds have no order", () => {
  const queue = new PriorityBlockingQueue<unknown>()
  queue.add(1)
  for (const e of ["a", 1n, new Date(0), { compareTo: () => 0 }]) {
    assert.ok(thrownBy(() => queue.add(e)) instanceof TypeError)
  }
  assert.deepEqual(queue.toArray(), [1])
})

test("[PQ7] a comparator that throws changes nothing", async () => {
  let broken = false
  const error = new Error("cannot compare")
  const queue = new PriorityBlockingQueue<number>((a, b) => {
    if (broken) throw error
    return a - b
  })
  const numbers = Array.from({ length: 50 }, (_, i) => (i * 37) % 50)
  queue.addAll(numbers)
  broken = true
  for (const call of [
    () => queue.offer(-1),
    () => queue.add(-1),
    () => queue.poll(),
    () => queue.remove(25),
    () => queue.removeIf((n) => n % 2 === 0),
    () => queue.drainTo([]),
  ]) {
    assert.equal(thrownBy(call), error)
  }
  assert.equal(await rejectionOf(queue.put(-1)), error)
  assert.equal(await rejectionOf(queue.take()), error)
  broken = false
  assert.equal(queue.size, 50)
  assert.deepEqual(
    sorted(queue, []),
    Array.from({ length: 50 }, (_, i) => i),
  )
})

test("[PQ7] with a comparator the first element is not compared", () => {
  const queue = new PriorityBlockingQueue<number>(() => {
    throw new Error("cannot compare")
  })
  assert.equal(queue.offer(1), true)
  assert.equal(queue.poll(), 1)
})

test("[PQ8] iteration shows the head first, drainTo keeps the order", () => {
  const queue = new PriorityBlockingQueue<number>()
  queue.addAll([7, 3, 8, 1, 9, 2])
  assert.equal(queue.toArray()[0], 1)
  assert.deepEqual(
    queue.toArray().sort((a, b) => a - b),
    [1, 2, 3, 7, 8, 9],
  )
  const target: number[] = []
  assert.equal(queue.drainTo(target, 4), 4)
  assert.deepEqual(target, [1, 2, 3, 7])
  assert.equal(queue.drainTo(target), 2)
  assert.deepEqual(target, [1, 2, 3, 7, 8, 9])
})

test("[PQ9] who waits longest gets the next element, whatever it is", async () => {
  const queue = new PriorityBlockingQueue<number>()
  const first = await waiting(() => queue.take())
  const second = await waiting(() => queue.poll(60_000))
  queue.add(9)
  queue.add(1)
  await gives(first, 9)
  await gives(second, 1)
})

test("[PQ10] a comparator is a function", () => {
  for (const comparator of [null, "ascending", {}] as unknown as (() => number)[]) {
    assert.ok(thrownBy(() => new PriorityBlockingQueue(comparator)) instanceof TypeError)
    assert.ok(thrownBy(() => new PriorityBlockingQueue(11, comparator)) instanceof TypeError)
  }
})

test("[PQ12] an initial capacity is an integer of at least 1 and limits nothing", () => {
  for (const capacity of [0, -1, 1.5, Number.NaN]) {
    assert.ok(thrownBy(() => new PriorityBlockingQueue(capacity)) instanceof RangeError)
  }
  const queue = new PriorityBlockingQueue<number>(1, (a, b) => b - a)
  assert.equal(queue.remainingCapacity, 2_147_483_647)
  assert.deepEqual(sorted(queue, [1, 3, 2]), [3, 2, 1])
  assert.deepEqual(sorted(new PriorityBlockingQueue<number>(1), [1, 3, 2]), [1, 2, 3])
})

test("[PQ13] by a key: the least first, equal keys as they came; the comparator compares keys", () => {
  const key = ({ priority }: Job): number => priority
  const jobs = [3, 1, 2, -Infinity, 1, Infinity, 0].map((priority, at) => ({ name: `job ${at}`, priority }))
  for (const queue of [new PriorityBlockingQueue<Job>({ key }), new PriorityBlockingQueue<Job>(5, { key })]) {
    assert.deepEqual(sorted(queue, jobs), jobs.toSorted(byPriority))
    assert.deepEqual(jobs.toSorted(queue.comparator), jobs.toSorted(byPriority))
  }
})

test("[PQ14] an element without a key is refused, also the first, and nothing changes", async () => {
  const queue = new PriorityBlockingQueue<{ key: unknown }>({ key: (element) => element.key as number })
  const refused = async (): Promise<void> => {
    for (const key of [undefined, Number.NaN, "1", 1n, Promise.resolve(1), {}]) {
      assert.ok(thrownBy(() => queue.offer({ key })) instanceof TypeError)
      assert.ok((await rejectionOf(queue.put({ key }))) instanceof TypeError)
    }
  }
  await refused()
  queue.add({ key: 1 })
  await refused()
  assert.deepEqual(queue.toArray(), [{ key: 1 }])
  const error = new Error("no key")
  const angry = new PriorityBlockingQueue<number>({
    key: () => {
      throw error
    },
  })
  assert.equal(
    thrownBy(() => angry.add(1)),
    error,
  )
  assert.equal(angry.size, 0)
})

test("[PQ14] an order is a comparator or an object with a key, and nothing else", () => {
  for (const order of [{ key: 1 }, { key: () => 1, more: 1 }, { kye: () => 1 }, null] as never[]) {
    assert.ok(thrownBy(() => new PriorityBlockingQueue(order)) instanceof TypeError)
    assert.ok(thrownBy(() => new PriorityBlockingQueue(3, order)) instanceof TypeError)
  }
})

test("[PQ11] removing from the middle keeps the others in order", () => {
  const queue = new PriorityBlockingQueue<Job>(byPriority)
  const jobs = Array.from({ length: 200 }, (_, i) => ({ name: `job ${i}`, priority: (i * 31) % 17 }))
  queue.addAll(jobs)
  let rest = jobs
  for (let i = 0; i < 200; i += 3) {
    assert.equal(queue.remove(jobs[i]), true)
    rest = rest.filter((job) => job !== jobs[i])
  }
  queue.removeIf(({ priority }) => priority === 5)
  rest = rest.filter(({ priority }) => priority !== 5)
  const iterator = queue[Symbol.iterator]()
  for (const job of iterator) {
    if (job.priority === 8) {
      iterator.remove()
      rest = rest.filter((other) => other !== job)
    }
  }
  assert.deepEqual(sorted(queue, []), rest.toSorted(byPriority))
})

test("[BQ51] an iterator tells the same element, inserted twice, apart", () => {
  const job = { name: "twice", priority: 1 }
  const queue = new PriorityBlockingQueue<Job>(byPriority)
  queue.addAll([job, job])
  const iterator = queue[Symbol.iterator]()
  iterator.next()
  queue.poll()
  iterator.remove()
  assert.equal(queue.size, 1)
  iterator.next()
  iterator.remove()
  assert.equal(queue.size, 0)
})
