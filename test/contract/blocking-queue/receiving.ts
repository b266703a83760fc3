import { FutureTask, type BlockingQueue } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { asWorkQueue, receive, timeLimit } from "../../spec/queue/support.ts"
import { eventually, thrownBy } from "../../support/harness.ts"
import type { QueueKind } from "./kind.ts"

/** What holds for every kind as the queue of a pool, whose threads receive by callback. */
export function receiving<E>(kind: QueueKind<E>): void {
  const { create, element } = kind
  const empty = () => kind.create(3)

  test("[BQ30] a pool's thread receives at once what is inserted", () => {
    const queue = empty()
    for (const timeout of [Infinity, 60_000]) {
      const thread = receive(queue, timeout)
      assert.equal(thread.state, "pending")
      assert.equal(queue.offer(element(1)), true)
      assert.equal(thread.state, "fulfilled")
      assert.deepEqual(thread.value, element(1))
    }
  })

  test("[BQ30] a pool's thread receives undefined when its time is over, and not before", async () => {
    const queue = empty()
    const limit = timeLimit(5)
    const thread = receive(queue, 5)
    await eventually(() => thread.state !== "pending")
    assert.ok(limit.isOver)
    assert.equal(thread.state, "fulfilled")
    assert.equal(thread.value, undefined)
    assert.equal(receive(queue, 0).state, "fulfilled", "one attempt")
  })

  test("[BQ30] an interrupt ends a pool's thread's wait, or refuses it", () => {
    const queue = empty()
    for (const timeout of [Infinity, 60_000]) {
      const thread = receive(queue, timeout)
      thread.flow.interrupt()
      assert.equal((thread.reason as Error).name, "InterruptedError")
      thread.flow.interrupt()
      assert.equal((receive(queue, timeout, thread.flow).reason as Error).name, "InterruptedError")
      assert.equal(thread.flow.isInterrupted, false)
    }
  })

  if (kind.isShared === true) return
  test("[BQ17] the queue of a pool holds futures and hands them over as they are", () => {
    const queue = create(3) as unknown as BlockingQueue<unknown>
    asWorkQueue(queue).holdTasks()
    const future = Object.assign(new FutureTask(() => 1), { delay: 0, compareTo: () => 0 })
    const thread = receive(queue, Infinity)
    assert.equal(queue.offer(future), true)
    assert.equal(thread.value, future)
    assert.ok(thrownBy(() => queue.offer(null)) instanceof TypeError)
  })
}
