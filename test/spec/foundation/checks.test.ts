import {
  isPromiseLike,
  MAX_VALUE,
  rangeError,
  requireBoolean,
  requireDuration,
  requireFunction,
  requireInteger,
  requireObject,
  requirePositiveDuration,
  requireSignal,
  requireString,
  requireTimeout,
  show,
  typeError,
} from "#src/checks.js"
import {
  ArrayBlockingQueue,
  bind,
  ExecutorCompletionService,
  Executors,
  FutureTask,
  LinkedBlockingQueue,
  PriorityBlockingQueue,
  ThreadPoolExecutor,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { thrownBy } from "../../support/harness.ts"

const SHAPE = /^Expected `[\w().]+` to be .+, got .+$/

const object = { an: "object" }
const { signal } = new AbortController()

interface Check {
  readonly require: (value: unknown) => unknown
  readonly demand: string
  readonly accepts: readonly unknown[]
  /** Of the right type, but outside of the range. */
  readonly refuses?: readonly unknown[]
  readonly wrongType: readonly unknown[]
}

const NOT_NUMBERS = [undefined, null, "1", 1n, true, {}, [1], () => 1, new Number(1), Symbol("s")]

const checks: Readonly<Record<string, Check>> = {
  requireInteger: {
    require: (value) => requireInteger("arg", value, 2),
    demand: "an integer ≥ 2",
    accepts: [2, 3, MAX_VALUE],
    refuses: [1, -1, 2.5, NaN, -Infinity],
    wrongType: NOT_NUMBERS,
  },
  requireDuration: {
    require: (value) => requireDuration("arg", value),
    demand: "a number of milliseconds ≥ 0",
    accepts: [0, -0, 0.1, 1, 2 ** 40, Infinity],
    refuses: [-0.1, -1, -Infinity, NaN],
    wrongType: NOT_NUMBERS,
  },
  requirePositiveDuration: {
    require: (value) => requirePositiveDuration("arg", value),
    demand: "a number of milliseconds > 0",
    accepts: [Number.MIN_VALUE, 0.1, 1, Infinity],
    refuses: [0, -0, -1, -Infinity, NaN],
    wrongType: NOT_NUMBERS,
  },
  requireTimeout: {
    require: (value) => requireTimeout("arg", value),
    demand: "a number of milliseconds",
    accepts: [0, -1, 0.5, 1, Infinity, -Infinity],
    refuses: [NaN],
    wrongType: NOT_NUMBERS,
  },
  requireFunction: {
    require: (value) => requireFunction("arg", value as () => unknown),
    demand: "a function",
    accepts: [() => 1, Map, Math.max, async () => 1],
    wrongType: [undefined, null, {}, { run: () => 1 }, "f", 1],
  },
  requireBoolean: {
    require: (value) => requireBoolean("arg", value),
    demand: "a boolean",
    accepts: [true, false],
    wrongType: [undefined, null, 0, 1, "", "true", {}, new Boolean(false)],
  },
  requireString: {
    require: (value) => requireString("arg", value),
    demand: "a string",
    accepts: ["", "text"],
    wrongType: [undefined, null, 1, {}, ["text"], new String("text"), Symbol("s")],
  },
  requireSignal: {
    require: (value) => requireSignal("arg", value),
    demand: "an AbortSignal",
    accepts: [signal, AbortSignal.abort()],
    wrongType: [undefined, null, {}, new AbortController(), { aborted: false }, "abort"],
  },
  requireObject: {
    require: (value) => requireObject("arg", value),
    demand: "an object",
    accepts: [object, [], Object.create(null), new Date(0)],
    wrongType: [undefined, null, 1, "text", () => 1],
  },
}

for (const [name, { require, demand, accepts, refuses = [], wrongType }] of Object.entries(checks)) {
  test(`[CK3][CK5][CK6] ${name} gives back the very value it accepts`, () => {
    for (const value of accepts) assert.ok(Object.is(require(value), value), show(value))
  })

  test(`[CK1][CK2][CK5][CK6] ${name} tells the wrong type from the wrong range, in one sentence`, () => {
    for (const [values, type] of [
      [refuses, RangeError],
      [wrongType, TypeError],
    ] as const) {
      for (const value of values) {
        const error = thrownBy(() => require(value))
        assert.ok(error instanceof type, show(value))
        assert.equal(error.message, `Expected \`arg\` to be ${demand}, got ${show(value)}`)
      }
    }
  })
}

test("[CK4] an integer beyond 2³¹−1 is out of range", () => {
  assert.equal(MAX_VALUE, 2_147_483_647)
  for (const value of [MAX_VALUE + 1, 2 ** 53, Number.MAX_VALUE]) {
    const error = thrownBy(() => requireInteger("arg", value, 0))
    assert.ok(error instanceof RangeError)
    assert.equal(error.message, `Expected \`arg\` to be an integer ≤ 2147483647, got ${value}`)
  }
})

test("[CK4] a lower limit that is another setting's value is named", () => {
  const options = { corePoolSize: 4, maximumPoolSize: 2, threadFactory: virtualThreads() }
  const error = thrownBy(() => new ThreadPoolExecutor(options))
  assert.ok(error instanceof RangeError)
  assert.equal(error.message, "Expected `maximumPoolSize` to be an integer ≥ corePoolSize (4), got 2")
})

test("[CK1] the two makers of errors use the same sentence", () => {
  assert.deepEqual(typeError("arg", "a hat", 1), new TypeError("Expected `arg` to be a hat, got 1"))
  assert.deepEqual(rangeError("arg", "a hat", 1), new RangeError("Expected `arg` to be a hat, got 1"))
})

test("[CK7] how values are shown", () => {
  class Point {
    readonly x = 0
  }
  const shown = new Map<unknown, string>([
    [undefined, "undefined"],
    [null, "null"],
    [true, "true"],
    [0, "0"],
    [-1.5, "-1.5"],
    [NaN, "NaN"],
    [Infinity, "Infinity"],
    [12n, "12n"],
    [Symbol("s"), "Symbol(s)"],
    ["", '""'],
    ['a "b"\n', String.raw`"a \"b\"\n"`],
    ["x".repeat(40), `"${"x".repeat(40)}"`],
    ["x".repeat(41), `"${"x".repeat(40)}…"`],
    [function named() {}, "function named"],
    [
      (
        () => () =>
          1
      )(),
      "a function",
    ],
    [Point, "function Point"],
    [new Point(), "an instance of Point"],
    [{}, "an instance of Object"],
    [[1, 2], "an instance of Array"],
    [Promise.resolve(), "an instance of Promise"],
  ])
  for (const [value, text] of shown) assert.equal(show(value), text)
})

test("[CK8] nothing is too odd to be shown", () => {
  const revoked = Proxy.revocable({}, {})
  const revokedFunction = Proxy.revocable(() => 1, {})
  revoked.revoke()
  revokedFunction.revoke()
  const thrower = (): never => assert.fail("looked at")
  class Misnamed {
    static readonly name = 5
    readonly x = 0
  }
  class Method {
    static name(): void {}
    readonly x = 0
  }
  class Getter {
    static get name(): string {
      return thrower()
    }
    readonly x = 0
  }
  const shown = new Map<unknown, string>([
    [Object.create(null), "an instance of Object"],
    [revoked.proxy, "an instance of Object"],
    [revokedFunction.proxy, "a function"],
    [{ toString: thrower, toJSON: thrower, [Symbol.toPrimitive]: thrower }, "an instance of Object"],
    [Object.defineProperty({}, "constructor", { get: thrower }), "an instance of Object"],
    [{ constructor: "text" }, "an instance of Object"],
    [Misnamed, "a function"],
    [new Method(), "an instance of Object"],
    [Method, "a function"],
    [new Getter(), "an instance of Object"],
    [Getter, "a function"],
    ["\ud800".repeat(50), `"${String.raw`\ud800`.repeat(40)}…"`],
  ])
  for (const [value, text] of shown) assert.equal(show(value), text)
})

test("[CK9] promise-like is whatever has a then that can be called", () => {
  const then = (): number => 1
  // oxlint-disable-next-line unicorn/no-thenable -- what is one and what is none
  const [thenable, callable, none] = [{ then }, Object.assign(() => 1, { then }), { then: 1 }]
  for (const value of [Promise.resolve(), new FutureTask(() => 1), thenable, callable])
    assert.equal(isPromiseLike(value), true)
  for (const value of [undefined, null, 1, "then", {}, none, then, []]) assert.equal(isPromiseLike(value), false)
})

/** One wrong call for each door of the public API. */
const doors: readonly (() => unknown)[] = [
  () => new FutureTask(1 as unknown as () => 1),
  () => bind("f" as unknown as () => 1),
  () => virtualThreads(1 as unknown as object),
  () => Executors.newFixedThreadPool(0, virtualThreads()),
  () => Executors.newFixedThreadPool("2" as unknown as number, virtualThreads()),
  () => Executors.unconfigurableExecutorService(null as never),
  () => Executors.callable(null as never),
  () => new ThreadPoolExecutor(null as never),
  () => new ThreadPoolExecutor({ corePoolSize: -1, maximumPoolSize: 1, threadFactory: virtualThreads() }),
  () => new ThreadPoolExecutor({ corePoolSize: 0, maximumPoolSize: 0, threadFactory: virtualThreads() }),
  () =>
    new ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 1, keepAliveTime: -1, threadFactory: virtualThreads() }),
  () => new ExecutorCompletionService({} as never),
  () => new ArrayBlockingQueue(0),
  () => new ArrayBlockingQueue(1.5),
  () => new LinkedBlockingQueue(-1),
  () => new PriorityBlockingQueue(0),
  () => new LinkedBlockingQueue().add(null),
  () => new LinkedBlockingQueue().add(Promise.resolve()),
  () => new LinkedBlockingQueue().drainTo(null as never),
]

test("[CK1][CK10] the doors of the public API refuse in one shape", () => {
  for (const call of doors) {
    const error = thrownBy(call)
    assert.ok(error instanceof TypeError || error instanceof RangeError, String(call))
    assert.match(error.message, SHAPE, String(call))
  }
})

test("[CK10] a refused call has changed nothing", async () => {
  const pool = new ThreadPoolExecutor({ corePoolSize: 2, maximumPoolSize: 4, threadFactory: virtualThreads() })
  for (const change of [
    () => (pool.corePoolSize = 5),
    () => (pool.corePoolSize = -1),
    () => (pool.maximumPoolSize = 1),
    () => (pool.keepAliveTime = NaN),
    () => pool.submit(null as never),
    () => pool.execute(undefined as never),
  ]) {
    assert.match((thrownBy(change) as Error).message, SHAPE)
  }
  assert.deepEqual([pool.corePoolSize, pool.maximumPoolSize, pool.poolSize, pool.taskCount], [2, 4, 0, 0])
  await pool.close()
})
