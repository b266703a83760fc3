import { AtomicInteger, CountDownLatch, ReentrantLock, Semaphore } from "corepool"
import { LINE } from "#src/memory/layout.js"
import { NODE, NODE_SIZE, SPACE, THREAD } from "#src/memory/thread/thread-registry.js"
import { QUEUE } from "#src/memory/wait/combining-list.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { Workers } from "../../support/workers.ts"

test("[MM10] a shared object arrives as the same thing, alone or inside of something else", async () => {
  await using workers = new Workers()
  const [first, second] = [new AtomicInteger(1), new AtomicInteger(10)]
  const latch = new CountDownLatch(1)
  const hand = workers.run(new URL("sharing.workers.js", import.meta.url), "unpack", {
    nested: [{ atom: first }, { atom: second.handle }, { atom: first }],
    latch: structuredClone(latch),
  })
  assert.equal(await latch.await(), true)
  assert.equal(await hand.result, 2 + 11 + 3)
  assert.deepEqual([first.get(), second.get()], [3, 11])
})

test("[MM10] an object can be opened again in its own thread, from itself or from a clone", () => {
  const semaphore = new Semaphore(2)
  for (const shared of [semaphore, semaphore.handle, structuredClone(semaphore), structuredClone(semaphore.handle)]) {
    Semaphore.from(shared).release()
  }
  assert.equal(semaphore.availablePermits, 6)
})

test("[MM10] what is no handle of that class is refused", () => {
  for (const nonsense of [undefined, null, 7, "lock", {}, { handle: {} }, new Int32Array(4)]) {
    assert.throws(() => ReentrantLock.from(nonsense as never), {
      name: "TypeError",
      message: /^Expected `handle` to be the handle of a ReentrantLock, got /,
    })
  }
  assert.throws(() => ReentrantLock.from(new Semaphore(1)), {
    name: "TypeError",
    message: /got .*Semaphore/,
  })
})

test("[MM11] the words of a record have places of their own", () => {
  for (const { SIZE, ...words } of [SPACE, THREAD, NODE, QUEUE]) {
    const places = Object.values(words)
    assert.equal(new Set(places).size, places.length)
    assert.ok(places.every((place) => place >= 0 && place < SIZE))
    assert.ok(SIZE <= LINE)
  }
  assert.equal(NODE_SIZE % LINE, 0)
})
