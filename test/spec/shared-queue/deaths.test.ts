/** Threads that die while they wait in a shared queue. Rule ids are those of docs/spec/shared-queue.md. */
import {
  ArrayBlockingQueue,
  LinkedBlockingQueue,
  LinkedTransferQueue,
  PriorityBlockingQueue,
  SynchronousQueue,
} from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually } from "../../support/harness.ts"
import { Workers } from "../../support/workers.ts"
import { gives, waiting } from "../queue/support.ts"
import { shared, waitersIn } from "./support.ts"

const module = new URL("threads.workers.js", import.meta.url)

test("[TQ18] the element of a putter that dies goes with it, and the next one is let in", async () => {
  await using workers = new Workers()
  for (const queue of [new ArrayBlockingQueue<number>(1), new LinkedBlockingQueue<number>(1)]) {
    queue.add(1)
    const name = queue.constructor.name
    const first = workers.run(module, "call", name, queue, [["putSync", 2]])
    await eventually(() => waitersIn(queue).putters === 1)
    const second = await waiting(() => queue.put(3))
    await first.kill()
    assert.deepEqual([queue.poll(), queue.poll(), queue.poll()], [1, 3, undefined])
    await gives(second, undefined)
  }
})

test("[TQ18] a taker that dies gets nothing any more", async () => {
  await using workers = new Workers()
  const queue = new LinkedBlockingQueue<number>(1)
  const first = workers.run(module, "call", "LinkedBlockingQueue", queue, [["takeSync"]])
  await eventually(() => waitersIn(queue).takers === 1)
  const second = await waiting(() => queue.take())
  await first.kill()
  queue.add(1)
  await gives(second, 1)
  assert.equal(queue.size, 0)
})

test("[TQ18] those who wait to meet somebody and die are met no more", async () => {
  await using workers = new Workers()
  const queue = shared(new SynchronousQueue<number>())
  const putter = workers.run(module, "call", "SynchronousQueue", queue, [["putSync", 1]])
  await eventually(() => waitersIn(queue).putters === 1)
  await putter.kill()
  assert.equal(queue.poll(), undefined)
  const taker = workers.run(module, "call", "SynchronousQueue", queue, [["takeSync"]])
  await eventually(() => waitersIn(queue).takers === 1)
  await taker.kill()
  assert.equal(queue.offer(1), false)
})

test("[TQ18] an element that was to be transferred stays when who transfers it dies", async () => {
  await using workers = new Workers()
  const queue = shared(new LinkedTransferQueue<number>())
  const other = workers.run(module, "call", "LinkedTransferQueue", queue, [["transferSync", 1]])
  await eventually(() => queue.size === 1)
  await other.kill()
  assert.deepEqual(queue.toArray(), [1])
  assert.equal(queue.poll(), 1)
})

test("[TQ18] nothing is lost if one thread dies in a long ordered queue, and the next one while it mends that", async () => {
  await using workers = new Workers()
  const queue = shared(new PriorityBlockingQueue<number>())
  const elements = Array.from({ length: 2000 }, (_, i) => i)
  await workers.run(module, "call", "PriorityBlockingQueue", queue, [["addAll", elements]]).result
  await workers.run(module, "dieComparing", queue, 0).gone
  await workers.run(module, "dieComparing", queue, 100).gone
  const left = Array.from(elements, () => queue.poll())
  assert.deepEqual(left, elements)
  assert.equal(queue.size, 0)
})
