import { Flow, mainFlow } from "#src/memory/flow/flow.js"
import { CANCELLED, FREE, WAITING } from "#src/memory/thread/node-pool.js"
import { store } from "#src/memory/atomics.js"
import { NODE } from "#src/memory/thread/thread-registry.js"
import { threadContext } from "#src/memory/thread/this-thread.js"
import type { ParkPlace } from "#src/memory/flow/wait-list.js"
import { WaitNode } from "#src/memory/wait/wait-node.js"
import { EXCLUSIVE } from "#src/memory/wait/wait-queue.js"
import { awaiting, blocking, type Steps, TIMEOUT } from "#src/memory/flow/waiting.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually } from "../../support/harness.ts"
import { Workers } from "../../support/workers.ts"
import { Call, timeLimit } from "./support.ts"

const JOBS = new URL("parking.workers.js", import.meta.url)

/** A wait of a flow, with nothing to wait for. */
class Wait implements Disposable {
  readonly flow = new Flow()
  readonly node: WaitNode

  constructor(interruptible = true) {
    this.node = new WaitNode(threadContext(), this.flow, { isShared: true }, interruptible, WAITING, EXCLUSIVE)
  }

  *#parking(): Steps<boolean> {
    return (yield this.node) !== TIMEOUT
  }

  /** True if it was unparked, false if the time was up. */
  park(ms?: number): Call<boolean> {
    return new Call(this.flow.run(() => awaiting(this.#parking(), ms)))
  }

  parkSync(ms?: number): boolean {
    return this.flow.run(() => blocking(this.#parking(), ms))
  }

  [Symbol.dispose](): void {
    store(threadContext().registry.words, this.node.index + NODE.STATE, CANCELLED)
    store(threadContext().registry.words, this.node.index + NODE.STATE, FREE)
    this.node.end()
  }
}

// The first of all, when nothing has been waited for yet in this thread, and nobody listens.
test("[PK3] an interrupt that another thread sends just as a task parks ends its stay", async () => {
  const { registry, token } = threadContext()
  const node = new WaitNode(threadContext(), mainFlow, { isShared: true }, true, WAITING, EXCLUSIVE)
  const place: ParkPlace = {
    interruptible: true,
    limited: true,
    append(parked) {
      registry.interrupt(token)
      return node.append(parked)
    },
    unlink: () => node.unlink(),
    block: (flow, ms) => node.block(flow, ms),
  }
  function* parking(): Steps<void> {
    yield place
  }
  await assert.rejects(awaiting(parking(), 10_000), { name: "InterruptedError" })
  assert.equal(mainFlow.isInterrupted, false)
  store(registry.words, node.index + NODE.STATE, FREE)
  node.end()
})

test("[PK1] a parked task goes on when it is unparked", async () => {
  for (const ms of [undefined, 100_000]) {
    using wait = new Wait()
    const call = wait.park(ms)
    await call.waits()
    wait.node.unpark()
    assert.equal(await call.ends(), true)
  }
})

test("[PK2] one that was unparked before does not park", async () => {
  for (const ms of [undefined, 100_000]) {
    using wait = new Wait()
    wait.node.unpark()
    assert.equal(await wait.park(ms).ends(), true)
    wait.node.unpark()
    assert.equal(wait.parkSync(ms), true)
  }
})

test("[PK2] two permits are as one", async () => {
  using wait = new Wait()
  wait.node.unpark()
  wait.node.unpark()
  assert.equal(await wait.park().ends(), true)
  const call = wait.park()
  await call.waits()
  wait.node.unpark()
  assert.equal(await call.ends(), true)
  wait.node.unpark()
  wait.node.unpark()
  assert.equal(wait.parkSync(), true)
  assert.equal(wait.parkSync(1), false)
})

test("[PK3] an interrupt ends a stay that is interruptible", async () => {
  for (const ms of [undefined, 100_000]) {
    using wait = new Wait()
    const call = wait.park(ms)
    await call.waits()
    wait.flow.interrupt()
    await call.failsWith("InterruptedError")
    assert.equal(wait.flow.isInterrupted, false)
  }
})

test("[PK3] one whose flag is raised does not park", async () => {
  using wait = new Wait()
  wait.flow.interrupt()
  await wait.park().failsWith("InterruptedError")
  assert.equal(wait.flow.isInterrupted, false)
  wait.flow.interrupt()
  assert.throws(() => wait.parkSync(), { name: "InterruptedError" })
  assert.equal(wait.flow.isInterrupted, false)
})

test("[PK3] another stay goes on, and the flag stays raised", async () => {
  using wait = new Wait(false)
  wait.flow.interrupt()
  const call = wait.park()
  await call.waits()
  wait.node.unpark()
  assert.equal(await call.ends(), true)
  assert.equal(wait.parkSync(1), false)
  assert.equal(wait.flow.isInterrupted, true)
})

test("[PK4] when the time is up the task goes on, and not before", async () => {
  using wait = new Wait()
  const limit = timeLimit(4)
  const call = wait.park(4)
  await eventually(() => !call.isPending)
  assert.equal(await call.ends(), false)
  assert.equal(limit.isOver, true)
  const another = timeLimit(4)
  assert.equal(wait.parkSync(4), false)
  assert.equal(another.isOver, true)
})

test("[PK4] without time there is no stay", async () => {
  using wait = new Wait()
  for (const ms of [0, -1, -Infinity, Number.MIN_SAFE_INTEGER]) {
    assert.equal(await wait.park(ms).ends(), false)
    assert.equal(wait.parkSync(ms), false)
  }
})

test("[PK5] another thread unparks it, whether it awaits or blocks", async () => {
  await using workers = new Workers()
  using wait = new Wait()
  const call = wait.park()
  await call.waits()
  workers.run(JOBS, "unpark", threadContext().token, wait.node.index)
  await eventually(() => !call.isPending)
  assert.equal(await call.ends(), true)

  workers.run(JOBS, "unpark", threadContext().token, wait.node.index)
  assert.equal(wait.parkSync(60_000), true)
})

test("[PK5] to unpark a wait that is over has no effect on the next", async () => {
  const over = new Wait()
  over[Symbol.dispose]()
  over.node.unpark()
  threadContext().wake(threadContext().token, over.node.index)
  using wait = new Wait()
  await wait.park(100_000).waits()
  wait.node.unpark()
})
