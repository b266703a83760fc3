import type { CorepoolError } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { failsWith, gives, receive, settled, waiting, Watched } from "../../spec/queue/support.ts"
import { eventually, rejectionOf, thrownBy } from "../../support/harness.ts"
import type { QueueKind } from "./kind.ts"

/** What holds for every kind: closing. */
export function closing<E>(kind: QueueKind<E>): void {
  const { element, numberOf, noun } = kind
  const empty = () => kind.create(3)

  test("[BQ53] a closed queue refuses insertions", async () => {
    const queue = empty()
    queue.close()
    assert.equal(queue.offer(element(1)), false)
    assert.equal(await queue.offer(element(1), 60_000), false)
    for (const error of [thrownBy(() => queue.add(element(1))), await rejectionOf(queue.put(element(1)))]) {
      assert.equal((error as CorepoolError).code, "ERR_COREPOOL_ILLEGAL_STATE")
      assert.equal((error as Error).message, `${noun} closed`)
    }
    assert.equal(queue.size, 0)
  })

  test("[BQ56] closing an empty queue ends those who wait to take", async () => {
    const queue = empty()
    const takers = [await waiting(() => queue.take()), await waiting(() => queue.take(60_000))]
    const poller = await waiting(() => queue.poll(60_000))
    const thread = receive(queue, Infinity)
    const timed = receive(queue, 60_000)
    queue.close()
    for (const taker of takers) await failsWith(taker, "IllegalStateError")
    await gives(poller, undefined)
    assert.equal((thread.reason as Error).name, "IllegalStateError")
    assert.equal(timed.state, "fulfilled")
  })

  test("[BQ56] on a closed and empty queue nobody waits", async () => {
    const queue = empty()
    queue.close()
    assert.equal(queue.poll(), undefined)
    assert.equal(await queue.poll(60_000), undefined)
    assert.equal(((await rejectionOf(queue.take())) as Error).message, `${noun} closed`)
    assert.equal((receive(queue, Infinity).reason as Error).name, "IllegalStateError")
    assert.equal(receive(queue, 60_000).state, "fulfilled")
  })

  test("[BQ57] for await takes what comes until the queue is closed", async () => {
    const queue = empty()
    const seen: number[] = []
    const consumer = new Watched(
      (async () => {
        for await (const e of queue) seen.push(numberOf(e))
      })(),
    )
    for (let n = 1; n <= 4; n++) {
      await settled()
      await queue.put(element(n))
    }
    await settled()
    assert.ok(consumer.isPending)
    queue.close()
    await eventually(() => !consumer.isPending)
    assert.equal(consumer.state, "fulfilled")
    assert.deepEqual(seen, [1, 2, 3, 4])
  })

  test("[BQ57] leaving for await takes no more", async () => {
    const queue = empty()
    const iterator = queue[Symbol.asyncIterator]()
    const taker = new Watched(iterator.next())
    queue.add(element(1))
    await settled()
    assert.equal(taker.state, "fulfilled")
    await iterator.return?.()
    assert.equal((await iterator.next()).done, true)
    assert.equal(iterator[Symbol.asyncIterator](), iterator)
    assert.equal(queue.poll(), undefined)
  })

  test("[BQ57] an interrupt comes out of for await", async () => {
    const queue = empty()
    const consumer = await waiting(async () => {
      for await (const e of queue) assert.fail(String(e))
    })
    consumer.interrupt()
    await failsWith(consumer, "InterruptedError")
  })

  test("[BQ58] closing twice is closing once", () => {
    const queue = empty()
    assert.equal(queue.isClosed, false)
    queue.close()
    queue.close()
    assert.equal(queue.isClosed, true)
    assert.equal(queue.remainingCapacity, 0)
  })
}
