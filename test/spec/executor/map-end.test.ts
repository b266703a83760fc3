/** map: leaving early, errors, interrupts and the end of the executor. */
import {
  CancellationError,
  Executors,
  InterruptedError,
  platformThreads,
  RejectedExecutionError,
  Thread,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { all, Lab } from "./support.ts"

test("[MP15] leaving the loop cancels what runs, takes what waits out of the queue and closes the source", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const gate = lab.gate()
  let closed = 0
  function* source(): Generator<number> {
    try {
      for (let n = 0; ; n++) yield n
    } finally {
      closed++
    }
  }
  const fn = async (n: number): Promise<number> => {
    if (n > 0) await gate.interruptible()
    return n
  }
  for await (const first of pool.map(fn, source(), { window: 10 })) {
    assert.equal(first, 0)
    await gate.entered(2)
    assert.ok(pool.queue.size > 0)
    break
  }
  assert.equal(closed, 1)
  assert.equal(pool.queue.size, 0)
  await eventually(() => gate.inside === 0)
  assert.equal(gate.entries, 2)
})

test("[MP15] what the source gives after that is not begun", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const gate = lab.gate()
  const begun: number[] = []
  let closed = 0
  async function* source(): AsyncGenerator<number> {
    try {
      yield 0
      await gate.body()
      yield 1
      yield 2
    } finally {
      closed++
    }
  }
  const fn = (n: number): number => begun.push(n)
  for await (const _ of pool.map(fn, source(), { window: 4 })) break // the source is still busy with its next item
  assert.equal(closed, 0)
  gate.open()
  await eventually(() => closed === 1)
  await turns()
  assert.deepEqual(begun, [0])
})

test("[MP15] an iterator without return, too, is read no further, not even to the end of a chunk", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  let read = 0
  const items = {
    [Symbol.asyncIterator]: () => ({
      next: async (): Promise<IteratorResult<number>> => {
        if (++read === 3) await gate.body()
        return { done: false, value: read }
      },
    }),
  }
  for await (const _ of pool.map((n) => n, items, { chunk: 2, window: 2 })) break
  await gate.entered()
  gate.open()
  await turns()
  assert.equal(read, 3)
})

test("[MP16] a failing task ends the loop with its own error and cancels the others", async () => {
  await using lab = new Lab()
  const error = new Error("own")
  for (const ordered of [true, false]) {
    const pool = lab.fixed(3)
    const gate = lab.gate()
    let closed = 0
    function* source(): Generator<number> {
      try {
        for (let n = 0; ; n++) yield n
      } finally {
        closed++
      }
    }
    const fn = async (n: number): Promise<number> => {
      if (n === 1) throw error
      if (n > 1) await gate.interruptible()
      return n
    }
    const results: number[] = []
    const loop = async (): Promise<void> => {
      for await (const result of pool.map(fn, source(), { ordered })) results.push(result)
    }
    assert.equal(await rejectionOf(loop()), error)
    assert.deepEqual([results, closed], [[0], 1])
    assert.equal(pool.queue.size, 0)
    await eventually(() => gate.inside === 0)
  }
})

test("[MP17] in order, the results before a failure are delivered before it", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(3)
  const gate = lab.gate()
  const error = new Error("own")
  const fn = async (n: number): Promise<number> => {
    if (n === 2) throw error
    await gate.body()
    return n
  }
  const results = pool.map(fn, [0, 1, 2])[Symbol.asyncIterator]()
  const first = results.next()
  await gate.entered(2)
  await turns()
  gate.open()
  assert.equal((await first).value, 0)
  assert.equal((await results.next()).value, 1)
  assert.equal(await rejectionOf(results.next()), error)
  assert.equal((await results.next()).done, true)
})

test("[MP17] unordered, a failure is heard at once", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(3)
  const gate = lab.gate()
  const error = new Error("own")
  const fn = (n: number): unknown => (n === 2 ? Promise.reject(error) : gate.interruptible())
  assert.equal(await rejectionOf(all(pool.map(fn, [0, 1, 2], { ordered: false }))), error)
  await eventually(() => gate.inside === 0)
})

test("[MP17] a chunk fails as a whole", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const error = new Error("own")
  const seen: number[] = []
  const fn = (n: number): number => {
    if (n === 4) throw error
    return n
  }
  const loop = async (): Promise<void> => {
    for await (const result of pool.map(fn, [1, 2, 3, 4, 5], { chunk: 3 })) seen.push(result)
  }
  assert.equal(await rejectionOf(loop()), error)
  assert.deepEqual(seen, [1, 2, 3])
})

test("[MP18] a failing source ends the loop with its error, at once, and is not closed", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const gate = lab.gate()
  const error = new Error("source")
  let returned = 0
  let read = 0
  const items = {
    [Symbol.iterator]: () => ({
      next: (): IteratorResult<number> => {
        if (read === 3) throw error
        return { done: false, value: read++ }
      },
      return: (): IteratorResult<number> => ({ done: true, value: ++returned }),
    }),
  }
  assert.equal(await rejectionOf(all(pool.map(gate.interruptible, items))), error)
  await eventually(() => gate.inside === 0)
  assert.deepEqual([returned, pool.queue.size], [0, 0])
})

test("[MP18] a source that cannot even be opened is an error of the loop", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const error = new Error("shut")
  const items: Iterable<number> = {
    [Symbol.iterator]: () => {
      throw error
    },
  }
  const results = pool.map((n) => n, items)
  assert.throws(() => results[Symbol.asyncIterator](), error)
})

/** A source that gives this result after two items, and notes if it is closed. */
class Junk {
  closed = 0
  #read = 0
  readonly #next: () => unknown

  constructor(next: () => unknown) {
    this.#next = next
  }

  [Symbol.iterator](): Iterator<number> {
    return {
      next: () => (this.#read++ < 2 ? { value: this.#read } : this.#next()) as IteratorResult<number>,
      return: () => ({ done: true, value: this.closed++ }),
    }
  }
}

for (const kind of ["virtual", "platform"] as const) {
  test(`[MP34] what next() returns must be an object, and no promise: ${kind} threads`, async () => {
    await using pool = Executors.newFixedThreadPool(2, kind === "virtual" ? virtualThreads() : platformThreads())
    for (const junk of [5, "x", undefined, null, true, Promise.resolve({ value: 1 })]) {
      for (const options of [{}, { chunk: 2 }]) {
        const source = new Junk(() => junk)
        const error = await rejectionOf(all(pool.map((n) => n, source, options)))
        assert.ok(error instanceof TypeError, String(junk))
        assert.match(error.message, /^Expected `items` to be a source whose next\(\) gives objects with `value`, got /)
        assert.equal(source.closed, 0)
      }
    }
    const odd = new Junk(() => Object.assign(() => 1, { done: "yes" })) // which for…of takes for the end
    assert.deepEqual(await all(pool.map((n) => n, odd)), [1, 2])
  })

  test(`[MP34] an error of done or value is one of the source, which is not closed: ${kind} threads`, async () => {
    await using pool = Executors.newFixedThreadPool(2, kind === "virtual" ? virtualThreads() : platformThreads())
    const error = new Error("getter")
    const throwing = {
      get(): never {
        throw error
      },
    }
    for (const key of ["done", "value"]) {
      const source = new Junk(() => Object.defineProperty({ done: false, value: 1 }, key, throwing))
      assert.equal(await rejectionOf(all(pool.map((n) => n, source))), error)
      assert.equal(source.closed, 0)
    }
  })
}

test("[MP19] an interrupt of the consuming thread ends the loop", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const gate = lab.gate()
  const caller = lab.call(() => all(pool.map(gate.interruptible, [1, 2, 3])))
  await gate.entered(2)
  caller.thread.interrupt()
  const outcome = await caller.outcome
  assert.ok(outcome.status === "rejected" && outcome.reason instanceof InterruptedError)
  assert.equal(caller.thread.isInterrupted, false)
  await eventually(() => gate.inside === 0)
  assert.equal(gate.entries, 2)
})

test("[MP20] after shutdown map is refused, and a shutdown meanwhile ends it", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  let closed = 0
  function* source(): Generator<number> {
    try {
      for (let n = 0; ; n++) yield n
    } finally {
      closed++
    }
  }
  const loop = async (): Promise<void> => {
    for await (const n of pool.map((item: number) => item, source(), { window: 1 })) if (n === 5) pool.shutdown()
  }
  assert.ok((await rejectionOf(loop())) instanceof RejectedExecutionError)
  assert.equal(closed, 1)
  assert.ok((await rejectionOf(all(pool.map((n: number) => n, [1])))) instanceof RejectedExecutionError)
})

test("[MP20] a shutdown is heard with the next item that is read, and cancels what is under way", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const gate = lab.gate()
  const fn = (n: number): unknown => (n === 0 ? n : gate.interruptible())
  const results = pool.map(fn, [0, 1, 2, 3], { window: 2 })[Symbol.asyncIterator]()
  assert.equal((await results.next()).value, 0)
  await gate.entered()
  pool.shutdown()
  assert.ok((await rejectionOf(results.next())) instanceof RejectedExecutionError)
  assert.equal(await pool.awaitTermination(), true)
  assert.equal(gate.inside, 0)
})

test("[MP21] shutdownNow releases who waits for the next result", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  pool.submit(gate.body)
  await gate.entered()
  const results = all(pool.map((n: number) => n, [1, 2]))
  await turns()
  assert.equal(pool.shutdownNow().length, 2)
  const error = await rejectionOf(results)
  assert.ok(error instanceof CancellationError && error.cause instanceof RejectedExecutionError)
})

test("[MP22] a source that fails as it is closed is told to the consuming thread's handler", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const sync = new Error("sync")
  const async = new Error("async")
  function* failing(): Generator<number> {
    try {
      for (;;) yield 1
    } finally {
      // oxlint-disable-next-line no-unsafe-finally -- this is what a source that fails as it is closed does
      throw sync
    }
  }
  async function* failingLater(): AsyncGenerator<number> {
    try {
      for (;;) yield 1
    } finally {
      await turns(1)
      // oxlint-disable-next-line no-unsafe-finally -- this is what a source that fails as it is closed does
      throw async
    }
  }
  const caller = lab.call(async () => {
    for await (const _ of pool.map((n: number) => n, failing(), { window: 1 })) break
    for await (const _ of pool.map((n: number) => n, failingLater(), { window: 1 })) break
    return Thread.currentThread()
  })
  assert.deepEqual(await caller.outcome, { status: "fulfilled", value: caller.thread })
  const told: { thread: Thread; error: unknown }[] = []
  await eventually(() => told.push(...lab.takeUncaughtWithThreads()) >= 2)
  assert.deepEqual(told, [
    { thread: caller.thread, error: sync },
    { thread: caller.thread, error: async },
  ])
})

test("[MP23] results asked for several at a time come one after the other", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const results = pool.map((n: number) => n, [1, 2])[Symbol.asyncIterator]()
  const asked = [results.next(), results.next(), results.next(), results.next()]
  assert.deepEqual(
    (await Promise.all(asked)).map((result) => (result.done === true ? "end" : result.value)),
    [1, 2, "end", "end"],
  )
})
