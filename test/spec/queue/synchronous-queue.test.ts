/** Rule ids are those of docs/spec/queue.md. */
import { LinkedBlockingQueue, SynchronousQueue } from "corepool"
import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { handOffOnlyContract } from "../../contract/blocking-queue.ts"
import { rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { failsWith, gives, raised, receive, waiting } from "./support.ts"

for (const fair of [false, true]) {
  handOffOnlyContract<number>({
    name: fair ? "fair SynchronousQueue" : "SynchronousQueue",
    create: () => new SynchronousQueue({ fair }),
    element: (n) => n,
    numberOf: (e) => e,
    isBounded: true,
    isOrdered: true,
    noticesInterrupt: { put: false, timedOffer: false, take: false, timedPoll: false },
    noun: "Queue",
  })

  describe(fair ? "fair SynchronousQueue" : "SynchronousQueue", () => {
    const create = () => new SynchronousQueue<number>({ fair })

    test("[SQ1] it is always empty and always full", async () => {
      const queue = create()
      const look = () => {
        assert.equal(queue.size, 0)
        assert.equal(queue.isEmpty, true)
        assert.equal(queue.remainingCapacity, 0)
        assert.equal(queue.peek(), undefined)
        assert.equal((thrownBy(() => queue.element()) as Error).name, "NoSuchElementError")
        assert.equal(queue.contains(1), false)
        assert.deepEqual(queue.toArray(), [])
        assert.equal(queue.toString(), "[]")
      }
      look()
      await waiting(() => queue.put(1))
      look()
    })

    test("[SQ2] without a taker an insertion at once is refused", async () => {
      const queue = create()
      assert.equal(queue.offer(1), false)
      assert.equal(await queue.offer(1, 0), false)
      assert.equal((thrownBy(() => queue.add(1)) as Error).message, "Queue full")
      assert.equal((thrownBy(() => queue.addAll([1, 2])) as Error).message, "Queue full")
      assert.equal(await queue.poll(0), undefined)
    })

    test("[SQ3] a poll gets what somebody waits to put", async () => {
      const queue = create()
      assert.equal(queue.poll(), undefined)
      const putter = await waiting(() => queue.put(1))
      assert.equal(queue.poll(), 1)
      await gives(putter, undefined)
      const offerer = await waiting(() => queue.offer(2, 60_000))
      assert.equal(queue.remove(), 2)
      await gives(offerer, true)
      assert.equal((thrownBy(() => queue.remove()) as Error).name, "NoSuchElementError")
    })

    test("[SQ4] put and take wait for each other", async () => {
      const queue = create()
      const putter = await waiting(() => queue.put(1))
      assert.equal(await queue.take(), 1)
      await gives(putter, undefined)
      const taker = await waiting(() => queue.take())
      await queue.put(2)
      await gives(taker, 2)
    })

    test("[SQ4] waiting putters give up by interrupt, abort and time, and leave nothing", async () => {
      const queue = create()
      const interrupted = await waiting(() => queue.put(1))
      const controller = new AbortController()
      const aborted = await waiting(() => queue.put(2, { signal: controller.signal }))
      const stays = await waiting(() => queue.put(3))
      assert.equal(await queue.offer(4, 1), false)
      assert.equal(((await rejectionOf(queue.put(5, 1))) as Error).name, "TimeoutError")
      interrupted.interrupt()
      controller.abort(new Error("enough"))
      await failsWith(interrupted, "InterruptedError")
      await failsWith(aborted, "Error")
      assert.equal(queue.poll(), 3)
      await gives(stays, undefined)
      assert.equal(queue.poll(), undefined)
      await failsWith(await raised(() => queue.put(6)), "InterruptedError")
      await failsWith(await raised(() => queue.offer(6, 60_000)), "InterruptedError")
    })

    test("[BQ26] with the flag raised, who need not wait goes through", async () => {
      const queue = create()
      const taker = await waiting(() => queue.take())
      const putter = await raised(() => queue.put(1))
      await gives(putter, undefined)
      await gives(taker, 1)
      assert.equal(putter.flow.isInterrupted, true)
      await waiting(() => queue.put(2))
      const poller = await raised(() => queue.poll(60_000))
      await gives(poller, 2)
      assert.equal(poller.flow.isInterrupted, true)
    })

    test("[SQ8] what waits to be put cannot be removed", async () => {
      const queue = create()
      const putter = await waiting(() => queue.put(1))
      queue.clear()
      assert.equal(queue.remove(1), false)
      assert.equal(queue.removeAll([1]), false)
      assert.equal(queue.retainAll([]), false)
      assert.equal(
        queue.removeIf(() => true),
        false,
      )
      await turns(1)
      assert.ok(putter.isWaiting)
      assert.equal(queue.poll(), 1)
    })

    test("[SQ9] it contains nothing", () => {
      assert.equal(create().containsAll([]), true)
      assert.equal(create().containsAll([1]), false)
    })

    test("[SQ10] offers succeed for exactly as many as receive", () => {
      const queue = create()
      assert.equal(queue.offer(1), false)
      const threads = [receive(queue, Infinity), receive(queue, 60_000)]
      assert.equal(queue.offer(1), true)
      assert.equal(queue.offer(2), true)
      assert.equal(queue.offer(3), false)
      assert.deepEqual(new Set(threads.map(({ value }) => value)), new Set([1, 2]))
      const interrupted = receive(queue, Infinity)
      interrupted.flow.interrupt()
      assert.equal(queue.offer(4), false)
    })

    test("[SQ11] a putter whose element is refused by the target of a drain waits on", async () => {
      const queue = create()
      const putters = [await waiting(() => queue.put(1)), await waiting(() => queue.put(2))]
      const target = new LinkedBlockingQueue<number>(1)
      assert.equal((thrownBy(() => queue.drainTo(target)) as Error).message, "Queue full")
      await turns(1)
      assert.equal(putters.filter(({ isWaiting }) => isWaiting).length, 1)
      assert.equal((target.poll() ?? 0) + (queue.poll() ?? 0), 3)
    })

    test("[SQ13] an iterator shows nothing", async () => {
      const queue = create()
      await waiting(() => queue.put(1))
      const iterator = queue[Symbol.iterator]()
      assert.equal(iterator.next().done, true)
      assert.equal((thrownBy(() => iterator.remove()) as Error).name, "IllegalStateError")
    })

    test("[BQ55] closing refuses those who wait to put", async () => {
      const queue = create()
      const putters = [await waiting(() => queue.put(1)), await waiting(() => queue.put(2))]
      const offerer = await waiting(() => queue.offer(3, 60_000))
      queue.close()
      for (const putter of putters) await failsWith(putter, "IllegalStateError")
      await gives(offerer, false)
      assert.equal(queue.poll(), undefined)
    })
  })
}

for (const [fair, order] of [
  [true, [0, 1, 2]],
  [false, [2, 1, 0]],
] as const) {
  const takersAreServed = async () => {
    const queue = new SynchronousQueue<number>({ fair })
    const takers = [
      await waiting(() => queue.take()),
      await waiting(() => queue.take()),
      await waiting(() => queue.poll(60_000)),
    ]
    for (const n of order) {
      if (n === 1) await queue.put(n)
      else assert.equal(queue.offer(n), true)
      const taker = takers[n]
      assert.ok(taker)
      await gives(taker, n)
    }
  }
  const puttersAreServed = async () => {
    const queue = new SynchronousQueue<number>({ fair })
    for (const n of [0, 1, 2]) await waiting(() => queue.put(n))
    assert.deepEqual([queue.poll(), await queue.take(), await queue.poll(60_000)], order)
  }
  const puttersAreDrained = async () => {
    const queue = new SynchronousQueue<number>({ fair })
    const putters = [
      await waiting(() => queue.put(0)),
      await waiting(() => queue.put(1)),
      await waiting(() => queue.put(2)),
    ]
    const target: number[] = []
    assert.equal(queue.drainTo(target, 0), 0)
    assert.equal(queue.drainTo(target, 2), 2)
    await turns(1)
    assert.equal(putters.filter(({ isWaiting }) => isWaiting).length, 1)
    assert.equal(queue.drainTo(target), 1)
    assert.equal(queue.drainTo(target), 0)
    assert.deepEqual(target, order)
    for (const putter of putters) await gives(putter, undefined)
  }
  if (fair) {
    test("[SQ5] fair: takers are served in the order in which they came", takersAreServed)
    test("[SQ5] fair: putters are served in the order in which they came", puttersAreServed)
    test("[SQ7] fair: drainTo takes from putters in the order in which they came", puttersAreDrained)
  } else {
    test("[SQ6] not fair: the latest taker is served first", takersAreServed)
    test("[SQ6] not fair: the latest putter is served first", puttersAreServed)
    test("[SQ7] not fair: drainTo takes from the latest putter first", puttersAreDrained)
  }
}

test("[SQ5][BQ24] fair: an interrupted putter in the middle leaves the line", async () => {
  const queue = new SynchronousQueue<number>({ fair: true })
  const putters = [
    await waiting(() => queue.put(1)),
    await waiting(() => queue.put(2)),
    await waiting(() => queue.put(3)),
  ] as const
  putters[1].interrupt()
  assert.deepEqual([queue.poll(), queue.poll(), queue.poll()], [1, 3, undefined])
})

test("[SQ6] the default is not fair", async () => {
  const queue = new SynchronousQueue<number>()
  await waiting(() => queue.put(1))
  await waiting(() => queue.put(2))
  assert.equal(queue.poll(), 2)
})

test("[SQ12] fair is a boolean", () => {
  for (const fair of ["yes", null] as unknown[] as boolean[]) {
    assert.ok(thrownBy(() => new SynchronousQueue({ fair })) instanceof TypeError)
  }
})
