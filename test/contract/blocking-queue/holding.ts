import type { BlockingQueue } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { failsWith, gives, raised, receive, waiting } from "../../spec/queue/support.ts"
import { rejectionOf } from "../../support/harness.ts"
import { drained, filled, shown, type QueueKind } from "./kind.ts"

/** What holds for every kind that can hold elements: inserting and taking. */
export function holding<E>(kind: QueueKind<E>): void {
  const { create, element, numberOf, noticesInterrupt, noun } = kind

  test("[BQ1][BQ2][BQ46] offer and add insert and say so", () => {
    const queue = create(4)
    assert.equal(queue.isEmpty, true)
    assert.equal(queue.offer(element(1)), true)
    assert.equal(queue.add(element(2)), true)
    assert.equal(queue.size, 2)
    assert.equal(queue.isEmpty, false)
  })

  test("[BQ3][BQ4] put and timed offer insert at once if there is room", async () => {
    const queue = create(2)
    await queue.put(element(1))
    assert.equal(await queue.offer(element(2), 0), true)
    assert.deepEqual(drained(kind, queue), [1, 2])
  })

  test("[BQ5][BQ6][BQ13] elements leave in the order in which they came", async () => {
    const queue = filled(kind, 5)
    assert.equal(numberOf(queue.poll() as E), 1)
    assert.equal(numberOf(queue.remove()), 2)
    assert.equal(numberOf(await queue.take()), 3)
    assert.equal(numberOf((await queue.poll(0)) as E), 4)
    assert.deepEqual(drained(kind, queue), [5])
    assert.equal(queue.poll(), undefined)
  })

  test("[BQ9] peek and element show the head and leave it", () => {
    const queue = filled(kind, 2)
    assert.equal(numberOf(queue.peek() as E), 1)
    assert.equal(numberOf(queue.element()), 1)
    assert.equal(queue.size, 2)
  })

  test("[BQ18][BQ19] remove(e) removes one equal element", () => {
    const queue = filled(kind, 3)
    assert.equal(queue.contains(element(2)), true)
    assert.equal(queue.remove(element(2)), true)
    assert.equal(queue.contains(element(2)), false)
    assert.equal(queue.remove(element(2)), false)
    assert.equal(queue.remove(element(9)), false)
    assert.deepEqual(shown(kind, queue), [1, 3])
  })

  test("[BQ19] after remove(e) of the last element the queue can be used on", async () => {
    const queue = create(2)
    queue.add(element(1))
    queue.add(element(2))
    assert.equal(queue.remove(element(1)), true)
    assert.equal(queue.remove(element(2)), true)
    queue.add(element(3))
    assert.equal(numberOf(await queue.take()), 3)
  })

  test("[BQ21] takers are served in the order in which they came", async () => {
    const queue = create(3)
    const takers = [
      await waiting<E | undefined>(() => queue.take()),
      await waiting(() => queue.poll(60_000)),
      await waiting<E | undefined>(() => queue.take()),
    ]
    for (const [i, taker] of takers.entries()) {
      if (i === 0) await queue.put(element(1))
      else queue.add(element(i + 1))
      await gives(taker, element(i + 1))
    }
    assert.equal(queue.size, 0)
  })

  test("[BQ24] an interrupted taker in the middle of the line changes nothing for the others", async () => {
    const queue = create(3)
    const takers = [
      await waiting(() => queue.take()),
      await waiting(() => queue.take()),
      await waiting(() => queue.take()),
    ] as const
    takers[1].interrupt()
    queue.add(element(1))
    queue.add(element(2))
    await gives(takers[0], element(1))
    await failsWith(takers[1], "InterruptedError")
    await gives(takers[2], element(2))
  })

  test("[BQ26] with the flag raised, operations that need not wait notice it exactly where Java's do", async () => {
    const calls: [keyof typeof noticesInterrupt, (queue: BlockingQueue<E>) => Promise<unknown>][] = [
      ["put", (queue) => queue.put(element(2))],
      ["timedOffer", (queue) => queue.offer(element(2), 60_000)],
      ["take", (queue) => queue.take()],
      ["timedPoll", (queue) => queue.poll(60_000)],
    ]
    for (const [name, call] of calls) {
      const queue = filled(kind, 1, 3)
      const caller = await raised(() => call(queue))
      if (noticesInterrupt[name]) {
        await failsWith(caller, "InterruptedError")
        assert.equal(queue.size, 1, name)
      } else {
        assert.equal(caller.call.state, "fulfilled", name)
        assert.notEqual(queue.size, 1, name)
      }
      assert.equal(caller.flow.isInterrupted, !noticesInterrupt[name], name)
    }
  })

  test("[BQ26][BQ30] a pool's thread with the flag raised notices it as take and timed poll do", () => {
    for (const [timeout, notices] of [
      [Infinity, noticesInterrupt.take],
      [60_000, noticesInterrupt.timedPoll],
    ] as const) {
      const queue = filled(kind, 1)
      const idle = receive(create(1), Infinity)
      idle.flow.interrupt() // ends the wait and leaves the flag clear
      idle.flow.interrupt()
      const thread = receive(queue, timeout, idle.flow)
      assert.equal(thread.state, notices ? "rejected" : "fulfilled")
      assert.equal(queue.size, notices ? 1 : 0)
    }
  })

  test("[BQ54] what is inside a closed queue can still be taken", async () => {
    const queue = filled(kind, 6)
    queue.close()
    assert.equal(queue.size, 6)
    assert.equal(numberOf(queue.poll() as E), 1)
    assert.equal(numberOf(await queue.take()), 2)
    assert.equal(numberOf((await queue.poll(60_000)) as E), 3)
    assert.equal(numberOf(receive(queue, Infinity).value as E), 4)
    const seen: number[] = []
    for await (const e of queue) seen.push(numberOf(e))
    assert.deepEqual(seen, [5, 6])
    assert.equal(((await rejectionOf(queue.take())) as Error).message, `${noun} closed`)
  })
}
