/** map: order, window, chunks and sources. How it ends early is in map-end.test.ts. */
import { ArrayBlockingQueue, Executors, RejectedExecutionError, Thread } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, type Gate, rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { all, InlineExecutor, Lab, wrong } from "./support.ts"

/** Numbers from 0, that many, counting how many were read. */
class Counted implements Iterable<number> {
  read = 0
  closed = 0
  readonly #count: number

  constructor(count = Infinity) {
    this.#count = count
  }

  *[Symbol.iterator](): Generator<number> {
    try {
      while (this.read < this.#count) yield this.read++
    } finally {
      this.closed++
    }
  }
}

test("[MP1] ordered is the default and also when the later items are done first", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(3)
  const gates = [lab.gate(), lab.gate(), lab.gate()]
  const results = pool.map((gate: Gate) => gate.body(), gates)[Symbol.asyncIterator]()
  const first = results.next()
  await eventually(() => gates.every((gate) => gate.entries === 1))
  gates[2]?.open("c")
  gates[1]?.open("b")
  await turns()
  gates[0]?.open("a")
  assert.deepEqual(
    [await first, await results.next(), await results.next()],
    [
      { value: "a", done: false },
      { value: "b", done: false },
      { value: "c", done: false },
    ],
  )
  assert.deepEqual(await results.next(), { value: undefined, done: true })
})

test("[MP2] unordered results come as the tasks end", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(3)
  const gates = [lab.gate(), lab.gate(), lab.gate()]
  const results = pool.map((gate: Gate) => gate.body(), gates, { ordered: false })[Symbol.asyncIterator]()
  const order: unknown[] = []
  for (const [index, name] of [
    [1, "b"],
    [2, "c"],
    [0, "a"],
  ] as const) {
    const next = results.next()
    await turns()
    gates[index]?.open(name)
    order.push((await next).value)
  }
  assert.deepEqual(order, ["b", "c", "a"])
  assert.equal((await results.next()).done, true)
})

test("[MP3] nothing is read and nothing runs before somebody asks, and each iteration begins anew", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  let opened = 0
  const items = {
    *[Symbol.iterator](): Generator<number> {
      opened++
      yield* [1, 2]
    },
  }
  const results = pool.map((n: number) => n + 1, items)
  await turns()
  assert.deepEqual([opened, pool.taskCount], [0, 0])
  assert.deepEqual(await all(results), [2, 3])
  assert.deepEqual(await all(results), [2, 3])
  assert.equal(opened, 2)
})

test("[MP4] the source is never read further ahead of the consumer than the window", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  for (const ordered of [true, false]) {
    for (const window of [1, 2, 5]) {
      const source = new Counted(30)
      let consumed = 0
      for await (const _ of pool.map((n) => n, source, { window, ordered })) {
        await turns()
        consumed++
        assert.ok(source.read - consumed <= window, `read ${source.read}, consumed ${consumed}, window ${window}`)
      }
      assert.equal(consumed, 30)
    }
  }
})

test("[MP4] no more tasks are under way than the window allows, and as many if the executor has the threads", async () => {
  await using lab = new Lab()
  const executor = lab.keep(Executors.newThreadPerTaskExecutor(lab.factory))
  const gate = lab.gate()
  const results = executor.map(gate.body, new Counted(), { window: 7 })[Symbol.asyncIterator]()
  const first = results.next()
  await turns()
  assert.equal(gate.inside, 7)
  gate.open()
  await first
  await results.return?.()
})

test("[MP5] the window is twice the most threads a pool can have, at most 1024; 256 for threads per task; else 16", async () => {
  await using lab = new Lab()
  const windowOf = async (executor: Pick<InlineExecutor, "map">): Promise<number> => {
    const source = new Counted()
    const never = (): Promise<void> => Thread.sleep(Infinity)
    const results = executor.map(never, source)[Symbol.asyncIterator]()
    const first = rejectionOf(results.next())
    let before = -1
    while (source.read !== before) {
      before = source.read
      await turns()
    }
    lab.keep(executor as InlineExecutor).shutdownNow()
    await first
    return before
  }
  assert.equal(await windowOf(lab.fixed(3)), 6)
  assert.equal(await windowOf(wrong<InlineExecutor>(lab.fixed(4).with({ name: "view" }))), 8)
  assert.equal(await windowOf(Executors.newCachedThreadPool(lab.factory)), 1024)
  assert.equal(await windowOf(Executors.newThreadPerTaskExecutor(lab.factory)), 256)
})

test("[MP5] an executor of one's own has a window of 16", async () => {
  await using lab = new Lab()
  const gate = lab.gate()
  const source = new Counted()
  const results = new InlineExecutor().map(gate.body, source)[Symbol.asyncIterator]()
  const first = results.next()
  await turns()
  assert.equal(source.read, 16)
  gate.open()
  await first
  await results.return?.()
})

test("[MP6] a chunk of items is one task, its items are done one after the other, and the last may be short", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const tasks = new Map<string, number>()
  let inside = 0
  const fn = async (n: number): Promise<number> => {
    const key = `${Math.floor(n / 4)}`
    tasks.set(key, (tasks.get(key) ?? 0) + 1)
    inside++
    await turns(1)
    inside--
    assert.ok(inside < 2, "two items of one chunk at once")
    return n * n
  }
  const results = await all(pool.map(fn, new Counted(10), { chunk: 4 }))
  assert.deepEqual(results, [0, 1, 4, 9, 16, 25, 36, 49, 64, 81])
  assert.deepEqual([...tasks.values()], [4, 4, 2])
  assert.equal(pool.completedTaskCount, 3)
})

test("[MP6] the window counts tasks, so the source is read that many chunks ahead", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const source = new Counted(100)
  let consumed = 0
  for await (const _ of pool.map((n) => n, source, { chunk: 5, window: 2 })) {
    await turns()
    consumed++
    const begun = Math.ceil(consumed / 5) * 5
    assert.ok(source.read - begun <= 10, `read ${source.read}, consumed ${consumed}`)
  }
  assert.equal(consumed, 100)
})

test("[MP7] items may come from an asynchronous source, and be anything", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  async function* source(): AsyncGenerator<number | undefined | null> {
    yield 1
    await turns()
    yield undefined
    yield null
  }
  assert.deepEqual(await all(pool.map((item) => [item], source())), [[1], [undefined], [null]])
  const promise = Promise.resolve(5)
  assert.deepEqual(await all(pool.map((item) => item === promise, [promise])), [true])
})

test("[MP8] a slow source does not hold up results that are there", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  for (const ordered of [true, false]) {
    const gate = lab.gate()
    const source = async function* (): AsyncGenerator<number> {
      yield 1
      yield 2
      await gate.body()
      yield 3
    }
    const results = pool.map((n: number) => n * 10, source(), { ordered })[Symbol.asyncIterator]()
    assert.equal((await results.next()).value, 10)
    assert.equal((await results.next()).value, 20)
    const third = results.next()
    gate.open()
    assert.equal((await third).value, 30)
    assert.equal((await results.next()).done, true)
  }
})

test("[MP9] an endless source is fine", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const source = new Counted()
  const taken: number[] = []
  for await (const result of pool.map((n) => n * 2, source)) {
    taken.push(result)
    if (taken.length === 100) break
  }
  assert.deepEqual(taken.slice(-2), [196, 198])
  assert.ok(source.read <= 100 + 4)
  assert.equal(source.closed, 1)
})

test("[MP10] no items, no results; the source is not closed when it is at its end", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  assert.deepEqual(await all(pool.map((n) => n, [])), [])
  let returned = 0
  const items = {
    [Symbol.iterator]: () => ({
      next: (): IteratorResult<number> => ({ done: true, value: undefined }),
      return: (): IteratorResult<number> => ({ done: true, value: ++returned }),
    }),
  }
  assert.deepEqual(await all(pool.map((n) => n, items)), [])
  assert.equal(returned, 0)
})

test("[MP11] an executor that is full slows map down instead of failing it", async () => {
  await using lab = new Lab()
  for (const ordered of [true, false]) {
    const pool = lab.create({ corePoolSize: 2, maximumPoolSize: 2, workQueue: new ArrayBlockingQueue(1) })
    const fn = async (n: number): Promise<number> => {
      await turns(n % 2)
      return n
    }
    const results = await all(pool.map(fn, new Counted(50), { window: 20, ordered }))
    assert.deepEqual(
      results.sort((a, b) => a - b),
      Array.from({ length: 50 }, (_, n) => n),
    )
    assert.ok(pool.largestPoolSize <= 2)
  }
})

test("[MP11] the last chunk is not lost if the executor has no room for it", async () => {
  await using lab = new Lab()
  const pool = lab.create({ corePoolSize: 1, maximumPoolSize: 1, workQueue: new ArrayBlockingQueue(1) })
  const gate = lab.gate()
  const hold = async (n: number): Promise<number> => {
    await gate.body()
    return n
  }
  // Chunks of two: the end of the source is seen together with the last item.
  const results = all(pool.map(hold, new Counted(5), { window: 10, chunk: 2 }))
  await gate.entered()
  await turns()
  gate.open()
  assert.deepEqual(await results, [0, 1, 2, 3, 4])
})

test("[MP12] a place that comes free is used at once, also while the oldest item is still being done", async () => {
  await using lab = new Lab()
  const pool = lab.create({ corePoolSize: 2, maximumPoolSize: 2, workQueue: new ArrayBlockingQueue(1) })
  const oldest = lab.gate()
  const done: number[] = []
  const fn = async (n: number): Promise<number> => {
    if (n === 0) await oldest.body()
    done.push(n)
    return n
  }
  const results = all(pool.map(fn, new Counted(8), { window: 8 }))
  await eventually(() => done.length === 7)
  assert.deepEqual(done, [1, 2, 3, 4, 5, 6, 7])
  oldest.open()
  assert.deepEqual(await results, [0, 1, 2, 3, 4, 5, 6, 7])
})

test("[MP13] if it is full of others' tasks map is refused like them", async () => {
  await using lab = new Lab()
  const pool = lab.create({ corePoolSize: 1, maximumPoolSize: 1, workQueue: new ArrayBlockingQueue(1) })
  const gate = lab.gate()
  pool.submit(gate.body)
  pool.submit(gate.body)
  const source = new Counted()
  assert.ok((await rejectionOf(all(pool.map((n) => n, source)))) instanceof RejectedExecutionError)
  assert.equal(source.closed, 1)
})

test("[MP13] so it is if others took the room while its results waited: no item is passed over in silence", async () => {
  await using lab = new Lab()
  const pool = lab.create({ corePoolSize: 1, maximumPoolSize: 1, workQueue: new ArrayBlockingQueue(1) })
  const [late, others] = [lab.gate(), lab.gate()]
  async function* source(): AsyncGenerator<number> {
    yield 0
    await turns()
    yield 1
    await late.body()
    yield 2
  }
  const results = pool.map((n) => n, source(), { window: 3 })[Symbol.asyncIterator]()
  assert.equal((await results.next()).value, 0)
  await late.entered()
  await eventually(() => pool.completedTaskCount === 2)
  pool.submit(others.body)
  pool.submit(others.body)
  late.open()
  await turns()
  assert.equal((await results.next()).value, 1)
  assert.ok((await rejectionOf(results.next())) instanceof RejectedExecutionError)
})

test("[MP14] what cannot be meant is refused at once", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const id = (n: number): number => n
  assert.ok(thrownBy(() => pool.map(wrong<typeof id>(null), [1])) instanceof TypeError)
  for (const items of [null, undefined, 1, {}, () => [1]]) {
    assert.ok(thrownBy(() => pool.map(id, wrong<number[]>(items))) instanceof TypeError)
  }
  for (const window of [0, -1, 1.5, NaN, Infinity]) {
    assert.ok(thrownBy(() => pool.map(id, [1], { window })) instanceof RangeError)
  }
  for (const chunk of [0, -1, 1.5, NaN, Infinity]) {
    assert.ok(thrownBy(() => pool.map(id, [1], { chunk })) instanceof RangeError)
  }
  assert.ok(thrownBy(() => pool.map(id, [1], { window: wrong("4") })) instanceof TypeError)
  for (const name of ["window", "chunk", "ordered"]) {
    assert.ok(thrownBy(() => pool.map(id, [1], { [name]: null })) instanceof TypeError, name)
  }
  assert.ok(thrownBy(() => pool.map(id, [1], { ordered: wrong("yes") })) instanceof TypeError)
  assert.ok(thrownBy(() => pool.map(id, [1], wrong(4))) instanceof TypeError)
  assert.equal(pool.taskCount, 0)
})
