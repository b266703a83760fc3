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

type Endless = (words: Int32Array) => unknown

/**
 * Each is sent to the thread as source, and says in word 0 that the endless code has begun. Word 1 is set when its pool has ended: a
 * runtime may not stop a thread that computes, and tests would go on beside all threads of those before.
 */
const OUTCOMES: Readonly<Record<string, Endless>> = {
  "an error with an endless message": (words) => {
    const get = (): never => {
      do Atomics.store(words, 0, 1)
      while (Atomics.load(words, 1) === 0)
      throw new Error("over")
    }
    throw Object.defineProperty(new Error("x"), "message", { get })
  },
  "an error with an endless stack": (words) => {
    const get = (): never => {
      do Atomics.store(words, 0, 1)
      while (Atomics.load(words, 1) === 0)
      throw new Error("over")
    }
    throw Object.defineProperty(new Error("x"), "stack", { get })
  },
  "an error with an endless field in its cause": (words) => {
    const get = (): never => {
      do Atomics.store(words, 0, 1)
      while (Atomics.load(words, 1) === 0)
      throw new Error("over")
    }
    throw new Error("x", { cause: Object.defineProperty({}, "field", { get, enumerable: true }) })
  },
  "a proxy of an error, with endless traps": (words) => {
    const trap = (): never => {
      do Atomics.store(words, 0, 1)
      while (Atomics.load(words, 1) === 0)
      throw new Error("over")
    }
    throw new Proxy(new Error("x"), { get: trap, getPrototypeOf: trap, ownKeys: trap })
  },
  "an error whose stack is prepared for ever": (words) => {
    Error.prepareStackTrace = (): never => {
      do Atomics.store(words, 0, 1)
      while (Atomics.load(words, 1) === 0)
      throw new Error("over")
    }
    throw new Error("x")
  },
  "a rejection with an endless name": async (words) => {
    await (async () => undefined)()
    const get = (): never => {
      do Atomics.store(words, 0, 1)
      while (Atomics.load(words, 1) === 0)
      throw new Error("over")
    }
    throw Object.defineProperty(new Error("x"), "name", { get })
  },
  "a result with an endless field": (words) => {
    const get = (): never => {
      do Atomics.store(words, 0, 1)
      while (Atomics.load(words, 1) === 0)
      throw new Error("over")
    }
    return Object.defineProperty({}, "field", { get, enumerable: true })
  },
  "a result with an endless then": (words) => ({
    // oxlint-disable-next-line unicorn/no-thenable -- that is what this task returns
    get then(): never {
      do Atomics.store(words, 0, 1)
      while (Atomics.load(words, 1) === 0)
      throw new Error("over")
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
        const words = new Int32Array(new SharedArrayBuffer(8))
        await using pool = open()
        const future = submit(pool).submit(outcome, words)
        if (ending !== "a time limit") await eventually(() => Atomics.load(words, 0) === 1)
        end(pool, future)
        assert.match(((await rejectionOf(future)) as Error).name, error, what)
        if (!pool.isShutdown) assert.equal(await pool.submit(() => 1), 1, what)
        await pool.close()
        Atomics.store(words, 1, 1)
      }
    })
  }
}
