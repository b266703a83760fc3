/** The methods that block the thread, in queues that no other thread knows. Rule ids are those of docs/spec/queue.md. */
import {
  ArrayBlockingQueue,
  type BlockingQueue,
  DelayQueue,
  LinkedBlockingDeque,
  LinkedBlockingQueue,
  LinkedTransferQueue,
  PriorityBlockingQueue,
  SynchronousQueue,
} from "corepool"
import { currentFlow } from "#src/memory/flow/flow.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { thrownBy } from "../../support/harness.ts"
import { gives, settled, timeLimit, waiting } from "./support.ts"

const holding: readonly (() => BlockingQueue<number>)[] = [
  () => new ArrayBlockingQueue(1),
  () => new LinkedBlockingQueue(1),
  () => new LinkedBlockingDeque(1),
  () => new LinkedTransferQueue(),
  () => new PriorityBlockingQueue(),
]
const bounded = holding.slice(0, 3)
const all = [...holding, () => new SynchronousQueue<number>()]

function nameOf(error: unknown): string {
  return (error as Error).name
}

test("[BQ63] what need not wait is done at once", () => {
  for (const create of holding) {
    const queue = create()
    queue.putSync(1)
    assert.equal(queue.takeSync(), 1)
    assert.equal(queue.offerSync(2, 60_000), true)
    assert.equal(queue.pollSync(60_000), 2)
    assert.equal(queue.size, 0)
  }
})

test("[BQ63] who waits is served, and serves", async () => {
  for (const create of all) {
    const queue = create()
    const taker = await waiting(() => queue.take())
    queue.putSync(1)
    await gives(taker, 1)
  }
  for (const create of [...bounded, () => new SynchronousQueue<number>()]) {
    const queue = create()
    queue.offer(1)
    const putter = await waiting(() => queue.put(2))
    assert.equal(queue.takeSync(), queue instanceof SynchronousQueue ? 2 : 1)
    await gives(putter, undefined)
  }
})

test("[BQ63] bad elements and bad limits are thrown, and nothing happens", () => {
  for (const create of all) {
    const queue = create()
    assert.ok(thrownBy(() => queue.putSync(null as unknown as number)) instanceof TypeError)
    assert.ok(thrownBy(() => queue.offerSync(undefined as unknown as number, 1)) instanceof TypeError)
    assert.ok(thrownBy(() => queue.putSync(Promise.resolve(1) as unknown as number)) instanceof TypeError)
    assert.ok(thrownBy(() => queue.offerSync(1, "1" as unknown as number)) instanceof TypeError)
    assert.ok(thrownBy(() => queue.pollSync(Number.NaN)) instanceof RangeError)
    assert.equal(queue.size, 0)
  }
})

test("[BQ63] an interrupt is noticed as it is by the forms that await", () => {
  const interrupted = (call: () => unknown): string | undefined => {
    currentFlow().interrupt()
    try {
      call()
      return undefined
    } catch (error) {
      return nameOf(error)
    } finally {
      currentFlow().consumeInterrupt()
    }
  }
  const queue = new LinkedBlockingQueue<number>(2)
  assert.equal(
    interrupted(() => queue.putSync(1)),
    "InterruptedError",
  )
  queue.add(1)
  assert.equal(
    interrupted(() => queue.takeSync()),
    "InterruptedError",
  )
  const transfers = new LinkedTransferQueue<number>()
  assert.equal(
    interrupted(() => transfers.putSync(1)),
    undefined,
  )
  transfers.clear()
  assert.equal(
    interrupted(() => transfers.pollSync(60_000)),
    "InterruptedError",
  )
  assert.equal(queue.size, 1)
})

test("[BQ63] a closed queue refuses, and gives what it still has", () => {
  for (const create of holding) {
    const queue = create()
    queue.add(1)
    queue.close()
    assert.equal((thrownBy(() => queue.putSync(2)) as Error).message.endsWith("closed"), true)
    assert.equal(queue.offerSync(2, 60_000), false)
    assert.equal(queue.takeSync(), 1)
    assert.equal(nameOf(thrownBy(() => queue.takeSync())), "IllegalStateError")
    assert.equal(queue.pollSync(60_000), undefined)
  }
})

test("[BQ64] a wait that could never end is refused, and changes nothing", () => {
  for (const create of all) {
    const queue = create()
    const error = thrownBy(() => queue.takeSync()) as Error
    assert.equal(error.name, "IllegalStateError")
    assert.match(error.message, /could never end/)
    assert.equal(queue.offer(1), !(queue instanceof SynchronousQueue), "nobody waits")
  }
  for (const create of [...bounded, () => new SynchronousQueue<number>()]) {
    const queue = create()
    queue.offer(1)
    const { size } = queue
    assert.equal(nameOf(thrownBy(() => queue.putSync(2))), "IllegalStateError")
    assert.equal(queue.size, size)
    assert.notEqual(queue.poll(), 2)
    assert.equal(queue.poll(), undefined)
  }
})

test("[BQ64] a limit is waited out, and not less", () => {
  for (const create of all) {
    const queue = create()
    const limit = timeLimit(3)
    assert.equal(queue.pollSync(3), undefined)
    assert.ok(limit.isOver)
    assert.equal(queue.pollSync(0), undefined)
    assert.equal(queue.pollSync(-1), undefined)
  }
  for (const create of bounded) {
    const queue = create()
    queue.add(1)
    const limit = timeLimit(3)
    assert.equal(queue.offerSync(2, 3), false)
    assert.ok(limit.isOver)
    assert.equal(queue.offerSync(2, 0), false)
    assert.deepEqual(queue.toArray(), [1])
  }
})

test("[LD16] both ends of a deque have methods that block", () => {
  const deque = new LinkedBlockingDeque<number>(4)
  deque.putFirstSync(2)
  deque.putLastSync(3)
  assert.equal(deque.offerFirstSync(1, 1), true)
  assert.equal(deque.offerLastSync(4, 1), true)
  assert.equal(deque.offerFirstSync(0, 1), false)
  assert.equal(deque.offerLastSync(5, 1), false)
  assert.equal(nameOf(thrownBy(() => deque.putFirstSync(0))), "IllegalStateError")
  assert.equal(nameOf(thrownBy(() => deque.putLastSync(5))), "IllegalStateError")
  assert.deepEqual(deque.toArray(), [1, 2, 3, 4])
  assert.equal(deque.takeFirstSync(), 1)
  assert.equal(deque.takeLastSync(), 4)
  assert.equal(deque.pollFirstSync(1), 2)
  assert.equal(deque.pollLastSync(1), 3)
  assert.equal(deque.pollFirstSync(1), undefined)
  assert.equal(deque.pollLastSync(1), undefined)
  assert.equal(nameOf(thrownBy(() => deque.takeFirstSync())), "IllegalStateError")
  assert.equal(nameOf(thrownBy(() => deque.takeLastSync())), "IllegalStateError")
})

test("[LT12] transfers that block", async () => {
  const queue = new LinkedTransferQueue<number>()
  const takers = [await waiting(() => queue.take()), await waiting(() => queue.take())] as const
  queue.transferSync(1)
  assert.equal(queue.tryTransferSync(2, 60_000), true)
  await gives(takers[0], 1)
  await gives(takers[1], 2)
  assert.equal(queue.tryTransferSync(3, 1), false)
  assert.equal(nameOf(thrownBy(() => queue.transferSync(3))), "IllegalStateError")
  assert.ok(thrownBy(() => queue.transferSync(null as unknown as number)) instanceof TypeError)
  assert.ok(thrownBy(() => queue.tryTransferSync(1, "1" as unknown as number)) instanceof TypeError)
  assert.deepEqual(queue.toArray(), [], "what was not received is withdrawn")
  queue.close()
  assert.equal(queue.tryTransferSync(3, 60_000), false)
  assert.equal((thrownBy(() => queue.transferSync(3)) as Error).message, "Queue closed")
})

test("[DQ15] a thread that blocks waits until an element expires, and then the next one leads", async () => {
  const queue = new DelayQueue<{ readonly name: string; readonly delay: number }>()
  const later = (name: string, ms: number) => {
    const due = performance.now() + ms
    return {
      name,
      get delay() {
        return due - performance.now()
      },
    }
  }
  queue.add(later("soon", 4))
  const limit = timeLimit(3)
  assert.equal(queue.takeSync().name, "soon")
  assert.ok(limit.isOver)
  queue.add(later("late", 3_600_000))
  assert.equal(queue.pollSync(1), undefined)
  const taker = await waiting(() => queue.take())
  queue.add(later("now", 0))
  await settled()
  assert.equal(taker.call.value?.name, "now")
  queue.clear()
})
