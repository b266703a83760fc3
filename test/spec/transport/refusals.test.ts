/** What cannot be passed, and errors that are. */
import { Executors, NotSerializableError, tasksOf, TimeoutError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { rejectionOf, thrownBy } from "../../support/harness.ts"
import { Temperature, TooHot } from "./tasks.ts"

const tasks = tasksOf<typeof import("./tasks.ts")>(new URL("tasks.js", import.meta.url))
const same = tasks.same as unknown as <T>(value: T) => T // references to generic functions are not generic

test("[TX16] submit refuses what cannot be passed, and says where it is", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const throwing = {
    get a() {
      throw new Error("no")
    },
  }
  for (const [value, message] of [
    [{ a: [() => 1] }, /args\[0\]\.a\[0\]/],
    [Symbol("s"), /Symbol\(s\) in `args\[0\]`/],
    [new Proxy({}, {}), /proxy/],
    [{ p: Promise.resolve() }, /args\[0\]\.p.*await it/],
    [throwing, /^The value in `args\[0\]` cannot be sent to another thread: copying it threw Error: no$/],
    [new ArrayBuffer(2 ** 31), /more than 2 GB/],
  ] as const) {
    const error = thrownBy(() => pool.submit(same<unknown>, value))
    assert.ok(error instanceof NotSerializableError)
    assert.match(error.message, message)
  }
  assert.equal(pool.queue.size, 0)
  assert.equal(await pool.submit(same, 1), 1)
})

test("[TX31] the refusal of a result names its task", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const named = function load(): unknown {
    return { deep: [() => 1] }
  }
  const getter = function getter(): unknown {
    return {
      get a() {
        throw new RangeError("no")
      },
    }
  }
  const nested = function nested(): unknown {
    return Array.from({ length: 100_000 }).reduce((inner) => [inner], [])
  }
  const cases: [() => unknown, RegExp][] = [
    [named, /^The result of task `load` cannot be sent: a function in `deep\[0\]` cannot be copied$/],
    [getter, /^The result of task `getter` cannot be sent: the value .*copying it threw RangeError: no$/],
    [nested, /^The result of task `nested` cannot be sent: the value in `\[0\]\[0\].*it is nested too deeply$/],
    [() => () => 1, /^The result of an inline task cannot be sent: a function cannot be copied$/],
    [tasks.giveFunction, /^The result of task `giveFunction` cannot be sent: a function cannot be copied$/],
  ]
  for (const [task, message] of cases) {
    const error = await rejectionOf(pool.submit(task))
    assert.ok(error instanceof NotSerializableError)
    assert.match(error.message, message)
  }
  const error = (await rejectionOf(pool.submit(getter))) as NotSerializableError
  assert.equal((error.cause as Error).message, "no")
})

test("[TX17] submit refuses a transfer list that makes no sense", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const buffer = new ArrayBuffer(8)
  const gone = new ArrayBuffer(8)
  structuredClone(gone, { transfer: [gone] })
  for (const [transfer, message] of [
    [7, /an array/],
    [[7], /transfer\[0\].*got 7/],
    [[{}], /an ArrayBuffer/],
    [[new Uint8Array(buffer)], /name its buffer/],
    [[new SharedArrayBuffer(8)], /shared memory, which is never moved/],
    [[buffer, buffer], /transfer\[1\].*once/],
    [[buffer, gone], /transfer\[1\].*transferred before/],
    [[buffer, new ArrayBuffer(1)], /transfer\[1\].*in the arguments/],
  ] as const) {
    const error = thrownBy(() => pool.with({ transfer: transfer as unknown as object[] }).submit(same, [buffer]))
    assert.ok(error instanceof TypeError)
    assert.match(error.message, message)
  }
  assert.equal(buffer.byteLength, 8)
})

test("[TX18] a result that cannot be passed fails its task alone", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  for (const [kind, message] of [
    ["function", /`a\[0\]` cannot be copied/],
    ["getter", /: no$/],
    ["list", /list\[0\].*in the result/],
    ["moved", /list\[0\].*transferred before/],
    ["thrown", /cannot be sent.*`a`/],
  ] as const) {
    const error = await rejectionOf(pool.submit(tasks.notPassable, kind))
    assert.ok(error instanceof NotSerializableError)
    assert.match(error.message, message)
  }
  assert.equal(await pool.submit(same, 1), 1)
  assert.equal(pool.largestPoolSize, 1)
})

// ------------------------------------------------------------------ errors

/** The places in a stack, shortened. */
function framesOf(error: unknown): string[] {
  const lines = String((error as Error).stack).split("\n")
  return lines.filter((line) => /tasks\.|refusals\.test|\(corepool\)/.test(line)).map((line) => line.trim())
}

test("[TX19] a stack says where, in which thread, and who waited", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const awaited = framesOf(await rejectionOf(pool.submit(tasks.fail)))
  assert.equal(awaited.length, 2)
  assert.match(String(awaited[0]), /fail .*tasks\./)
  assert.match(String(awaited[1]), /^at pool-\d+-thread-1 \(corepool\)$/)
  const future = pool.submit(tasks.fail)
  for (let times = 0; times < 2; times++) {
    const frames = framesOf(thrownBy(() => future.getSync()))
    assert.match(String(frames[0]), /tasks\./)
    assert.match(String(frames[1]), /\(corepool\)$/)
    assert.match(String(frames[2]), /refusals\.test/)
    assert.equal(frames.filter((frame) => frame.endsWith("(corepool)")).length, 1)
  }
})

test("[TX19] an error that is thrown again and again says it once; one from further away says both", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  await using other = Executors.newFixedThreadPool(1)
  await rejectionOf(pool.submit(tasks.throwConstant))
  assert.equal(
    framesOf(await rejectionOf(pool.submit(tasks.throwConstant))).filter((it) => it.endsWith("(corepool)")).length,
    1,
  )
  const threads = framesOf(await rejectionOf(pool.submit(tasks.failInside, other))).filter((it) =>
    /^at pool-\d+-thread-\d+ \(corepool\)$/.test(it),
  )
  assert.equal(new Set(threads).size, 2)
})

test("[TX20] errors arrive whole", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const error = (await rejectionOf(pool.submit(tasks.fail))) as RangeError & { code: string; detail: object }
  assert.ok(error instanceof RangeError)
  assert.ok(error.cause instanceof TypeError)
  assert.deepEqual(
    [error.message, error.cause.message, error.code, error.detail],
    ["too hot", "the cause", "E_HOT", { degrees: 100 }],
  )
  const both = (await rejectionOf(pool.submit(tasks.failTogether))) as AggregateError
  assert.ok(both instanceof AggregateError)
  const [late, hot] = both.errors as [unknown, TooHot]
  assert.ok(late instanceof TimeoutError)
  assert.ok(hot instanceof TooHot)
  assert.ok(hot.temperature instanceof Temperature)
  assert.deepEqual([hot.name, hot.temperature.degrees], ["TooHot", 99])
})
