/** When the memory of a shared queue is used up. Rule ids are those of docs/spec/shared-queue.md. */
import {
  type BlockingQueue,
  DelayQueue,
  LinkedBlockingQueue,
  LinkedTransferQueue,
  PriorityBlockingQueue,
  SynchronousQueue,
} from "corepool"
import { SharedQueue } from "#src/queue/shared/shared-queue.js"
import { naturalOrder } from "#src/queue/local/order.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { thrownBy } from "../../support/harness.ts"
import { type Caller, failsWith, gives, settled, waiting } from "../queue/support.ts"

/** 63 cells can be used, eight of them only by those who wait. */
const words = 64 * 16
const ELEMENTS = 55

/** Takes a dozen cells. */
const LONG = "x".repeat(600)

/** Takes elements until the call is over; tells how many it took. */
async function pollUntil(over: Caller<unknown>, queue: BlockingQueue<unknown>): Promise<number> {
  for (let count = 0; ; count++) {
    await settled()
    if (!over.isWaiting) return count
    assert.notEqual(queue.poll(), undefined)
  }
}

function bounded(): LinkedBlockingQueue<number | string> {
  return LinkedBlockingQueue.from(SharedQueue.create("LinkedBlockingQueue", { capacity: 1000, words }).handle)
}

test("[TQ20] without memory offer gives false, add throws, and what is inside can be used", () => {
  const queue = bounded()
  let count = 0
  while (queue.offer(count)) count++
  assert.equal(count, ELEMENTS)
  assert.equal(queue.remainingCapacity, 1000 - count)
  assert.equal((thrownBy(() => queue.add(1)) as Error).message, "Queue full")
  assert.equal(queue.offerSync(1, 1), false)
  assert.equal(queue.poll(), 0)
  assert.equal(queue.offer(count), true)
  assert.equal(queue.offer(1), false)
  assert.deepEqual(
    queue.toArray(),
    Array.from({ length: count }, (_, i) => i + 1),
  )
})

test("[TQ20] put waits until there is memory, first come first served", async () => {
  const queue = bounded()
  while (queue.offer(0));
  const long = await waiting(() => queue.put(LONG))
  const short = await waiting(() => queue.put(1))
  assert.equal(queue.offer(2), false, "not ahead of those who wait")
  const count = await pollUntil(long, queue)
  assert.ok(count >= 12, `${count} cells are too few`)
  await gives(long, undefined)
  assert.ok((await pollUntil(short, queue)) <= 2)
  await gives(short, undefined)
  const rest: (number | string)[] = []
  queue.drainTo(rest)
  assert.deepEqual(rest.slice(-2), [LONG, 1])
})

test("[TQ20] who waits for memory and gives up lets the next one in", async () => {
  const queue = bounded()
  while (queue.offer(0));
  const long = await waiting(() => queue.put(LONG))
  const short = await waiting(() => queue.put(1))
  for (let i = 0; i < 3; i++) queue.poll()
  assert.ok(long.isWaiting && short.isWaiting)
  long.interrupt()
  await failsWith(long, "InterruptedError")
  await gives(short, undefined)
  const closed = await waiting(() => queue.put(LONG))
  queue.close()
  await failsWith(closed, "IllegalStateError")
})

test("[TQ20] one who waits for memory has to wait for room, too", async () => {
  const handle = SharedQueue.create("LinkedBlockingQueue", { capacity: 3, words }).handle
  const queue = LinkedBlockingQueue.from<number | string>(handle)
  const huge = "y".repeat(20 * 56)
  queue.addAll([huge, huge, 1])
  const long = await waiting(() => queue.put(huge))
  const second = await waiting(() => queue.put(2))
  assert.equal(queue.remove(1), true)
  assert.ok(long.isWaiting, "there is room, but no memory")
  queue.poll()
  await gives(long, undefined)
  await gives(second, undefined)
  assert.equal(queue.remainingCapacity, 0)
  assert.deepEqual([queue.poll(), queue.poll(), queue.poll()], [huge, huge, 2])
})

test("[TQ20] an element that is longer than all the memory is refused", () => {
  const queue = bounded()
  const error = thrownBy(() => queue.offer("z".repeat(56 * ELEMENTS))) as Error
  assert.equal(error.name, "NotSerializableError")
  assert.match(error.message, /more than a shared queue can hold/)
  assert.equal(queue.offer("z".repeat(56 * (ELEMENTS - 2))), true)
  queue.clear()
  assert.equal(queue.offer("z".repeat(56 * (ELEMENTS - 2))), true, "again and again")
})

test("[TQ20] queues without a limit wait for memory as well", async () => {
  const transfers = LinkedTransferQueue.from<number | string>(
    SharedQueue.create("LinkedTransferQueue", { capacity: 2 ** 31 - 1, words }).handle,
  )
  while (transfers.offer(0));
  const put = await waiting(() => transfers.put(1))
  const transfer = await waiting(() => transfers.transfer(2))
  await pollUntil(put, transfers)
  await gives(put, undefined)
  assert.ok(transfer.isWaiting)
  const taken: (number | string)[] = []
  transfers.drainTo(taken)
  await gives(transfer, undefined)
  assert.deepEqual(taken.slice(-2), [1, 2])

  const ordered = PriorityBlockingQueue.from<number>(
    SharedQueue.create("PriorityBlockingQueue", { capacity: 2 ** 31 - 1, words, ordering: naturalOrder }).handle,
  )
  while (ordered.offer(5));
  const least = await waiting(() => ordered.put(1))
  assert.equal(ordered.poll(), 5)
  assert.equal(ordered.poll(), 5)
  await gives(least, undefined)
  assert.equal(ordered.poll(), 1)

  const notes = DelayQueue.from<{ delay: number }>(
    SharedQueue.create("DelayQueue", { capacity: 2 ** 31 - 1, words, ordering: "due" }).handle,
  )
  while (notes.offer({ delay: 3_600_000 }));
  const now = await waiting(() => notes.put({ delay: 0 }))
  assert.equal(notes.remove({ delay: 3_600_000 }), true)
  assert.equal(notes.remove({ delay: 3_600_000 }), true)
  await gives(now, undefined)
  assert.deepEqual(notes.poll(), { delay: 0 })
})

test("[TQ20] those who wait find a place though elements have used up everything; in the end they do not", async () => {
  const queue = bounded()
  while (queue.offer(0));
  const putters = [await waiting(() => queue.put(1))]
  while (putters.length < 8) putters.push(await waiting(() => queue.put(putters.length)))
  const error = thrownBy(() => queue.putSync(9)) as Error
  assert.equal(error.name, "IllegalStateError")
  assert.match(error.message, /Too many flows wait/)
  queue.clear()
  for (const putter of putters) await gives(putter, undefined)
  assert.equal(queue.size, 8)

  const synchronous = SynchronousQueue.from<string>(
    SharedQueue.create("SynchronousQueue", { capacity: 0, latestFirst: true, words }).handle,
  )
  const meeting: Caller<void>[] = []
  for (let i = 0; i < 7; i++) meeting.push(await waiting(() => synchronous.put(`${i}${LONG}`)))
  const met = new Set(Array.from({ length: 7 }, () => synchronous.poll()?.at(0)))
  assert.deepEqual(met, new Set(["6", "5", "4", "3", "2", "1", "0"]), "though there was memory for half of them")
  for (const putter of meeting) await gives(putter, undefined)
})

test("[TQ19] memory is used again, whatever was in it", () => {
  const queue = bounded()
  for (let round = 0; round < 2000; round++) {
    const long = "l".repeat((round * 7) % 1500)
    assert.equal(queue.offer(long), true)
    assert.equal(queue.offer(round), true)
    if (round % 3 === 0) assert.equal(queue.remove(round), true)
    assert.equal(queue.poll(), long)
    if (round % 3 !== 0) assert.equal(queue.poll(), round)
  }
  let count = 0
  while (queue.offer(count)) count++
  assert.equal(count, ELEMENTS)
})

test("[TQ19] the memory of a shared queue grows as it is needed", () => {
  const queue = new LinkedBlockingQueue<number>()
  const same = LinkedBlockingQueue.from<number>(queue)
  for (let n = 0; n < 50_000; n++) queue.add(n)
  let inOrder = 0
  for (let n = 0; n < 50_000; n++) if (same.poll() === n) inOrder++
  assert.equal(inOrder, 50_000)
  const ordered = new PriorityBlockingQueue<number>()
  const again = PriorityBlockingQueue.from<number>(ordered)
  for (let n = 0; n < 5000; n++) ordered.add((n * 7919) % 5000)
  for (let n = 0; n < 5000; n++) if (again.poll() === n) inOrder++
  assert.equal(inOrder, 55_000)
})
