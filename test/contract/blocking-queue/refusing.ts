import { FutureTask } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { rejectionOf, thrownBy } from "../../support/harness.ts"
import type { QueueKind } from "./kind.ts"

/** What holds for every kind: what cannot be an element or an argument. */
export function refusing<E>(kind: QueueKind<E>): void {
  const { element } = kind
  const empty = () => kind.create(3)

  test("[BQ12] bad arguments of promise-returning methods are rejections", async () => {
    const queue = empty()
    const bad = "soon" as unknown as number
    for (const call of [
      () => queue.take(bad),
      () => queue.poll(bad),
      () => queue.put(element(1), bad),
      () => queue.offer(element(1), bad),
      () => queue.take({ signal: {} as AbortSignal }),
      () => queue.put(undefined as E),
      () => queue.offer(null as E, 1),
    ]) {
      const promise = call() // does not throw
      assert.ok((await rejectionOf(promise)) instanceof TypeError)
    }
    assert.ok((await rejectionOf(queue.poll(Number.NaN))) instanceof RangeError)
    assert.equal(queue.size, 0)
  })

  test("[BQ15] null and undefined are refused by every way of inserting", async () => {
    const queue = empty()
    for (const nothing of [null, undefined] as E[]) {
      assert.ok(thrownBy(() => queue.offer(nothing)) instanceof TypeError)
      assert.ok(thrownBy(() => queue.add(nothing)) instanceof TypeError)
      assert.ok(thrownBy(() => queue.addAll([nothing])) instanceof TypeError)
      assert.ok((await rejectionOf(queue.put(nothing))) instanceof TypeError)
      assert.ok((await rejectionOf(queue.offer(nothing, 10))) instanceof TypeError)
    }
    assert.equal(queue.size, 0)
    assert.equal(queue.poll(), undefined)
  })

  test("[BQ16] promises and futures are refused, with advice", async () => {
    const queue = empty()
    const awaitables = [Promise.resolve(1), new FutureTask(() => 1), Object.create(Promise.prototype)] as unknown as E[]
    for (const awaitable of awaitables) {
      const error = thrownBy(() => queue.offer(awaitable))
      assert.ok(error instanceof TypeError)
      assert.match(error.message, /wrap it in an object/)
      assert.ok((await rejectionOf(queue.put(awaitable))) instanceof TypeError)
    }
  })

  test("[BQ20] nothing and nobody equals null or undefined", () => {
    const queue = empty()
    queue.offer(element(1))
    const { size } = queue
    assert.equal(queue.contains(null), false)
    assert.equal(queue.contains(undefined), false)
    assert.equal(queue.remove(null), false)
    assert.equal(queue.remove(undefined), false)
    assert.equal(queue.size, size)
  })

  test("[BQ33] addAll refuses itself and what are no elements", () => {
    const queue = empty()
    assert.ok(thrownBy(() => queue.addAll(queue)) instanceof RangeError)
    assert.ok(thrownBy(() => queue.addAll(null as unknown as E[])) instanceof TypeError)
    assert.ok(thrownBy(() => queue.addAll(1 as unknown as E[])) instanceof TypeError)
    assert.equal(queue.addAll([]), false)
    assert.equal(queue.size, 0)
  })

  test("[BQ34] containsAll of nothing is true", () => {
    assert.equal(empty().containsAll([]), true)
    assert.equal(empty().containsAll([element(1)]), false)
  })

  test("[BQ38] bulk methods refuse null and what is no function", () => {
    const queue = empty()
    const nothing = null as unknown as E[]
    for (const call of [
      () => queue.addAll(nothing),
      () => queue.containsAll(nothing),
      () => queue.removeAll(nothing),
      () => queue.retainAll(nothing),
      () => queue.removeIf(nothing as unknown as () => boolean),
      () => queue.removeIf(1 as unknown as () => boolean),
    ]) {
      assert.ok(thrownBy(call) instanceof TypeError)
    }
  })

  test("[BQ41] drainTo refuses targets and numbers that make no sense", () => {
    const queue = empty()
    queue.offer(element(1))
    const { size } = queue
    for (const max of [undefined, 0, -1, 1]) {
      assert.ok(thrownBy(() => queue.drainTo(null as unknown as E[], max)) instanceof TypeError)
      assert.ok(thrownBy(() => queue.drainTo(new Set() as unknown as E[], max)) instanceof TypeError)
      assert.ok(thrownBy(() => queue.drainTo(queue, max)) instanceof RangeError)
    }
    assert.ok(thrownBy(() => queue.drainTo([], "1" as unknown as number)) instanceof TypeError)
    assert.ok(thrownBy(() => queue.drainTo([], 0.5)) instanceof RangeError)
    assert.ok(thrownBy(() => queue.drainTo([], Number.NaN)) instanceof RangeError)
    assert.equal(queue.size, size)
  })

  test("[BQ48][BQ52] an empty queue shows nothing", () => {
    const queue = empty()
    assert.deepEqual(queue.toArray(), [])
    assert.deepEqual([...queue], [])
    assert.equal(queue[Symbol.iterator]().next().done, true)
    assert.equal(queue.toString(), "[]")
    assert.equal(String(queue), "[]")
  })
}
