/** Rule ids are those of docs/spec/queue.md. Counts and ratios only: nothing here looks at a clock. */
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
import assert from "node:assert/strict"
import { test } from "node:test"
import { collectGarbage } from "../../support/garbage.ts"
import { eventually, turns } from "../../support/harness.ts"
import { waiting } from "./support.ts"

const MILLION = 1_000_000

const firstInFirstOut: readonly (() => BlockingQueue<number>)[] = [
  () => new ArrayBlockingQueue(MILLION),
  () => new LinkedBlockingQueue(),
  () => new LinkedBlockingDeque(),
  () => new LinkedTransferQueue(),
]

test("[BQ59] a million elements pass through in order", () => {
  for (const create of [...firstInFirstOut, () => new PriorityBlockingQueue<number>()]) {
    const queue = create()
    for (let n = 0; n < MILLION; n++) queue.offer(n)
    assert.equal(queue.size, MILLION)
    assert.equal(queue.offer(MILLION), queue.size > MILLION)
    let inOrder = 0
    for (let n = 0; n < MILLION; n++) if (queue.poll() === n) inOrder++
    assert.equal(inOrder, MILLION)
  }
})

test("[BQ59] a million elements, most of them removed from the middle, pass through in order", () => {
  for (const create of [...firstInFirstOut, () => new PriorityBlockingQueue<number>()]) {
    const queue = create()
    for (let n = 0; n < MILLION; n++) queue.offer(n)
    assert.equal(
      queue.removeIf((n) => n % 1000 !== 0),
      true,
    )
    assert.equal(queue.size, 1000)
    assert.equal(queue.contains(999_000), true)
    let inOrder = 0
    for (let n = 0; n < MILLION; n += 1000) if (queue.poll() === n) inOrder++
    assert.equal(inOrder, 1000)
  }
})

test("[BQ59] a million elements go through a deque from both ends, and through an iterator", () => {
  const deque = new LinkedBlockingDeque<number>()
  for (let n = 1; n <= MILLION / 2; n++) {
    deque.addLast(n)
    deque.addFirst(-n)
  }
  let next = -MILLION / 2
  for (const n of deque) {
    if (n !== next) assert.fail(`${n} instead of ${next}`)
    next += next === -1 ? 2 : 1
  }
  for (let n = MILLION / 2; n > 0; n--) {
    if (deque.pollLast() !== n || deque.pollFirst() !== -n) assert.fail(`at ${n}`)
  }
  assert.equal(deque.size, 0)
})

test("[BQ59] twenty thousand wait, and each gets its element", async () => {
  const count = 20_000
  for (const create of [
    () => new LinkedBlockingQueue<number>(),
    () => new SynchronousQueue<number>({ fair: true }),
    () => new PriorityBlockingQueue<number>(),
  ]) {
    const queue = create()
    const taken: Promise<number>[] = []
    for (let n = 0; n < count; n++) taken.push(queue.take())
    for (let n = 0; n < count; n++) assert.equal(queue.offer(n), true)
    const all = await Promise.all(taken)
    assert.equal(all.filter((n, i) => n === i).length, count)
  }
})

test("[BQ59] twenty thousand putters are let in by one clear after the other", async () => {
  const count = 20_000
  const queue = new LinkedBlockingQueue<number>(count / 2)
  for (let n = 0; n < count / 2; n++) queue.add(-1)
  const put: Promise<void>[] = []
  for (let n = 0; n < count; n++) put.push(queue.put(n))
  queue.clear()
  assert.equal(queue.peek(), 0)
  queue.clear()
  assert.equal(queue.peek(), count / 2)
  await Promise.all(put)
  assert.equal(queue.size, count / 2)
})

/** Bytes in use after collection, once several looks in a row agree: what others left behind is gone then. */
async function bytesInUse(): Promise<number> {
  let least = Infinity
  for (let looks = 0; looks < 4; looks++) {
    await turns()
    collectGarbage()
    least = Math.min(least, process.memoryUsage().heapUsed)
  }
  return least
}

test("[BQ61] elements removed from the middle leave no space behind", async () => {
  for (const removeMost of [
    (queue: BlockingQueue<number>) => queue.removeIf((n) => n % 512 !== 0),
    (queue: BlockingQueue<number>) => {
      const iterator = queue[Symbol.iterator]()
      for (const n of iterator) if (n % 512 !== 0) iterator.remove()
    },
  ]) {
    const before = await bytesInUse()
    const queue = new LinkedBlockingQueue<number>()
    for (let n = 0; n < MILLION; n++) queue.add(n)
    const full = (await bytesInUse()) - before
    removeMost(queue)
    const thin = (await bytesInUse()) - before
    assert.ok(thin < full / 10, `${thin} bytes of ${full} are left`)
    assert.equal(queue.size, Math.ceil(MILLION / 512))
  }
})

test("[BQ61] elements removed soon after they came leave no space behind", async () => {
  const before = await bytesInUse()
  const full = new LinkedBlockingDeque<number>()
  for (let n = 0; n < MILLION; n++) full.addLast(n)
  const fullSize = (await bytesInUse()) - before
  full.clear()

  const deque = new LinkedBlockingDeque<number>()
  for (let n = 0; n < 1024; n++) deque.addLast(n)
  // Of 512 three stay, all at the borders of a chunk; the others go when they are the last but one.
  const stays = (n: number) => n < 1024 || n % 512 === 0 || n % 512 >= 510
  for (let n = 1024; n < MILLION; n++) {
    deque.addLast(n)
    if (!stays(n - 1)) assert.equal(deque.removeLastOccurrence(n - 1), true)
  }
  const thinSize = (await bytesInUse()) - before
  assert.ok(thinSize < fullSize / 10, `${thinSize} bytes of ${fullSize} are in use`)
  assert.ok(deque.size < MILLION / 100)
})

/** Whether the objects that `use` puts into a queue and takes out again can be collected. */
async function forgets(use: (make: () => object) => Promise<unknown>): Promise<boolean> {
  const refs: WeakRef<object>[] = []
  const kept = await use(() => {
    const object = { delay: 0, compareTo: () => 0 }
    refs.push(new WeakRef(object))
    return object
  })
  await eventually(() => {
    collectGarbage()
    return refs.every((ref) => ref.deref() === undefined)
  })
  return kept !== undefined && refs.length > 0
}

test("[BQ62] a queue forgets what was taken from it", async () => {
  for (const create of [
    () => new ArrayBlockingQueue<object>(9),
    () => new LinkedBlockingQueue<object>(),
    () => new LinkedBlockingDeque<object>(),
    () => new LinkedTransferQueue<object>(),
    () => new PriorityBlockingQueue<object>(),
    () => new DelayQueue() as unknown as BlockingQueue<object>,
  ]) {
    const forgotten = forgets(async (make) => {
      const queue = create()
      for (let n = 0; n < 9; n++) queue.add(make())
      queue.poll()
      await queue.take()
      queue.remove(queue.peek())
      queue.drainTo([], 2)
      queue.removeIf((e) => e === queue.peek())
      queue.clear()
      return queue
    })
    assert.equal(await forgotten, true)
  }
})

test("[BQ62] a synchronous queue forgets what was handed over", async () => {
  for (const fair of [false, true]) {
    const forgotten = forgets(async (make) => {
      const queue = new SynchronousQueue<object>({ fair })
      for (let n = 0; n < 5; n++) {
        await waiting(() => queue.put(make()))
        queue.poll()
        const taken = queue.take()
        queue.offer(make())
        await taken
        await queue.offer(make(), 1)
      }
      return queue
    })
    assert.equal(await forgotten, true)
  }
})
