/** What is particular about single kinds of queues once they are shared. Rule ids are those of docs/spec/shared-queue.md. */
import {
  ArrayBlockingQueue,
  DelayQueue,
  LinkedBlockingDeque,
  LinkedBlockingQueue,
  LinkedTransferQueue,
  PriorityBlockingQueue,
  SynchronousQueue,
} from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually, rejectionOf, thrownBy } from "../../support/harness.ts"
import { failsWith, gives, settled, timeLimit, waiting } from "../queue/support.ts"
import { posted, shared } from "./support.ts"

// ------------------------------------------------------------------ with an order

interface Job {
  readonly name: string
  readonly priority: number
}

const byPriority = (a: Job, b: Job) => a.priority - b.priority

test("[TQ12] a comparator is given again where the queue is opened", () => {
  const here = new PriorityBlockingQueue<Job>(byPriority)
  here.add({ name: "c", priority: 3 })
  const there = PriorityBlockingQueue.from<Job>(posted(here), byPriority)
  there.addAll([
    { name: "a", priority: 1 },
    { name: "b", priority: 2 },
  ])
  here.add({ name: "a, later", priority: 1 })
  assert.deepEqual(
    [there.poll(), here.poll(), there.poll(), here.poll(), there.poll()].map((job) => job?.name),
    ["a", "a, later", "b", "c", undefined],
  )
  assert.ok(thrownBy(() => PriorityBlockingQueue.from(posted(here), 1 as never)) instanceof TypeError)
})

test("[TQ12] a key is given again where the queue is opened", () => {
  const key = ({ priority }: Job): number => priority
  const here = new PriorityBlockingQueue<Job>({ key })
  here.add({ name: "c", priority: 3 })
  const there = PriorityBlockingQueue.from<Job>(posted(here), { key })
  there.add({ name: "a", priority: 1 })
  here.add({ name: "b", priority: 2 })
  assert.ok(thrownBy(() => there.add({ name: "d" } as Job)) instanceof TypeError)
  assert.deepEqual(
    [there.poll(), here.poll(), there.poll(), here.poll()].map((job) => job?.name),
    ["a", "b", "c", undefined],
  )
})

test("[TQ12] natural order is that of values that survive being copied", () => {
  const queue = shared(new PriorityBlockingQueue<unknown>())
  queue.addAll([3n, 1n, 2n])
  assert.deepEqual([queue.poll(), queue.poll(), queue.poll()], [1n, 2n, 3n])
  queue.addAll(["b", "a"])
  assert.ok(thrownBy(() => queue.add(1)) instanceof TypeError)
  assert.ok(thrownBy(() => queue.add({})) instanceof TypeError)
  const comparable = { compareTo: () => 0 }
  assert.match((thrownBy(() => queue.add(comparable)) as Error).message, /give the queue a comparator/)
  assert.deepEqual(new Set(queue.toArray()), new Set(["a", "b"]))

  const local = new PriorityBlockingQueue<unknown>()
  local.add(comparable)
  assert.equal((thrownBy(() => local.handle) as Error).name, "NotSerializableError")
  assert.equal(local.poll(), comparable)
})

test("[TQ12] a comparator that throws leaves the queue as it was", async () => {
  let angry = false
  const queue = shared(
    new PriorityBlockingQueue<number>((a, b) => {
      if (angry) throw new Error("no")
      return a - b
    }),
  )
  queue.addAll([2, 1, 3, 5, 4])
  angry = true
  for (const call of [() => queue.add(0), () => queue.poll(), () => queue.remove(2), () => queue.clear()]) {
    assert.equal((thrownBy(call) as Error).message, "no")
  }
  assert.equal(((await rejectionOf(queue.put(0))) as Error).message, "no")
  assert.equal(((await rejectionOf(queue.take())) as Error).message, "no")
  angry = false
  assert.deepEqual(new Set(queue.toArray()), new Set([1, 2, 3, 4, 5]))
  const rest: number[] = []
  assert.equal(queue.drainTo(rest), 5)
  assert.deepEqual(rest, [1, 2, 3, 4, 5])
})

test("[TQ12] a comparator cannot use the queue that it orders", () => {
  let meddle: (() => unknown) | undefined
  const queue: PriorityBlockingQueue<number> = new PriorityBlockingQueue((a: number, b: number) => {
    meddle?.()
    return a - b
  })
  const same = PriorityBlockingQueue.from<number>(posted(queue), (a, b) => a - b)
  queue.addAll([1, 2])
  for (const other of [queue, same]) {
    meddle = () => other.poll()
    const error = thrownBy(() => queue.add(3)) as Error
    assert.equal(error.name, "IllegalStateError")
    assert.match(error.message, /comparator/)
  }
  meddle = undefined
  assert.deepEqual([same.poll(), queue.poll(), queue.poll()], [1, 2, undefined])
})

// ------------------------------------------------------------------ with a time

interface Note {
  readonly text: string
  readonly delay: number
}

test("[TQ13] the delay is asked once, when the element is inserted", async () => {
  let asked = 0
  class Reminder implements Note {
    readonly text = "reminder"

    get delay(): number {
      asked++
      return 400
    }
  }
  const queue = shared(new DelayQueue<Note>())
  queue.add(new Reminder())
  const soFar = asked
  assert.equal(queue.poll(), undefined)
  assert.equal(queue.peek()?.text, "reminder")
  const limit = timeLimit(200)
  assert.equal((await queue.take()).text, "reminder")
  assert.ok(limit.isOver)
  assert.equal(asked, soFar)
})

test("[TQ13] elements leave as they expire, whichever was inserted first", async () => {
  const queue = shared(new DelayQueue<Note>())
  const order: string[] = []
  const consumer = (async () => {
    for await (const { text } of queue) order.push(text)
  })()
  queue.add({ text: "third", delay: 1200 })
  queue.add({ text: "second", delay: 600 })
  queue.add({ text: "first", delay: 0 })
  await eventually(() => order.length === 3)
  queue.close()
  await consumer
  assert.deepEqual(order, ["first", "second", "third"])
})

test("[TQ13] who waits longest gets what expires first, also if it did not expire when it came", async () => {
  const queue = shared(new DelayQueue<Note>())
  queue.add({ text: "late", delay: 3_600_000 })
  const takers = [await waiting(() => queue.take()), await waiting(() => queue.take())] as const
  queue.add({ text: "soon", delay: 400 })
  queue.add({ text: "now", delay: 0 })
  await gives(takers[0], { text: "now", delay: 0 })
  await eventually(() => !takers[1].isWaiting)
  assert.equal(takers[1].call.value?.text, "soon")
  assert.equal(queue.size, 1)
})

test("[TQ13] when the one who waits for the next to expire gives up, another one does", async () => {
  const queue = shared(new DelayQueue<Note>())
  queue.add({ text: "soon", delay: 400 })
  const leader = await waiting(() => queue.take())
  const other = await waiting(() => queue.take())
  leader.interrupt()
  await failsWith(leader, "InterruptedError")
  await eventually(() => !other.isWaiting)
  assert.equal(other.call.value?.text, "soon")
})

test("[TQ13] a thread that blocks waits until an element expires", () => {
  const queue = shared(new DelayQueue<Note>())
  queue.add({ text: "soon", delay: 400 })
  assert.equal(queue.pollSync(1), undefined)
  assert.equal(queue.takeSync().text, "soon")
})

// ------------------------------------------------------------------ draining

test("[TQ10] drainTo moves no more than was there when it began, and lets putters in at its end", async () => {
  const queue = shared(new ArrayBlockingQueue<number>(2))
  queue.addAll([1, 2])
  const putter = await waiting(() => queue.put(3))
  const target = new LinkedBlockingQueue<number>()
  assert.equal(queue.drainTo(target), 2)
  assert.deepEqual(target.toArray(), [1, 2])
  assert.deepEqual(queue.toArray(), [3])
  await gives(putter, undefined)
})

test("[TQ11] what a target refuses is at the head again", async () => {
  const queue = shared(new LinkedBlockingDeque<number>())
  queue.addAll([1, 2, 3])
  const target = new ArrayBlockingQueue<number>(1)
  assert.equal((thrownBy(() => queue.drainTo(target)) as Error).message, "Queue full")
  assert.deepEqual(queue.toArray(), [2, 3])

  for (const fair of [true, false]) {
    const synchronous = shared(new SynchronousQueue<number>({ fair }))
    const putters = [await waiting(() => synchronous.put(1)), await waiting(() => synchronous.put(2))] as const
    const [first, second] = fair ? [1, 2] : [2, 1]
    assert.equal((thrownBy(() => synchronous.drainTo(target)) as Error).message, "Queue full")
    await settled()
    assert.deepEqual(
      putters.map(({ isWaiting }) => isWaiting),
      fair ? [false, true] : [true, false],
      "it has been told that its element was taken",
    )
    assert.equal(synchronous.size, 0)
    assert.equal(synchronous.poll(), first)
    assert.equal(synchronous.poll(), second)
    assert.equal(synchronous.poll(), undefined)
  }

  const transfers = shared(new LinkedTransferQueue<number>())
  const transfer = await waiting(() => transfers.transfer(1))
  assert.throws(() => transfers.drainTo(target), { message: "Queue full" })
  await gives(transfer, undefined)
  assert.equal(transfers.poll(), 1)

  const ordered = shared(new PriorityBlockingQueue<number>())
  ordered.addAll([2, 1])
  assert.throws(() => ordered.drainTo(target), { message: "Queue full" })
  assert.deepEqual([ordered.poll(), ordered.poll()], [1, 2])

  const notes = shared(new DelayQueue<Note>())
  notes.addAll([
    { text: "now", delay: -1 },
    { text: "late", delay: 3_600_000 },
  ])
  assert.throws(() => notes.drainTo(target as unknown as Note[]), { message: "Queue full" })
  assert.equal(notes.poll()?.text, "now")
  assert.equal(notes.poll(), undefined)
})

test("[TQ11] a closed queue takes back what a target refuses", async () => {
  const queue = shared(new SynchronousQueue<number>())
  const putter = await waiting(() => queue.put(1))
  const full = new ArrayBlockingQueue<number>(1)
  full.add(0)
  assert.throws(() => queue.drainTo(full), { message: "Queue full" })
  await gives(putter, undefined)
  queue.close()
  assert.equal(queue.poll(), 1)
  assert.equal(queue.poll(), undefined)
})

// ------------------------------------------------------------------ transfers

test("[TQ14] a transfer is handed to who waits, or waits itself until its element is out", async () => {
  const queue = shared(new LinkedTransferQueue<number>())
  assert.equal(queue.tryTransfer(1), false)
  const taker = await waiting(() => queue.take())
  assert.equal(queue.hasWaitingConsumer, true)
  assert.equal(queue.waitingConsumerCount, 1)
  assert.equal(queue.tryTransfer(1), true)
  await gives(taker, 1)
  assert.equal(queue.hasWaitingConsumer, false)
  for (const remove of [
    () => queue.poll(),
    () => queue.remove(2),
    () => queue.clear(),
    () => queue.removeIf(() => true),
  ]) {
    const transfer = await waiting(() => queue.transfer(2))
    assert.equal(queue.size, 1)
    remove()
    await gives(transfer, undefined)
  }
  assert.equal(queue.tryTransferSync(3, 1), false)
  assert.equal(queue.size, 0)
  const transfer = await waiting(() => queue.transfer(4))
  queue.close()
  assert.ok(transfer.isWaiting)
  assert.equal(queue.poll(), 4)
  await gives(transfer, undefined)
  assert.equal(((await rejectionOf(queue.transfer(5))) as Error).name, "IllegalStateError")
})
