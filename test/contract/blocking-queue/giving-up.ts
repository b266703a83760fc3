import assert from "node:assert/strict"
import { test } from "node:test"
import { failsWith, gives, raised, settled, waiting } from "../../spec/queue/support.ts"
import { rejectionOf } from "../../support/harness.ts"
import type { QueueKind } from "./kind.ts"

/** What holds for every kind: a wait that is given up, by interrupt, abort or time, leaves nothing behind. */
export function givingUp<E>(kind: QueueKind<E>): void {
  const { element } = kind
  const empty = () => kind.create(3)

  test("[BQ23] an interrupt ends a take and a timed poll", async () => {
    const queue = empty()
    for (const call of [() => queue.take(), () => queue.poll(60_000)]) {
      const taker = await waiting(call)
      taker.interrupt()
      await failsWith(taker, "InterruptedError")
      assert.equal(taker.flow.isInterrupted, false)
    }
    assert.equal(queue.size, 0)
  })

  test("[BQ24] an interrupted taker leaves the line, the others stay", async () => {
    const queue = empty()
    const first = await waiting(() => queue.take())
    const second = await waiting(() => queue.poll(60_000))
    first.interrupt()
    await failsWith(first, "InterruptedError")
    queue.add(element(1))
    await gives(second, element(1))
  })

  test("[BQ25] with the flag raised, a take that would have to wait rejects at once and clears the flag", async () => {
    const queue = empty()
    for (const call of [() => queue.take(), () => queue.poll(60_000), () => queue.poll(0)]) {
      const taker = await raised<E | undefined>(call)
      await failsWith(taker, "InterruptedError")
      assert.equal(taker.flow.isInterrupted, false)
    }
  })

  test("[BQ27] a poll that timed out swallows nothing", async () => {
    const queue = empty()
    assert.equal(await queue.poll(1), undefined)
    const taker = await waiting(() => queue.take())
    queue.add(element(1))
    await gives(taker, element(1))
    assert.equal(queue.size, 0)
  })

  test("[BQ28] an aborted signal refuses everything, also what need not wait", async () => {
    const queue = empty()
    const reason = new Error("enough")
    const signal = AbortSignal.abort(reason)
    const taker = await waiting(() => queue.take())
    assert.equal(await rejectionOf(queue.put(element(1), { signal })), reason)
    assert.equal(await rejectionOf(queue.offer(element(1), { signal, timeout: 0 })), reason)
    assert.ok(taker.isWaiting)
    queue.add(element(1))
    queue.offer(element(2))
    const { size } = queue
    assert.equal(await rejectionOf(queue.take({ signal })), reason)
    assert.equal(await rejectionOf(queue.poll({ signal })), reason)
    assert.equal(queue.size, size)
  })

  test("[BQ29] an abort ends a wait with the signal's reason, the others stay", async () => {
    const queue = empty()
    const reason = new Error("enough")
    const controller = new AbortController()
    const first = await waiting(() => queue.take({ signal: controller.signal }))
    const second = await waiting(() => queue.poll({ signal: controller.signal, timeout: 60_000 }))
    const third = await waiting(() => queue.take())
    controller.abort(reason)
    await settled()
    assert.equal(first.call.reason, reason)
    assert.equal(second.call.reason, reason)
    queue.add(element(1))
    await gives(third, element(1))
  })
}
