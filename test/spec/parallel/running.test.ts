/** Where parallel algorithms run, what they refuse, and how they end. Rules: docs/spec/parallel.md. */
import {
  CancellationError,
  Executors,
  ForkJoinPool,
  parallelForEach,
  parallelMap,
  parallelMapSync,
  parallelPrefix,
  parallelReduce,
  parallelReduceSync,
  parallelSort,
  parallelSortSync,
  type Range,
  TaskNotPortableError,
  tasksOf,
  ThreadDeathError,
  type TypedArray,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { fileURLToPath } from "node:url"
import { runFile } from "../../support/child.ts"
import { rejectionOf, thrownBy } from "../../support/harness.ts"
import { SharedCount, SharedGate } from "../../support/shared-words.ts"
import * as tasks from "./tasks.ts"

const plain = tasksOf<typeof import("./plain.js")>(new URL("plain.js", import.meta.url))

function numbers(length: number): Int32Array {
  return Int32Array.from({ length }, (_, i) => (i * 7919) % 1009)
}

test("[PA15] an array in shared memory is worked on where it is, and what is around it is left alone", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  const memory = new Int32Array(new SharedArrayBuffer(4 * 1000))
  memory.set(numbers(1000))
  const before = memory.slice()
  const part = memory.subarray(100, 900)
  assert.equal(await parallelSort(part, { pool, grain: 50 }), part)
  assert.deepEqual(memory.slice(100, 900), before.slice(100, 900).sort())
  assert.deepEqual([...memory.slice(0, 100), ...memory.slice(900)], [...before.slice(0, 100), ...before.slice(900)])
})

test("[PA16] an array over ordinary memory gets the result, and after an error is what it was", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  const array = numbers(500)
  const before = array.slice()
  const fail = (a: number, b: number): number => {
    if (a === 9 || b === 9) throw new RangeError("nine")
    return a - b
  }
  for (const begin of [
    () => parallelSort(array, { pool, compare: fail, grain: 20 }),
    () => parallelPrefix(array, fail, { pool, grain: 20 }),
    () => parallelMap(array, fail, { pool, grain: 20, into: array }),
  ]) {
    assert.ok((await rejectionOf(begin())) instanceof RangeError)
  }
  assert.deepEqual(array, before)
  assert.equal(await parallelSort(array, { pool, grain: 20 }), array)
  assert.deepEqual(array, before.sort())
})

test("[PA17] what is made lies in shared memory if what it is made of does", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  const shared = new Int8Array(new SharedArrayBuffer(10))
  for (const grain of [1, 100]) {
    assert.ok((await parallelMap(shared, tasks.square, { pool, grain })).buffer instanceof SharedArrayBuffer)
    assert.ok((await parallelMap(new Int8Array(10), tasks.square, { pool, grain })).buffer instanceof ArrayBuffer)
  }
})

test("[PA20] they run in the common pool, or in the one they are told", async () => {
  const array = numbers(10_000)
  const expected = array.reduce((a, b) => a + b)
  const common = ForkJoinPool.commonPool()
  const before = common.stealCount
  assert.equal(await parallelReduce(array, tasks.sum), expected)
  assert.equal(parallelReduceSync(array, tasks.sum), expected)
  assert.ok(common.stealCount >= before + 2)
  await using pool = new ForkJoinPool({ parallelism: 1 })
  assert.equal(parallelReduceSync(array, tasks.sum, { pool }), expected)
  assert.ok(pool.stealCount >= 1)
  await using other = Executors.newFixedThreadPool(1)
  const refusal = await rejectionOf(parallelSort(array, { pool: other as unknown as ForkJoinPool }))
  assert.match(String(refusal), /^TypeError: Expected `pool` to be a ForkJoinPool, got an instance of/)
})

test("[PA21] in a task they divide themselves, on pools of any size", async () => {
  const array = new Int32Array(new SharedArrayBuffer(4 * 1000))
  array.set(numbers(1000))
  const total = array.reduce((a, b) => a + b)
  const totals = array.slice()
  for (let i = 1; i < totals.length; i++) totals[i] = (totals[i - 1] as number) + (totals[i] as number)
  const expected = [array.slice().sort(), Float64Array.from(array, (x) => x * x), totals, total, total]
  for (const parallelism of [1, 2, 3]) {
    await using pool = new ForkJoinPool({ parallelism })
    assert.deepEqual(await pool.invoke(tasks.everything, array), expected)
    assert.equal(pool.queuedTaskCount, 0)
  }
})

test("[PA21] they can be inside of each other", async () => {
  for (const parallelism of [1, 2]) {
    await using pool = new ForkJoinPool({ parallelism })
    let expected = 0
    for (let i = 0; i < 50; i++) for (let j = 0; j <= i; j++) expected += j * j
    assert.equal(await parallelReduce(50, tasks.sum, { pool, map: tasks.innerSum }), expected)
    assert.equal(await pool.invoke(tasks.inOwnPool, pool, 100), 4950)
  }
})

test("[PA22] arrays of one part and what is empty need no pool; numbers do", async () => {
  const pool = new ForkJoinPool({ parallelism: 1 })
  await pool.close()
  const array = numbers(1000)
  assert.deepEqual(await parallelSort(array.slice(), { pool }), array.slice().sort())
  assert.equal(
    parallelReduceSync(array, tasks.sum, { pool }),
    array.reduce((a, b) => a + b),
  )
  assert.deepEqual(parallelMapSync(array, tasks.square, { pool }), array.map(tasks.square))
  for (const nothing of [new Int32Array(), 0, { from: 3, to: 3 }] as (Int32Array & Range)[]) {
    await parallelForEach(nothing, tasks.die, { pool })
  }
  assert.equal((await parallelSort(new BigInt64Array(), { pool })).length, 0)
  assert.match(String(await rejectionOf(parallelForEach(1, tasks.die, { pool }))), /^RejectedExecutionError/)
})

test("[PA23] to reduce nothing is an error, unless there is an initial value", async () => {
  assert.match(String(await rejectionOf(parallelReduce(new Int32Array(), tasks.sum))), /^TypeError: Reduce of nothing/)
  assert.match(String(thrownBy(() => parallelReduceSync(0, tasks.sum, { map: tasks.square }))), /^TypeError: Reduce of/)
  assert.equal(await parallelReduce(new Int32Array(), tasks.sum, { initial: 3 }), 3)
  assert.equal(parallelReduceSync(0, tasks.sum, { map: tasks.square, initial: 4 }), 4)
})

test("[PA25] a function that is not portable is noticed with one element, and with many", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  const { length: outside } = "outside"
  for (const count of [2, 10_000]) {
    const array = new Int32Array(count).fill(1)
    for (const begin of [
      () => parallelReduce(array, (a, b) => a + b + outside, { pool }),
      () => parallelMap(array, (x) => x + outside, { pool }),
      () => parallelSort(array, { pool, compare: (a, b) => a - b + outside, grain: 1000 }),
      () => parallelPrefix(array, (a, b) => a + b + outside, { pool }),
    ]) {
      const error = await rejectionOf(begin())
      assert.ok(error instanceof TaskNotPortableError, String(error))
      assert.match(error.message, /`outside`/)
    }
  }
  assert.ok(thrownBy(() => parallelReduceSync(Int8Array.of(1, 2), Math.max)) instanceof TaskNotPortableError)
})

test("[PA25] references to functions of other modules are found by those who call them", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  const array = Float64Array.of(2, 3, 4, 5)
  assert.equal(await parallelReduce(array, plain.product, { pool }), 120)
  assert.equal(parallelReduceSync(array, plain.product, { pool, grain: 1 }), 120)
  assert.deepEqual(await parallelPrefix(array, plain.product, { pool, grain: 2 }), Float64Array.of(2, 6, 24, 120))
})

test("[PA26] an error is that of the call, and what nobody has begun is not run", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  const count = new SharedCount()
  const error = await rejectionOf(parallelForEach(1000, tasks.failAt, { pool, grain: 1, args: [0, count.index] }))
  assert.ok(error instanceof RangeError)
  assert.equal(error.message, "not 0")
  assert.match(error.stack ?? "", /failAt/)
  assert.ok(await pool.awaitQuiescence())
  assert.equal(count.value, 1)
  const options = { pool, map: tasks.failAt, grain: 10, args: [77, count.index] as [number, number] }
  assert.match(String(thrownBy(() => parallelReduceSync(100, tasks.sum, options))), /^RangeError: not 77/)
})

test("[PA27] an asynchronous function is refused", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  const array = Float64Array.of(1, 2, 3)
  const later = async (x: number): Promise<number> => x
  for (const grain of [1, 100]) {
    for (const begin of [
      () => parallelMap(array, later, { pool, grain }),
      () => parallelReduce(array, later, { pool, grain }),
      () => parallelReduce(array, tasks.sum, { pool, grain, map: later }),
      () => parallelPrefix(array, later, { pool, grain }),
      () => parallelForEach(array, later, { pool, grain }),
      () => parallelForEach(3, later, { pool, grain }),
    ]) {
      assert.match(
        String(await rejectionOf(begin())),
        /^TypeError: Expected the function to return a value, got a promise/,
      )
    }
  }
})

test("[PA28] wrong arguments are refused, and the error says which", async () => {
  const array = new Int32Array(4)
  const no = "no" as unknown as Int32Array
  const view = new DataView(new ArrayBuffer(8)) as unknown as TypedArray
  const refused: [Promise<unknown>, RegExp][] = [
    [parallelSort(no), /^TypeError: Expected `array` to be a typed array, got "no"/],
    [parallelSort(view), /^TypeError: Expected `array` to be a typed array, got an instance of DataView/],
    [parallelSort(array, { grain: 0 }), /^RangeError: Expected `grain` to be an integer ≥ 1, got 0/],
    [parallelSort(array, { compare: 1 as never }), /^TypeError: Expected `compare` to be a function, got 1/],
    [parallelSort(array, null as never), /^TypeError: Expected `options` to be an object, got null/],
    [parallelSort(array, { signal: 1 as never }), /^TypeError: Expected `signal` to be an AbortSignal, got 1/],
    [parallelPrefix(array, undefined as never), /^TypeError: Expected `combine` to be a function, got undefined/],
    [
      parallelReduce(3, tasks.sum, {} as never),
      /^TypeError: Expected `map` to be a function, for the numbers of a range/,
    ],
    [parallelReduce(1.5, tasks.sum, { map: tasks.square }), /^TypeError: Expected `source` to be an integer, got 1.5/],
    [
      parallelForEach({ from: "a" as never, to: 3 }, tasks.die),
      /^TypeError: Expected `from` to be an integer, got "a"/,
    ],
    [parallelForEach(no, tasks.die), /^TypeError: Expected `source` to be a typed array, a number or a range/],
    [
      parallelMap([1] as never, tasks.square),
      /^TypeError: Expected `source` to be a typed array.*an instance of Array/,
    ],
    [parallelForEach(3, tasks.visit, { args: 1 as never }), /^TypeError: Expected `args` to be an array, got 1/],
    [parallelMap(3, tasks.square, {} as never), /^TypeError: Expected `into` to be the typed array into which/],
    [
      parallelMap(array, tasks.square, { into: [] as unknown as Int8Array }),
      /^TypeError: Expected `into` to be a typed array/,
    ],
    [
      parallelMap(array, tasks.square, { into: new Int8Array(3) }),
      /^RangeError: Expected `into` to be an array of at least 4 elements, got 3/,
    ],
  ]
  for (const [pending, expected] of refused) assert.match(String(await rejectionOf(pending)), expected)
  assert.match(String(thrownBy(() => parallelSortSync(no))), /^TypeError: Expected `array`/)
})

const isNode = process.versions["bun"] === undefined && process.versions["deno"] === undefined

test(
  "[PA29] loops go on where functions cannot be made of texts",
  {
    skip: isNode ? false : "only Node has the flag",
  },
  async () => {
    const program = fileURLToPath(new URL("programs/no-texts.js", import.meta.url))
    const { code, stdout, stderr } = await runFile("--disallow-code-generation-from-strings", program)
    assert.equal(stderr, "")
    assert.equal(stdout, "1249975000\ntrue\n")
    assert.equal(code, 0)
  },
)

test("[PA30] a signal stops the work", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  using gate = new SharedGate()
  const controller = new AbortController()
  const reason = new Error("enough")
  const pending = parallelForEach(1000, tasks.hold, { pool, signal: controller.signal, args: [gate.index], grain: 1 })
  await gate.reached()
  controller.abort(reason)
  const error = await rejectionOf(pending)
  assert.ok(error instanceof CancellationError)
  assert.equal(error.cause, reason)
  gate.open()
  assert.ok(await pool.awaitQuiescence())
  assert.ok(gate.arrived <= 2)
})

test("[PA30] a signal that has aborted lets nothing begin", async () => {
  const signal = AbortSignal.abort("no")
  const count = new SharedCount()
  for (const size of [0, 5]) {
    const pending = parallelForEach(size, tasks.failAt, { signal, args: [0, count.index] })
    const error = await rejectionOf(pending)
    assert.ok(error instanceof CancellationError)
    assert.equal(error.cause, "no")
  }
  assert.ok(thrownBy(() => parallelSortSync(Int8Array.of(2, 1), { signal })) instanceof CancellationError)
  assert.equal(count.value, 0)
})

test("[PA31] the death of a thread fails the call, and the pool goes on", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  assert.ok((await rejectionOf(parallelForEach(8, tasks.die, { pool }))) instanceof ThreadDeathError)
  assert.equal(await parallelReduce(100, tasks.sum, { pool, map: tasks.square }), 328_350)
})
