/** How a queue comes to be shared, and what changes then. Rule ids are those of docs/spec/shared-queue.md. */
import {
  ArrayBlockingQueue,
  BlockingQueue,
  DelayQueue,
  LinkedBlockingDeque,
  LinkedBlockingQueue,
  LinkedTransferQueue,
  NotSerializableError,
  PriorityBlockingQueue,
  ScheduledThreadPoolExecutor,
  SynchronousQueue,
  virtualThreads,
} from "corepool"
import type { Shared } from "#src/memory/shared/shared-memory.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { rejectionOf, thrownBy } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"
import { Caller, failsWith, gives, settled, waiting } from "../queue/support.ts"
import { posted, shared } from "./support.ts"

test("[TQ1] what arrives of a posted queue is the same queue", () => {
  const array = new ArrayBlockingQueue<string>(2)
  array.add("a")
  const there = ArrayBlockingQueue.from<string>(posted(array))
  assert.equal(there.poll(), "a")
  there.add("b")
  assert.deepEqual(array.toArray(), ["b"])
  assert.deepEqual(Object.keys(array), ["handle"])

  const linked = new LinkedBlockingQueue<number>()
  LinkedBlockingQueue.from<number>(posted(linked)).add(1)
  assert.equal(linked.peek(), 1)
  const deque = new LinkedBlockingDeque<number>()
  LinkedBlockingDeque.from<number>(posted(deque)).addAll([1, 2, 3])
  assert.equal(deque.pollLast(), 3)
  const transfers = new LinkedTransferQueue<number>()
  LinkedTransferQueue.from<number>(posted(transfers)).add(1)
  assert.equal(transfers.size, 1)
  const ordered = new PriorityBlockingQueue<number>()
  PriorityBlockingQueue.from<number>(posted(ordered)).addAll([3, 1, 2])
  assert.equal(ordered.poll(), 1)
})

test("[TQ1] the queue itself, its handle and what arrives are all accepted, also inside of something else", async () => {
  const queue = new SynchronousQueue<number>()
  const message = structuredClone({ list: [queue], handle: queue.handle })
  const taker = await waiting(() => SynchronousQueue.from<number>(message.list[0] as Shared).take())
  assert.equal(SynchronousQueue.from<number>(message.handle).offer(1), true)
  await gives(taker, 1)
  assert.equal(SynchronousQueue.from(queue).poll(), undefined)
})

test("[TQ2] elements are copies from then on", () => {
  const element = { name: "a", tags: new Set([1]) }
  const queue = new LinkedBlockingQueue<typeof element>()
  queue.add(element)
  assert.equal(queue.peek(), element)
  assert.equal(shared(queue).size, 1)
  const copy = queue.peek()
  assert.notEqual(copy, element)
  assert.deepEqual(copy, element)
  assert.notEqual(queue.poll(), copy)
})

test("[TQ3] a queue with an element that cannot be copied is not shared, and is as it was", () => {
  for (const queue of [
    new ArrayBlockingQueue<unknown>(3),
    new LinkedBlockingDeque<unknown>(),
    new LinkedTransferQueue<unknown>(),
    new PriorityBlockingQueue<unknown>(() => 0),
  ]) {
    const run = (): void => undefined
    queue.addAll([1, { run }])
    const error = thrownBy(() => queue.handle)
    assert.ok(error instanceof NotSerializableError)
    assert.match(error.message, /Function run in `run`/)
    assert.ok(thrownBy(() => structuredClone(queue)) instanceof Error)
    assert.equal(queue.poll(), 1)
    assert.deepEqual(queue.poll(), { run })
    assert.equal(shared(queue).offer(1), true)
  }
})

test("[TQ3] what cannot be copied is refused by every way of inserting into a shared queue", async () => {
  const queue = shared(new LinkedBlockingDeque<unknown>(2))
  const bad = { f: () => 1 }
  for (const call of [
    () => queue.offer(bad),
    () => queue.add(bad),
    () => queue.addFirst(bad),
    () => queue.putSync(bad),
    () => queue.offerSync(bad, 1),
    () => queue.addAll([bad]),
  ]) {
    assert.ok(thrownBy(call) instanceof NotSerializableError)
  }
  assert.ok((await rejectionOf(queue.put(bad))) instanceof NotSerializableError)
  assert.ok((await rejectionOf(queue.offer(bad, 1))) instanceof NotSerializableError)
  assert.equal(queue.size, 0)
})

test("[TQ4] elements, capacity and being closed are taken over", () => {
  const queue = new ArrayBlockingQueue<number>(3)
  queue.addAll([1, 2])
  assert.equal(shared(queue).remainingCapacity, 1)
  assert.deepEqual(queue.toArray(), [1, 2])
  assert.equal(queue.offer(3), true)
  assert.equal(queue.offer(4), false)

  for (const closed of [
    new LinkedBlockingQueue<number>(1),
    new LinkedTransferQueue<number>(),
    new SynchronousQueue(),
  ]) {
    closed.offer(1)
    const { size } = closed
    closed.close()
    assert.equal(shared(closed).isClosed, true)
    assert.equal(closed.offer(2), false)
    assert.equal(closed.poll(), size === 1 ? 1 : undefined)
    assert.equal(closed.remainingCapacity, 0)
  }
  const ordered = new PriorityBlockingQueue<{ n: number; rank: number }>((a, b) => a.rank - b.rank)
  ordered.addAll([1, 2, 3, 4].map((n) => ({ n, rank: n % 2 })))
  assert.deepEqual(
    [1, 2, 3, 4].map(() => shared(ordered).poll()?.n),
    [2, 4, 1, 3],
  )
})

test("[TQ5] those who wait when a queue is shared wait on, in their order", async () => {
  const queue = new LinkedBlockingQueue<number>(1)
  const takers = [await waiting(() => queue.take()), await waiting(() => queue.poll(60_000))] as const
  shared(queue)
  await settled()
  assert.ok(takers.every((taker) => taker.isWaiting))
  queue.add(1)
  await gives(takers[0], 1)
  queue.add(2)
  await gives(takers[1], 2)

  const full = new LinkedBlockingDeque<number>(1)
  full.add(1)
  const putters = [
    await waiting(() => full.put(2)),
    await waiting(() => full.putFirst(3)),
    await waiting(() => full.put(4)),
  ] as const
  shared(full)
  putters[1].interrupt()
  await failsWith(putters[1], "InterruptedError")
  assert.deepEqual([full.poll(), full.poll(), full.poll(), full.poll()], [1, 2, 4, undefined])
  await gives(putters[0], undefined)
  await gives(putters[2], undefined)
})

test("[TQ5] their time limit is what is left of it", async () => {
  const queue = new LinkedBlockingQueue<number>(1)
  const taker = new Caller(() => queue.poll(20))
  shared(queue) // in the same turn, so that the time cannot be over
  assert.equal(await taker.flow.run(() => queue.poll(0)), undefined)
  while (taker.isWaiting) await settled()
  await gives(taker, undefined)
})

test("[TQ5] a putter whose element cannot be copied fails, and the others go on", async () => {
  const queue = new ArrayBlockingQueue<unknown>(1)
  queue.add(1)
  const putters = [await waiting(() => queue.put(() => 1)), await waiting(() => queue.put(2))] as const
  shared(queue)
  await failsWith(putters[0], "NotSerializableError")
  assert.deepEqual([queue.poll(), queue.poll()], [1, 2])
  await gives(putters[1], undefined)
})

test("[TQ5] those who meet in a synchronous queue, and transfers, are taken over too", async () => {
  const synchronous = new SynchronousQueue<number>({ fair: true })
  const putter = await waiting(() => synchronous.put(1))
  const second = await waiting(() => synchronous.put(2))
  assert.equal(SynchronousQueue.from(shared(synchronous)).poll(), 1)
  assert.equal(synchronous.poll(), 2)
  await gives(putter, undefined)
  await gives(second, undefined)

  const queue = new LinkedTransferQueue<number>()
  queue.add(1)
  const transfer = await waiting(() => queue.transfer(2))
  queue.add(3)
  const withdrawn = await waiting(() => queue.tryTransfer(4, 60_000))
  assert.deepEqual(shared(queue).toArray(), [1, 2, 3, 4])
  withdrawn.interrupt()
  await failsWith(withdrawn, "InterruptedError")
  assert.deepEqual([queue.poll(), queue.poll(), queue.poll(), queue.poll()], [1, 2, 3, undefined])
  await gives(transfer, undefined)
})

test("[TQ5] a queue that is closed and shared while somebody waits for an element to expire", async () => {
  const queue = new DelayQueue<{ readonly name: string; readonly delay: number }>()
  queue.add({ name: "late", delay: 3_600_000 })
  const taker = await waiting(() => queue.take())
  queue.close()
  shared(queue)
  await settled()
  assert.ok(taker.isWaiting)
  queue.clear()
  await failsWith(taker, "IllegalStateError")
})

test("[TQ6] from refuses what is no handle of its class", () => {
  const { handle } = new LinkedBlockingQueue()
  for (const sent of [handle, {}, null, 1, { handle: 1 }] as Shared[]) {
    for (const open of [
      () => ArrayBlockingQueue.from(sent),
      () => SynchronousQueue.from(sent),
      () => PriorityBlockingQueue.from(sent),
      () => DelayQueue.from(sent),
    ]) {
      assert.ok(thrownBy(open) instanceof TypeError)
    }
  }
  const error = thrownBy(() => LinkedTransferQueue.from(handle)) as Error
  assert.match(error.message, /the handle of a LinkedTransferQueue, got "the handle of a LinkedBlockingQueue"/)
})

test("[TQ7] the queue of a pool cannot be shared, and a shared queue is none for a pool", async () => {
  await using pools = new Pools()
  const workQueue = new LinkedBlockingQueue<never>()
  pools.create({ corePoolSize: 1, maximumPoolSize: 1, workQueue })
  assert.equal((thrownBy(() => workQueue.handle) as Error).name, "IllegalStateError")
  const taken = shared(new LinkedBlockingQueue<never>())
  const error = thrownBy(() => pools.create({ corePoolSize: 1, maximumPoolSize: 1, workQueue: taken }))
  assert.equal((error as Error).name, "IllegalStateError")
  const schedule = pools.adopt(new ScheduledThreadPoolExecutor({ corePoolSize: 1, threadFactory: virtualThreads() }))
  assert.equal((thrownBy(() => schedule.queue.handle) as Error).name, "IllegalStateError")
})

test("[TQ7] a kind of queue that does not say how it is shared cannot be", () => {
  class Silent extends BlockingQueue<number> {
    override get size(): number {
      return 0
    }

    override get remainingCapacity(): number {
      return 0
    }

    override peek(): undefined {
      return undefined
    }
  }
  const error = thrownBy(() => new Silent().handle) as Error
  assert.equal(error.name, "UnsupportedOperationError")
  assert.match(error.message, /Silent.* cannot be shared between threads/)
})

test("[TQ8] elements are equal if the sought one says so, or if they have the same structure", () => {
  class Named {
    readonly name: string

    constructor(name: string) {
      this.name = name
    }
  }
  class Picky {
    equals(other: unknown): boolean {
      return (other as Partial<Named>).name === "b"
    }
  }
  const queue = shared(new LinkedBlockingQueue<unknown>())
  queue.addAll([new Named("a"), { name: "b" }, 1.5, Number.NaN, "text", [1, { deep: new Map([[1, 2]]) }]])
  assert.equal(queue.contains({ name: "a" }), true)
  assert.equal(queue.contains(new Named("b")), true)
  assert.equal(queue.contains(new Named("c")), false)
  assert.equal(queue.contains(Number.NaN), true)
  assert.equal(queue.contains([1, { deep: new Map([[1, 2]]) }]), true)
  assert.equal(
    queue.contains(() => 1),
    false,
  )
  assert.equal(queue.contains({ f: () => 1 }), false)
  assert.equal(queue.remove(new Picky()), true)
  assert.equal(queue.contains({ name: "b" }), false)
  assert.equal(queue.removeAll([1.5, "text", null, Number.NaN]), true)
  assert.equal(queue.retainAll([{ name: "a" }]), true)
  assert.deepEqual(queue.toArray(), [{ name: "a" }])
})

test("[TQ9] every removal lets waiting putters in, also from an array queue", async () => {
  const queue = shared(new ArrayBlockingQueue<number>(2))
  queue.addAll([1, 2])
  const putters = [await waiting(() => queue.put(3)), await waiting(() => queue.put(4))] as const
  assert.equal(
    queue.removeIf((n) => n <= 2),
    true,
  )
  assert.deepEqual(queue.toArray(), [3, 4])
  await gives(putters[0], undefined)
  await gives(putters[1], undefined)
})
