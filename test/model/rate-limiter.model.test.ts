/** A rate limiter, as it is, in the hands of threads that block. Ids refer to docs/spec/rate-limiter.md. */
import { add, load } from "#atomics"
import { RateLimiter } from "#src/sync/rate-limiter.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { overMemory } from "../support/over-memory.ts"
import { name as nameWords } from "./explore.ts"
import { Program } from "./program.ts"
import { assertNobodyWaits, check, opened, upTo } from "./synchronizers.ts"

const LONG = 1_000_000
const TALLY = { TAKEN: 0, GIVEN_UP: 1, SIZE: 2 } as const

function setupFor(window: "fixed" | "sliding" | undefined, permits: number) {
  return () => {
    const program = new Program("a", "b", "c")
    const limiter = new RateLimiter({ permits, per: LONG, ...(window === undefined ? {} : { window }) })
    const words = new Int32Array(limiter.handle.memory)
    nameWords(words, "limiter", {})
    return { program, words, tally: program.words(TALLY.SIZE, "tally", TALLY) }
  }
}
type S = ReturnType<ReturnType<typeof setupFor>>

/** Takes what it can get without waiting. */
function taker(name: string, permits: number) {
  return ({ program, words, tally }: S): void => {
    const limiter = overMemory(RateLimiter, opened(program, name, words))
    if (limiter.tryAcquire(permits)) add(tally, TALLY.TAKEN, permits)
    else add(tally, TALLY.GIVEN_UP, 1)
  }
}

/** Waits; time passes for a thread of the model only while it waits. */
function waiter(name: string, permits: number) {
  return ({ program, words, tally }: S): void => {
    const limiter = overMemory(RateLimiter, opened(program, name, words))
    limiter.acquireSync(permits)
    add(tally, TALLY.TAKEN, permits)
  }
}

function left({ program, words }: S): number {
  return overMemory(RateLimiter, opened(program, "c", words)).availablePermits
}

for (const window of [undefined, "fixed", "sliding"] as const) {
  const kind = window ?? "bucket"

  test(`[RL17] three threads take no more than there is: ${kind}`, () =>
    check(500, {
      setup: setupFor(window, 2),
      threads: { a: taker("a", 1), b: taker("b", 2), c: taker("c", 1) },
      ...upTo(2),
      finally: (shared) => {
        const taken = load(shared.tally, TALLY.TAKEN)
        assert.equal(taken, 2)
        assert.equal(left(shared), 0)
        assertNobodyWaits(shared.words)
      },
    }))

  test(`[RL17] each of those who wait goes on when its time has come: ${kind}`, () =>
    check(500, {
      setup: setupFor(window, 1),
      threads: { a: waiter("a", 1), b: waiter("b", 1) },
      ...upTo(3),
      timeouts: 2,
      finally: (shared) => {
        assert.equal(load(shared.tally, TALLY.TAKEN), 2)
        assertNobodyWaits(shared.words)
      },
    }))

  test(`[RL18] one that dies has taken all or nothing, and holds up no other: ${kind}`, () =>
    check(500, {
      setup: setupFor(window, 3),
      threads: { a: taker("a", 2), b: taker("b", 1) },
      kill: ["a"],
      finally: (shared) => {
        const gone = 3 - left(shared) - load(shared.tally, TALLY.TAKEN)
        assert.ok(gone === 0 || gone === 2, `${gone} permits are gone`)
        assert.equal(load(shared.tally, TALLY.GIVEN_UP), 0)
      },
    }))

  test(`[RL18] one that dies while it waits, or is first, leaves the line: ${kind}`, () =>
    check(500, {
      setup: setupFor(window, 1),
      threads: { a: waiter("a", 1), b: waiter("b", 1) },
      kill: ["a"],
      ...upTo(2),
      timeouts: 2,
      finally: (shared) => {
        assert.ok(load(shared.tally, TALLY.TAKEN) >= 1)
        assert.equal(overMemory(RateLimiter, opened(shared.program, "c", shared.words)).queueLength, 0)
      },
    }))
}
