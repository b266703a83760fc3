/** Rule ids are those of docs/spec/queue.md. */
import { LinkedBlockingQueue, LinkedTransferQueue } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { blockingQueueContract } from "../../contract/blocking-queue.ts"
import { rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { failsWith, gives, raised, timeLimit, waiting } from "./support.ts"

blockingQueueContract<number>({
  name: "LinkedTransferQueue",
  create: () => new LinkedTransferQueue(),
  element: (n) => n,
  numberOf: (e) => e,
  isBounded: false,
  isOrdered: true,
  noticesInterrupt: { put: false, timedOffer: false, take: false, timedPoll: false },
  noun: "Queue",
})

test("[LT1] there is no limit, and inserting notices no interrupt", async () => {
  const queue = new LinkedTransferQueue<number>()
  assert.equal(queue.remainingCapacity, 2_147_483_647)
  const putter = await raised(() => queue.put(1))
  await gives(putter, undefined)
  assert.equal(putter.flow.isInterrupted, true)
  await gives(await raised(() => queue.offer(2, 60_000)), true)
  assert.equal(queue.remainingCapacity, 2_147_483_647)
  assert.deepEqual(queue.toArray(), [1, 2])
})

test("[LT2] transfer waits until its element is taken", async () => {
  for (const take of [
    async (queue: LinkedTransferQueue<number>) => queue.poll(),
    async (queue: LinkedTransferQueue<number>) => queue.remove(),
    async (queue: LinkedTransferQueue<number>) => queue.take(),
    async (queue: LinkedTransferQueue<number>) => queue.poll(60_000),
  ]) {
    const queue = new LinkedTransferQueue<number>()
    const producer = await waiting(() => queue.transfer(1))
    assert.equal(queue.size, 1)
    assert.equal(queue.peek(), 1)
    assert.equal(await take(queue), 1)
    await gives(producer, undefined)
    assert.equal(queue.size, 0)
  }
})

test("[LT2] transfer hands over to a waiting taker at once", async () => {
  const queue = new LinkedTransferQueue<number>()
  const taker = await waiting(() => queue.take())
  await queue.transfer(1)
  await gives(taker, 1)
  const next = await waiting(() => queue.take())
  const producer = await raised(() => queue.transfer(2))
  await gives(producer, undefined)
  await gives(next, 2)
  assert.equal(producer.flow.isInterrupted, true)
})

test("[LT3] transfers are served in order, among what was put", async () => {
  const queue = new LinkedTransferQueue<number>()
  queue.add(1)
  const second = await waiting(() => queue.transfer(2))
  queue.add(3)
  const fourth = await waiting(() => queue.transfer(4))
  assert.deepEqual(queue.toArray(), [1, 2, 3, 4])
  assert.equal(queue.poll(), 1)
  await turns(1)
  assert.ok(second.isWaiting)
  assert.equal(queue.poll(), 2)
  await gives(second, undefined)
  const target: number[] = []
  assert.equal(queue.drainTo(target), 2)
  assert.deepEqual(target, [3, 4])
  await gives(fourth, undefined)
})

test("[LT4] tryTransfer succeeds only with a waiting taker", async () => {
  const queue = new LinkedTransferQueue<number>()
  assert.equal(queue.tryTransfer(1), false)
  assert.equal(queue.size, 0)
  const taker = await waiting(() => queue.take())
  const poller = await waiting(() => queue.poll(60_000))
  assert.equal(queue.tryTransfer(2), true)
  assert.equal(queue.tryTransfer(3), true)
  assert.equal(queue.tryTransfer(4), false)
  await gives(taker, 2)
  await gives(poller, 3)
  queue.add(5)
  assert.equal(queue.tryTransfer(6), false, "what is inside is no taker")
})

test("[LT5] timed tryTransfer waits behind what is there, in time", async () => {
  const queue = new LinkedTransferQueue<number>()
  queue.add(1)
  const producer = await waiting(() => queue.tryTransfer(2, 60_000))
  assert.equal(await queue.take(), 1)
  await turns(1)
  assert.ok(producer.isWaiting)
  assert.equal(await queue.take(), 2)
  await gives(producer, true)
})

test("[LT5] timed tryTransfer withdraws its element when its time is over and not before", async () => {
  const queue = new LinkedTransferQueue<number>()
  queue.add(1)
  const limit = timeLimit(5)
  assert.equal(await queue.tryTransfer(2, 5), false)
  assert.ok(limit.isOver)
  assert.equal(await queue.tryTransfer(3, 0), false)
  assert.deepEqual(queue.toArray(), [1])
})

test("[LT6] a transfer given up withdraws its element", async () => {
  const queue = new LinkedTransferQueue<number>()
  const controller = new AbortController()
  const reason = new Error("enough")
  const interrupted = await waiting(() => queue.transfer(1))
  const stays = await waiting(() => queue.transfer(2))
  const aborted = await waiting(() => queue.tryTransfer(3, { signal: controller.signal }))
  interrupted.interrupt()
  controller.abort(reason)
  await failsWith(interrupted, "InterruptedError")
  await turns(1)
  assert.equal(aborted.call.reason, reason)
  assert.deepEqual(queue.toArray(), [2])
  await failsWith(await raised(() => queue.transfer(4)), "InterruptedError")
  await failsWith(await raised(() => queue.tryTransfer(5, 60_000)), "InterruptedError")
  assert.equal(queue.poll(), 2)
  await gives(stays, undefined)
  assert.equal(queue.poll(), undefined)
})

test("[LT6][BQ28] an aborted signal refuses a transfer even to a waiting taker", async () => {
  const queue = new LinkedTransferQueue<number>()
  const taker = await waiting(() => queue.take())
  const reason = new Error("enough")
  assert.equal(await rejectionOf(queue.transfer(1, { signal: AbortSignal.abort(reason) })), reason)
  assert.ok(taker.isWaiting)
})

test("[LT7] a transfer whose element is removed is done", async () => {
  for (const remove of [
    (queue: LinkedTransferQueue<number>) => queue.remove(2),
    (queue: LinkedTransferQueue<number>) => queue.removeAll([2]),
    (queue: LinkedTransferQueue<number>) => queue.retainAll([1, 3]),
    (queue: LinkedTransferQueue<number>) => queue.removeIf((n) => n === 2),
    (queue: LinkedTransferQueue<number>) => queue.clear(),
    (queue: LinkedTransferQueue<number>) => {
      const iterator = queue[Symbol.iterator]()
      for (const n of iterator) if (n === 2) iterator.remove()
    },
  ]) {
    const queue = new LinkedTransferQueue<number>()
    const others = [await waiting(() => queue.transfer(1))]
    const producer = await waiting(() => queue.transfer(2))
    others.push(await waiting(() => queue.transfer(3)))
    remove(queue)
    await gives(producer, undefined)
    assert.deepEqual(
      others.map(({ isWaiting }) => isWaiting),
      Array.from({ length: 2 }, () => queue.size === 2),
    )
    assert.equal(queue.contains(2), false)
  }
})

test("[LT7][BQ42] a drain that is refused leaves the transfer waiting", async () => {
  const queue = new LinkedTransferQueue<number>()
  const first = await waiting(() => queue.transfer(1))
  const second = await waiting(() => queue.transfer(2))
  assert.equal((thrownBy(() => queue.drainTo(new LinkedBlockingQueue<number>(1))) as Error).message, "Queue full")
  await gives(first, undefined)
  assert.ok(second.isWaiting)
  assert.deepEqual(queue.toArray(), [2])
})

test("[LT8] waiting consumers are told", async () => {
  const queue = new LinkedTransferQueue<number>()
  assert.equal(queue.hasWaitingConsumer, false)
  assert.equal(queue.waitingConsumerCount, 0)
  const first = await waiting(() => queue.poll(60_000))
  const second = await waiting(() => queue.take())
  assert.equal(queue.hasWaitingConsumer, true)
  assert.equal(queue.waitingConsumerCount, 2)
  queue.offer(1)
  assert.equal(queue.waitingConsumerCount, 1)
  second.interrupt()
  assert.equal(queue.hasWaitingConsumer, false)
  assert.equal(queue.waitingConsumerCount, 0)
  await gives(first, 1)
})

test("[LT9] transfers refuse null and undefined", async () => {
  const queue = new LinkedTransferQueue<number>()
  for (const nothing of [null, undefined] as unknown as number[]) {
    assert.ok(thrownBy(() => queue.tryTransfer(nothing)) instanceof TypeError)
    assert.ok((await rejectionOf(queue.tryTransfer(nothing, 1))) instanceof TypeError)
    assert.ok((await rejectionOf(queue.transfer(nothing))) instanceof TypeError)
  }
})

test("[LT10] a closed queue takes no transfers, but gives away what is inside", async () => {
  const queue = new LinkedTransferQueue<number>()
  const producer = await waiting(() => queue.transfer(1))
  queue.close()
  await turns(1)
  assert.ok(producer.isWaiting)
  assert.equal(queue.tryTransfer(2), false)
  assert.equal(await queue.tryTransfer(2, 60_000), false)
  assert.equal(((await rejectionOf(queue.transfer(2))) as Error).message, "Queue closed")
  assert.equal(await queue.take(), 1)
  await gives(producer, undefined)
})

test("[LT11] transfer with a limit rejects with TimeoutError", async () => {
  const queue = new LinkedTransferQueue<number>()
  assert.equal(((await rejectionOf(queue.transfer(1, 1))) as Error).name, "TimeoutError")
  assert.equal(((await rejectionOf(queue.transfer(1, { timeout: 0 }))) as Error).name, "TimeoutError")
  assert.equal(queue.size, 0)
})
