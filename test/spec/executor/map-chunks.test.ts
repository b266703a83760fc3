/** map without `chunk` on platform threads, where it chooses the number of items in a task. */
import { Executors, NotSerializableError, ThreadDeathError, virtualThreads } from "corepool"
import { ChunkSize } from "#src/platform/submit/chunk-size.js"
import { someOf } from "#src/task/some.js"
import { runtime } from "#host/runtime/clock"
import fc from "fast-check"
import assert from "node:assert/strict"
import test from "node:test"
import { rejectionOf } from "../../support/harness.ts"
import { SharedCount } from "../../support/shared-words.ts"
import { act, type Deed, type Item, numberIn, reusing, square } from "./chunk-tasks.ts"
import { all } from "./support.ts"

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

test("[MP24] the number of items in a task grows while they take little time, and falls when they do not", () => {
  const chunk = new ChunkSize(1024)
  const sizes: number[] = [chunk.size]
  const note = (items: number, time: number): void => {
    chunk.note(items, time)
    sizes.push(chunk.size)
  }
  note(1, 0.01)
  note(1, 0.01) // from before the growth
  note(4, 0.04)
  note(16, 0.16)
  note(64, 0.64) // about right
  note(64, 3.2) // 0.05 ms each
  note(20, 4) // 0.2 ms each
  note(1, 0.05)
  for (let i = 0; i < 9; i++) note(chunk.size, 0.01)
  assert.deepEqual(sizes, [1, 4, 4, 16, 64, 64, 20, 1, 4, 16, 64, 256, 1024, 1024, 1024, 1024, 1024, 1024])
})

test("[MP24] on platform threads several short items make one task", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  const items = upTo(20_000)
  assert.deepEqual(
    await all(pool.map(square, items)),
    items.map((n) => n * n),
  )
  assert.ok(pool.completedTaskCount < items.length, `${pool.completedTaskCount} tasks`)
  await using forkJoin = Executors.newWorkStealingPool(2)
  assert.deepEqual(
    (await all(forkJoin.map(square, items, { ordered: false }))).sort((a, b) => a - b),
    items.map((n) => n * n),
  )
})

test("[MP25] a task begins no further item when its time is up, and says how many it has done", () => {
  const { now } = runtime
  let time = 0
  runtime.now = () => time
  try {
    const run = someOf((ms: number) => {
      time += ms
      return ms
    })
    assert.equal(JSON.stringify(run([1, 2, 1, 1, 5])), "[5,[1,2,1,1]]")
    assert.equal(JSON.stringify(run([9])), "[9,[9]]")
  } finally {
    runtime.now = now
  }
})

test("[MP25] nor when its thread is interrupted: the next item does not hear of that", async () => {
  await using pool = Executors.newFixedThreadPool(1, virtualThreads())
  const run = someOf((item: Item) => JSON.stringify(act(item)))
  const word = new SharedCount().index
  const deeds: Deed[] = ["return", "interrupt", "return"]
  const items = deeds.map((deed, n): Item => ({ word, deed, n }))
  const outcome = await pool.submit(() => {
    const { now } = runtime
    runtime.now = () => 0 // the time of the task must not be up on a busy machine
    try {
      return run(items)
    } finally {
      runtime.now = now
    }
  })
  assert.deepEqual([...outcome[1]], ["[0,false]", "[1,false]"])
})

test("[MP25] [MP26] whatever items do, each is begun once, and all results before a failure come in order", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  const warmUp = upTo(2000).map((n): Item => ({ word: new SharedCount().index, deed: "return", n }))
  const rare = fc.constantFrom<Deed>("block", "await", "interrupt", "throw", "throw a function")
  const deed = fc.oneof({ weight: 60, arbitrary: fc.constant<Deed>("return") }, { weight: 1, arbitrary: rare })
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { maxLength: 150 }), async (deeds) => {
      const counts = deeds.map(() => new SharedCount())
      const items = deeds.map((what, n): Item => ({ word: counts[n]?.index ?? 0, deed: what, n }))
      const results: unknown[] = []
      const loop = async (): Promise<void> => {
        // The first items are short, so several of the others make one task.
        const before = warmUp.slice(0, 300)
        for await (const result of pool.map(act, [...before, ...items])) results.push(result)
      }
      const failing = deeds.findIndex((what) => what.startsWith("throw"))
      if (failing === -1) await loop()
      else {
        const error = await rejectionOf(loop())
        if (deeds[failing] === "throw") {
          assert.ok(error instanceof RangeError && error.message === `item ${failing}`)
          assert.equal((error as { n?: unknown }).n, failing)
          assert.match(error.stack ?? "", /pool-\d+-thread-\d+ \(corepool\)/)
        } else assert.ok(error instanceof NotSerializableError, String(error))
      }
      const expected = (failing === -1 ? deeds : deeds.slice(0, failing)).map((_, n) => [n, false])
      assert.deepEqual(results.slice(300), expected)
      for (const [n, count] of counts.entries()) {
        assert.ok(count.value <= 1)
        if (failing === -1 || n <= failing) assert.equal(count.value, 1)
      }
    }),
    { numRuns: 30 },
  )
})

test("[MP27] a window without a chunk counts items", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  for (const window of [1, 2, 7, 100, 5000]) {
    let read = 0
    let consumed = 0
    function* source(): Generator<number> {
      while (read < 3000) yield read++
    }
    for await (const result of pool.map(square, source(), { window })) {
      assert.equal(result, consumed * consumed)
      consumed++
      assert.ok(read - consumed <= window, `read ${read}, consumed ${consumed}, window ${window}`)
    }
    assert.equal(consumed, 3000)
  }
})

test("[MP28] each item is a task on virtual threads, of an asynchronous source, and through a view", async () => {
  const items = upTo(500)
  async function* slowly(): AsyncGenerator<number> {
    yield* items
  }
  const squares = items.map((n) => n * n)
  await using virtual = Executors.newFixedThreadPool(2, virtualThreads())
  assert.deepEqual(await all(virtual.map(square, items)), squares)
  assert.equal(virtual.completedTaskCount, 500)
  await using platform = Executors.newFixedThreadPool(2)
  assert.deepEqual(await all(platform.map(square, slowly())), squares)
  assert.deepEqual(await all(platform.with({ timeout: 60_000 }).map(square, items)), squares)
  await platform.close()
  assert.equal(platform.completedTaskCount, 1000)
})

test("[MP29] the items of a task whose thread dies are lost with it", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const word = new SharedCount().index
  const items = upTo(3000).map((n): Item => ({ word, deed: n === 2500 ? "exit" : "return", n }))
  const seen: unknown[] = []
  const loop = async (): Promise<void> => {
    for await (const result of pool.map(act, items)) seen.push(result)
  }
  assert.ok((await rejectionOf(loop())) instanceof ThreadDeathError)
  assert.ok(seen.length <= 2500)
  assert.deepEqual(
    seen,
    items.slice(0, seen.length).map(({ n }) => [n, false]),
  )
})

test("[MP30] objects that the source or the function changes later are sent as they were", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  function* reused(): Generator<{ n: number }> {
    const item = { n: 0 }
    for (; item.n < 3000; item.n++) yield item
  }
  assert.deepEqual(await all(pool.map(numberIn, reused())), upTo(3000))
  const results = await all(pool.map(reusing, upTo(3000)))
  assert.deepEqual(
    results.map(([n]) => n),
    upTo(3000),
  )
})

test("[MP23] a source that asks for a result gets it in its turn, and no item is lost", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  for (const at of [1, 2, 100, 2500]) {
    let read = 0
    let extra: Promise<IteratorResult<number>> | undefined
    function* source(): Generator<number> {
      while (read < 5000) {
        if (++read === at) extra = results.next()
        yield read
      }
    }
    const results = pool.map(square, source())[Symbol.asyncIterator]()
    const got: number[] = []
    for (let next = await results.next(); next.done !== true; next = await results.next()) got.push(next.value)
    const asked = await extra
    if (asked?.done === false) got.push(asked.value)
    assert.deepEqual(
      got.sort((a, b) => a - b),
      upTo(5000).map((n) => (n + 1) ** 2),
    )
  }
})
