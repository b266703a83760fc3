import { LinkedBlockingQueue, type BlockingQueue, type CorepoolError } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { failsWith, gives, raised, settled, timeLimit, waiting } from "../../spec/queue/support.ts"
import { rejectionOf, thrownBy } from "../../support/harness.ts"
import { filled, shown, type QueueKind } from "./kind.ts"

/** What holds for array queue, linked queue and deque: they can be full. */
export function whenFull<E>(kind: QueueKind<E>): void {
  const { create, element, numberOf, noun } = kind
  const full = (capacity: number) => filled(kind, capacity)
  const numbers = (queue: BlockingQueue<E>) => shown(kind, queue)

  test("[BQ1][BQ2] a full queue refuses", () => {
    const queue = full(2)
    assert.equal(queue.offer(element(3)), false)
    const error = thrownBy(() => queue.add(element(3))) as CorepoolError
    assert.equal(error.code, "ERR_COREPOOL_ILLEGAL_STATE")
    assert.equal(error.message, `${noun} full`)
    assert.deepEqual(numbers(queue), [1, 2])
  })

  test("[BQ3] put waits while the queue is full and comes in as soon as there is room", async () => {
    const queue = full(2)
    const putter = await waiting(() => queue.put(element(3)))
    assert.deepEqual(numbers(queue), [1, 2])
    assert.equal(numberOf(queue.poll() as E), 1)
    assert.deepEqual(numbers(queue), [2, 3], "at once")
    await gives(putter, undefined)
  })

  test("[BQ4] a timed offer gives false when its time is over and not before", async () => {
    const queue = full(1)
    const limit = timeLimit(5)
    assert.equal(await queue.offer(element(2), 5), false)
    assert.ok(limit.isOver)
    assert.deepEqual(numbers(queue), [1])
  })

  test("[BQ4] a timed offer comes in if there is room in time", async () => {
    const queue = full(1)
    const putter = await waiting(() => queue.offer(element(2), 60_000))
    queue.remove()
    await gives(putter, true)
    assert.deepEqual(numbers(queue), [2])
  })

  test("[BQ10][BQ11] limits of putters", async () => {
    const queue = full(1)
    assert.equal(await queue.offer(element(2), 0), false)
    assert.equal(await queue.offer(element(2), -1), false)
    assert.equal(((await rejectionOf(queue.put(element(2), 1))) as Error).name, "TimeoutError")
    assert.equal(((await rejectionOf(queue.put(element(2), { timeout: 0 }))) as Error).name, "TimeoutError")
    assert.equal(numberOf(queue.remove()), 1)
    assert.equal(queue.size, 0, "nobody came in late")
  })

  test("[BQ22] putters come in in the order in which they came", async () => {
    const queue = full(1)
    const putters = [
      await waiting<unknown>(() => queue.put(element(2))),
      await waiting<unknown>(() => queue.offer(element(3), 60_000)),
      await waiting<unknown>(() => queue.put(element(4))),
    ]
    for (const [i, putter] of putters.entries()) {
      assert.equal(numberOf(queue.remove()), i + 1)
      await settled()
      assert.equal(putter.call.state, "fulfilled")
      assert.equal(putters.filter((other) => other.isWaiting).length, 2 - i)
    }
  })

  test("[BQ23][BQ24] an interrupted putter leaves the line with its element, the others stay", async () => {
    const queue = full(1)
    const putters = [
      await waiting<unknown>(() => queue.put(element(2))),
      await waiting<unknown>(() => queue.offer(element(3), 60_000)),
      await waiting<unknown>(() => queue.put(element(4))),
    ] as const
    putters[0].interrupt()
    putters[1].interrupt()
    await failsWith(putters[0], "InterruptedError")
    await failsWith(putters[1], "InterruptedError")
    assert.equal(putters[1].flow.isInterrupted, false)
    assert.deepEqual(numbers(queue), [1])
    queue.poll()
    await gives(putters[2], undefined)
    assert.deepEqual(numbers(queue), [4])
  })

  test("[BQ25] with the flag raised, a put that would have to wait rejects at once", async () => {
    const queue = full(1)
    for (const call of [() => queue.put(element(2)), () => queue.offer(element(2), 60_000)]) {
      const putter = await raised<unknown>(call)
      await failsWith(putter, "InterruptedError")
      assert.equal(putter.flow.isInterrupted, false)
    }
    assert.deepEqual(numbers(queue), [1])
  })

  test("[BQ27][BQ29] a putter that gave up takes no room", async () => {
    const queue = full(1)
    const controller = new AbortController()
    const reason = new Error("enough")
    const putter = await waiting(() => queue.put(element(2), { signal: controller.signal }))
    const other = await waiting(() => queue.put(element(3)))
    assert.equal(await queue.offer(element(4), 1), false)
    controller.abort(reason)
    await settled()
    assert.equal(putter.call.reason, reason)
    queue.poll()
    await gives(other, undefined)
    assert.deepEqual(numbers(queue), [3])
    queue.poll()
    assert.equal(queue.size, 0)
  })

  test("[BQ32] addAll beyond the capacity adds what fits", () => {
    const queue = create(3)
    queue.add(element(1))
    const error = thrownBy(() => queue.addAll([2, 3, 4, 5].map(element))) as Error
    assert.equal(error.message, `${noun} full`)
    assert.deepEqual(numbers(queue), [1, 2, 3])
  })

  test("[BQ43] drainTo lets in as many putters as elements went, and does not drain theirs", async () => {
    const queue = full(2)
    const putters = [
      await waiting(() => queue.put(element(3))),
      await waiting(() => queue.put(element(4))),
      await waiting(() => queue.put(element(5))),
    ]
    const target: E[] = []
    assert.equal(queue.drainTo(target, 1), 1)
    assert.deepEqual(numbers(queue), [2, 3])
    assert.equal(queue.drainTo(target), 2)
    assert.deepEqual(target.map(numberOf), [1, 2, 3])
    assert.deepEqual(numbers(queue), [4, 5])
    for (const putter of putters) await gives(putter, undefined)
  })

  test("[BQ42][BQ43] a drain that is refused half-way still lets putters in", async () => {
    const queue = full(2)
    const putter = await waiting(() => queue.put(element(3)))
    const target = new LinkedBlockingQueue<E>(1)
    assert.equal((thrownBy(() => queue.drainTo(target)) as Error).name, "IllegalStateError")
    await gives(putter, undefined)
    assert.deepEqual(numbers(queue), [2, 3])
  })

  test("[BQ44] clear lets putters in", async () => {
    const queue = full(2)
    const putters = [
      await waiting(() => queue.put(element(3))),
      await waiting(() => queue.put(element(4))),
      await waiting(() => queue.put(element(5))),
    ] as const
    queue.clear()
    assert.deepEqual(numbers(queue), [3, 4])
    await gives(putters[1], undefined)
    assert.ok(putters[2].isWaiting)
    queue.clear()
    assert.deepEqual(numbers(queue), [5])
  })

  test("[BQ45] removing from the middle lets a putter in", async () => {
    const queue = full(3)
    const first = await waiting(() => queue.put(element(4)))
    const second = await waiting(() => queue.put(element(5)))
    assert.equal(queue.remove(element(9)), false)
    assert.ok(first.isWaiting)
    assert.equal(queue.remove(element(2)), true)
    await gives(first, undefined)
    assert.deepEqual(numbers(queue), [1, 3, 4])
    const iterator = queue[Symbol.iterator]()
    iterator.next()
    iterator.next()
    iterator.remove()
    await gives(second, undefined)
    assert.deepEqual(numbers(queue), [1, 4, 5])
  })

  test("[BQ47] remainingCapacity is what the capacity leaves", () => {
    const queue = create(3)
    for (let n = 0; n <= 3; n++) {
      assert.equal(queue.remainingCapacity, 3 - n)
      assert.equal(queue.size, n)
      queue.offer(element(n))
    }
    for (let n = 3; n >= 0; n--) {
      assert.equal(queue.remainingCapacity, 3 - n)
      queue.poll()
    }
  })

  test("[BQ55] closing refuses those who wait to put", async () => {
    const queue = full(1)
    const putter = await waiting(() => queue.put(element(2)))
    const offerer = await waiting(() => queue.offer(element(3), 60_000))
    queue.close()
    await failsWith(putter, "IllegalStateError")
    assert.equal((putter.call.reason as Error).message, `${noun} closed`)
    await gives(offerer, false)
    assert.deepEqual(numbers(queue), [1])
    assert.equal(numberOf(await queue.take()), 1)
  })
}
