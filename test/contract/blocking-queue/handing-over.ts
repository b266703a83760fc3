import type { CorepoolError } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { Caller, gives, timeLimit, waiting } from "../../spec/queue/support.ts"
import { eventually, rejectionOf, thrownBy } from "../../support/harness.ts"
import type { QueueKind } from "./kind.ts"

/** What holds for every kind: a taker waits, somebody inserts. */
export function handingOver<E>(kind: QueueKind<E>): void {
  const { element, numberOf } = kind
  const empty = () => kind.create(3)

  test("[BQ7] a taker waits and gets the element as soon as it is inserted", async () => {
    const queue = empty()
    const taker = await waiting(() => queue.take())
    const e = element(1)
    assert.equal(queue.offer(e), true)
    assert.equal(queue.poll(), undefined, "it is the taker's already")
    await gives(taker, e)
    assert.equal(queue.size, 0)
  })

  test("[BQ8] a timed poll gets an element that comes in time", async () => {
    const queue = empty()
    const taker = await waiting(() => queue.poll(60_000))
    const e = element(1)
    queue.add(e)
    await gives(taker, e)
  })

  test("[BQ8] a timed poll gives undefined when its time is over and not before", async () => {
    const queue = empty()
    const limit = timeLimit(5)
    const polled = await queue.poll(5)
    assert.equal(polled, undefined)
    assert.ok(limit.isOver)
  })

  test("[BQ5][BQ6][BQ9] there is nothing in an empty queue", () => {
    const queue = empty()
    assert.equal(queue.poll(), undefined)
    assert.equal(queue.peek(), undefined)
    assert.equal((thrownBy(() => queue.remove()) as CorepoolError).code, "ERR_COREPOOL_NO_SUCH_ELEMENT")
    assert.equal((thrownBy(() => queue.element()) as CorepoolError).code, "ERR_COREPOOL_NO_SUCH_ELEMENT")
  })

  test("[BQ10] a limit of zero or less is one attempt", async () => {
    const queue = empty()
    const limits = [0, -1, -Infinity, { timeout: 0 }]
    for (const limit of limits) assert.equal(await queue.poll(limit), undefined)
    for (const limit of limits) {
      const taker = await waiting(() => queue.take())
      assert.equal(await queue.offer(element(1), limit), true)
      await gives(taker, element(1))
    }
  })

  test("[BQ11] a take with a limit rejects with TimeoutError, and the next element goes elsewhere", async () => {
    const queue = empty()
    assert.equal(((await rejectionOf(queue.take(1))) as Error).name, "TimeoutError")
    assert.equal(((await rejectionOf(queue.take({ timeout: 0 }))) as Error).name, "TimeoutError")
    const taker = await waiting(() => queue.take())
    queue.add(element(1))
    await gives(taker, element(1))
  })

  test("[BQ14] a producer and a consumer hand everything over in order", async () => {
    const queue = empty()
    const count = 200
    const producer = new Caller(async () => {
      for (let n = 1; n <= count; n++) await queue.put(element(n))
    })
    const received: number[] = []
    for (let n = 1; n <= count; n++) received.push(numberOf(await queue.take()))
    assert.deepEqual(
      received,
      Array.from({ length: count }, (_, i) => i + 1),
    )
    await eventually(() => !producer.isWaiting)
    assert.equal(producer.call.state, "fulfilled")
    assert.equal(queue.poll(), undefined)
  })
}
