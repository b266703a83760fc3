/** Semaphore and latch, as they are, in the hands of threads that block. */
import { MEMORY, SYNC } from "#src/lock/internals.js"
import { add, load } from "#atomics"
import type { AbstractQueuedSynchronizer } from "#src/lock/index.js"
import { SharedMemory } from "#src/memory/shared/shared-memory.js"
import { CountDownLatch, Semaphore } from "#src/sync/index.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { explore, type Limits, name as nameWords } from "./explore.ts"
import { Program } from "./program.ts"
import { assertExplored } from "./support.ts"
import { overMemory } from "../support/over-memory.ts"

/** How many are inside, and how many have been. */
const TALLY = { INSIDE: 0, VISITS: 1, SIZE: 2 } as const

function setupFor(make: () => Semaphore | CountDownLatch) {
  return () => {
    const program = new Program("a", "b", "c")
    const sync = (make() as unknown as { [SYNC]: AbstractQueuedSynchronizer })[SYNC]
    const { words } = (sync as unknown as { [MEMORY]: SharedMemory })[MEMORY]
    nameWords(words, "synchronizer", {})
    return { program, words, tally: program.words(TALLY.SIZE, "tally", TALLY) }
  }
}
type S = ReturnType<ReturnType<typeof setupFor>>
type Body = (shared: S) => void

/** All threads block, so that nothing keeps the test's own process alive. */
function memoryOf({ program, words }: S, name: string): SharedMemory {
  return new SharedMemory(program.enter(name), words, true)
}

const PERMITS = 2

function visitor(name: string, permits: number, ms = Infinity): Body {
  return (shared) => {
    const semaphore = overMemory(Semaphore, memoryOf(shared, name))
    if (ms === Infinity) semaphore.acquireSync(permits)
    else if (!semaphore.tryAcquireSync(permits, ms)) return
    const inside = add(shared.tally, TALLY.INSIDE, permits) + permits
    assert.ok(inside <= PERMITS, `${inside} inside`)
    add(shared.tally, TALLY.VISITS, 1)
    add(shared.tally, TALLY.INSIDE, -permits)
    semaphore.release(permits)
  }
}

interface Case extends Limits {
  readonly threads: Record<string, Body>
  readonly kill?: string
  readonly finally: (shared: S) => void
}

function check(make: () => Semaphore | CountDownLatch, { kill, ...model }: Case): void {
  const report = explore({
    setup: setupFor(make),
    preemptions: 1,
    states: 5_000_000,
    ...(kill === undefined ? {} : { kill, onKill: ({ program }: S, name: string) => program.reap(name) }),
    ...model,
  })
  assertExplored(report, 500)
}

function permitsOf(shared: S): number {
  return overMemory(Semaphore, memoryOf(shared, "c")).availablePermits
}

for (const fair of [false, true]) {
  const make = (): Semaphore => new Semaphore(PERMITS, { fair })

  test(`[SM36] never are too many inside, and nobody is left waiting: ${fair ? "fair" : "not fair"}`, () =>
    check(make, {
      threads: { a: visitor("a", 2), b: visitor("b", 1), c: visitor("c", 2) },
      finally: (shared) => {
        assert.equal(load(shared.tally, TALLY.VISITS), 3)
        assert.equal(permitsOf(shared), PERMITS)
      },
    }))

  test(`[SM36] one that gives up passes its chance on: ${fair ? "fair" : "not fair"}`, () =>
    check(make, {
      threads: { a: visitor("a", 2), b: visitor("b", 2, 1), c: visitor("c", 1) },
      finally: (shared) => {
        assert.ok(load(shared.tally, TALLY.VISITS) >= 2)
        assert.equal(permitsOf(shared), PERMITS)
      },
    }))

  test(`[SM37] one that dies at any step takes along what it had, and no more: ${fair ? "fair" : "not fair"}`, () =>
    check(make, {
      threads: { a: visitor("a", 1), b: visitor("b", 1) },
      kill: "a",
      finally: (shared) => assert.ok([PERMITS - 1, PERMITS].includes(permitsOf(shared))),
    }))
}

test("[SM37] one that dies while it waits, or is just being let in, stands in nobody's way", () =>
  check(() => new Semaphore(0), {
    threads: {
      a: (shared) => void overMemory(Semaphore, memoryOf(shared, "a")).acquireSync(1),
      b: (shared) => void overMemory(Semaphore, memoryOf(shared, "b")).acquireSync(1),
      c: (shared) => overMemory(Semaphore, memoryOf(shared, "c")).release(2),
    },
    kill: "a",
    preemptions: 0,
    finally: (shared) => assert.ok([0, 1].includes(permitsOf(shared))),
  }))

function waiter(name: string): Body {
  return (shared) => {
    const latch = overMemory(CountDownLatch, memoryOf(shared, name))
    assert.equal(latch.awaitSync(), true)
    assert.equal(latch.count, 0)
    add(shared.tally, TALLY.VISITS, 1)
  }
}

function counter(name: string, times: number): Body {
  return (shared) => {
    const latch = overMemory(CountDownLatch, memoryOf(shared, name))
    for (let time = 0; time < times; time++) latch.countDown()
  }
}

test("[CL16] two who wait go on when it is counted down", () =>
  check(() => new CountDownLatch(2), {
    threads: { a: waiter("a"), b: waiter("b"), c: counter("c", 2) },
    finally: (shared) => assert.equal(load(shared.tally, TALLY.VISITS), 2),
  }))

test("[CL16] two who count down let one go on", () =>
  check(() => new CountDownLatch(2), {
    threads: { a: waiter("a"), b: counter("b", 1), c: counter("c", 2) },
    finally: (shared) => assert.equal(load(shared.tally, TALLY.VISITS), 1),
  }))

test("[CL16] one who waits dies at any step, and the other goes on", () =>
  check(() => new CountDownLatch(1), {
    threads: { a: waiter("a"), b: waiter("b"), c: counter("c", 1) },
    kill: "a",
    preemptions: 0,
    finally: (shared) => assert.ok(load(shared.tally, TALLY.VISITS) >= 1),
  }))
