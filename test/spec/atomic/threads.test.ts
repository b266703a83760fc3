/** Atomic numbers between threads. The larger sizes: STRESS=10 and more. */
import assert from "node:assert/strict"
import test from "node:test"
import { MessageChannel, receiveMessageOnPort } from "node:worker_threads"
import type { Shared } from "#src/memory/shared/shared-memory.js"
import { STRESS } from "../../support/stress.ts"
import { Workers } from "../../support/workers.ts"
import { KINDS } from "./kinds.ts"

const MODULE = new URL("atomic.workers.js", import.meta.url)

/** What arrives if it is posted. */
function posted<T>(message: T): T {
  const { port1, port2 } = new MessageChannel()
  port1.postMessage(message)
  const received = receiveMessageOnPort(port2)
  port1.close()
  return (received as { message: T }).message
}

test("[AN9] posted to another thread it is the same number", async () => {
  await using workers = new Workers()
  for (const { name, create } of KINDS) {
    const atomic = create(5)
    assert.equal(await workers.run(MODULE, "raise", name, atomic, 7).result, 5)
    assert.equal(atomic.get(), 12)
  }
})

test("[AN9] alone, inside of something else, or as its handle", () => {
  for (const { create, from } of KINDS) {
    const atomic = create(5)
    const { inside } = posted({ inside: [atomic] })
    for (const shared of [posted(atomic), inside[0] as Shared, posted(atomic.handle), atomic]) {
      assert.equal(from(shared).incrementAndGet(), atomic.get())
    }
    assert.equal(atomic.get(), 9)
  }
})

test("[AN9] what is something else is refused", () => {
  for (const { name, from } of KINDS) {
    const other = KINDS.find((kind) => kind.name !== name)?.create()
    for (const wrong of [other, {}, undefined, null, 5, { handle: 5 }] as Shared[]) {
      assert.throws(() => from(wrong), { name: "TypeError", message: new RegExp(`the handle of a ${name}`) })
    }
  }
})

test("[AN10] every increment of several threads counts once", async () => {
  const times = 60_000 * STRESS
  for (const { name, create } of KINDS) {
    await using workers = new Workers()
    const atomic = create()
    const hands = [0, 1, 2, 3].map((way) => workers.run(MODULE, "count", name, atomic, times, way))
    const sums = (await Promise.all(hands.map(({ result }) => result))) as number[]
    const total = 4 * times
    assert.equal(atomic.get(), total)
    assert.equal(
      sums.reduce((sum, each) => sum + each, 0),
      (total * (total + 1)) / 2,
    )
  }
})

test("[AN10] nobody sees half of a change of 64 bits", async () => {
  const [, long] = KINDS
  assert.ok(long !== undefined)
  await using workers = new Workers()
  const atomic = long.create(2 ** 32 - 2)
  const swinging = [0, 1].map(() => workers.run(MODULE, "swing", long.name, atomic))
  await Promise.all(swinging.map((hand) => hand.heard("swinging")))
  const possible = [0, 1, 2].map((swung) => 2 ** 32 - 2 + swung * (2 ** 31 - 2))
  const seen = new Set<number>()
  for (let look = 0; look < 300_000 * STRESS || seen.size < 2; look++) seen.add(atomic.get())
  assert.deepEqual(
    [...seen].filter((value) => !possible.includes(value)),
    [],
  )
})

test("[AN11] the death of a thread leaves the whole of a change, or nothing", async () => {
  for (const { name, create } of KINDS) {
    await using workers = new Workers()
    const atomic = create(1)
    const hand = workers.run(MODULE, "swing", name, atomic)
    await hand.heard("swinging")
    await hand.kill()
    const left = atomic.get()
    assert.ok(left === 1 || left === 2 ** 31 - 1, String(left))
    assert.equal(atomic.incrementAndGet(), name === "AtomicInteger" ? (left + 1) | 0 : left + 1)
  }
})
