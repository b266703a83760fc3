/** Tasks whose outcome never gets written down, because code of the program that belongs to it does not return. */
import assert from "node:assert/strict"
import test from "node:test"
import { Executors, type ExecutorService, ForkJoinPool, type Future, platformThreads } from "corepool"
import { eventually, rejectionOf } from "../../support/harness.ts"

const threads = () => platformThreads({ terminateAfter: 1, uncaughtException: () => undefined })

const POOLS: Readonly<Record<string, () => ExecutorService>> = {
  fixed: () => Executors.newFixedThreadPool(1, threads()),
  scheduled: () => Executors.newScheduledThreadPool(1, threads()),
  "fork/join": () => new ForkJoinPool({ parallelism: 1, threadFactory: threads() }),
}

type Endless = (begun: Int32Array) => unknown

/** Each is sent to the thread as source, and says that the endless code has begun. */
const OUTCOMES: Readonly<Record<string, Endless>> = {
  "an error with an endless message": (begun) => {
    const get = (): never => {
      for (;;) Atomics.store(begun, 0, 1)
    }
    throw Object.defineProperty(new Error("x"), "message", { get })
  },
  "an error with an endless stack": (begun) => {
    const get = (): never => {
      for (;;) Atomics.store(begun, 0, 1)
    }
    throw Object.defineProperty(new Error("x"), "stack", { get })
  },
  "an error with an endless field in its cause": (begun) => {
    const get = (): never => {
      for (;;) Atomics.store(begun, 0, 1)
    }
    throw new Error("x", { cause: Object.defineProperty({}, "field", { get, enumerable: true }) })
  },
  "a proxy of an error, with endless traps": (begun) => {
    const trap = (): never => {
      for (;;) Atomics.store(begun, 0, 1)
    }
    throw new Proxy(new Error("x"), { get: trap, getPrototypeOf: trap, ownKeys: trap })
  },
  "an error whose stack is prepared for ever": (begun) => {
    Error.prepareStackTrace = (): never => {
      for (;;) Atomics.store(begun, 0, 1)
    }
    throw new Error("x")
  },
  "a rejection with an endless name": async (begun) => {
    await (async () => undefined)()
    const get = (): never => {
      for (;;) Atomics.store(begun, 0, 1)
    }
    throw Object.defineProperty(new Error("x"), "name", { get })
  },
  "a result with an endless field": (begun) => {
    const get = (): never => {
      for (;;) Atomics.store(begun, 0, 1)
    }
    return Object.defineProperty({}, "field", { get, enumerable: true })
  },
  "a result with an endless then": (begun) => ({
    // oxlint-disable-next-line unicorn/no-thenable -- that is what this task returns
    get then(): never {
      for (;;) Atomics.store(begun, 0, 1)
    },
  }),
}

const ENDINGS: Readonly<
  Record<
    string,
    {
      error: RegExp
      submit?: (pool: ExecutorService) => ExecutorService
      end: (pool: ExecutorService, future: Future<unknown>) => void
    }
  >
> = {
  "cancel(true)": { error: /^CancellationError$/, end: (_pool, future) => assert.equal(future.cancel(true), true) },
  "a time limit": { error: /^TimeoutError$/, submit: (pool) => pool.with({ timeout: 1 }), end: () => undefined },
  // A ForkJoinPool cancels what runs, as in Java.
  shutdownNow: { error: /^(?:ThreadDeathError|CancellationError)$/, end: (pool) => void pool.shutdownNow() },
}

for (const [ending, { error, submit = (pool: ExecutorService) => pool, end }] of Object.entries(ENDINGS)) {
  for (const [kind, open] of Object.entries(POOLS)) {
    test(`[PL57] ${ending} ends a task whose outcome cannot be written down to the end: ${kind}`, async () => {
      for (const [what, outcome] of Object.entries(OUTCOMES)) {
        await using pool = open()
        const begun = new Int32Array(new SharedArrayBuffer(4))
        const future = submit(pool).submit(outcome, begun)
        if (ending !== "a time limit") await eventually(() => Atomics.load(begun, 0) === 1)
        end(pool, future)
        assert.match(((await rejectionOf(future)) as Error).name, error, what)
        if (!pool.isShutdown) assert.equal(await pool.submit(() => 1), 1, what)
      }
    })
  }
}
