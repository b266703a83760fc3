/** The wait queue with priorities: a node that comes in before others, at any moment of theirs. */
import { add, compareAndSet, load, store } from "#atomics"
import { acquiring } from "#src/lock/acquiring.js"
import { mainFlow } from "#src/memory/flow/flow.js"
import { CANCELLED } from "#src/memory/thread/node-pool.js"
import { EXCLUSIVE, QUEUE, SHARED, WaitQueue } from "#src/memory/wait/wait-queue.js"
import { blocking, type Steps } from "#src/memory/flow/waiting.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { explore, type Limits, type Self } from "./explore.ts"
import { awaited, Program } from "./program.ts"
import { assertExplored } from "./support.ts"

const PERMITS = QUEUE.SIZE
const DONE = QUEUE.SIZE + 1
/** The names of those who were let in, as decimal digits. */
const ORDER = QUEUE.SIZE + 2

function setup() {
  const program = new Program("a", "b", "c", "d")
  const words = program.words(QUEUE.SIZE + 3, "words", { ...QUEUE, PERMITS, DONE, ORDER })
  return { program, words }
}
type S = ReturnType<typeof setup>
type Body = (shared: S, self: Self) => void

/** Permits in one word, and the queue beside it. */
class Permits {
  readonly #words: Int32Array
  readonly queue: WaitQueue

  constructor({ program, words }: S, name: string) {
    this.#words = words
    this.queue = new WaitQueue(program.enter(name), words, 0, { isShared: false })
  }

  take(count: number): boolean {
    for (;;) {
      const permits = load(this.#words, PERMITS)
      if (permits < count) return false
      if (compareAndSet(this.#words, PERMITS, permits, permits - count)) return true
    }
  }

  *acquiring(mode: number, priority: number, count: number): Steps<boolean> {
    const attempt = (): boolean => this.take(count)
    return attempt() || (yield* acquiring(this.queue, mainFlow, mode, true, attempt, undefined, priority))
  }

  release(count: number): void {
    add(this.#words, PERMITS, count)
    this.queue.wakeFirst()
  }
}

interface Manner {
  readonly priority?: number
  readonly mode?: number
  readonly count?: number
  readonly ms?: number
}

/** Acquires, counts itself, and releases. */
function visitor(name: string, { priority = 0, mode = SHARED, count = 1, ms = Infinity }: Manner = {}): Body {
  return (shared) => {
    const permits = new Permits(shared, name)
    if (!blocking(permits.acquiring(mode, priority, count), ms)) return
    add(shared.words, DONE, 1)
    permits.release(count)
  }
}

function awaiter(name: string, { priority = 0, mode = SHARED, count = 1 }: Manner = {}): Body {
  return (shared, self) => {
    const permits = new Permits(shared, name)
    awaited(self, permits.acquiring(mode, priority, count), () => {
      add(shared.words, DONE, 1)
      permits.release(count)
    })
  }
}

const giver =
  (name: string, count: number): Body =>
  (shared) =>
    new Permits(shared, name).release(count)

function isAtRest({ words }: S): void {
  for (const word of ["GUARD", "INBOX", "TAKEN", "HEAD", "TAIL", "LENGTH", "WAKE", "SCAN"] as const)
    assert.equal(load(words, QUEUE[word]), 0, word)
}

function check(threads: Record<string, Body>, done: number, permits: number, limits: Limits = {}): void {
  const report = explore({
    setup,
    threads,
    finally: (shared) => {
      isAtRest(shared)
      assert.ok(load(shared.words, DONE) >= done, "too few were let in")
      assert.equal(load(shared.words, PERMITS), permits)
    },
    states: 5_000_000,
    ...limits,
  })
  assertExplored(report, 2000)
}

test("[MQ7] one that comes in before the first leaves no one asleep: all share", () =>
  check({ a: visitor("a"), b: visitor("b", { priority: 1 }), c: giver("c", 1) }, 2, 1, { preemptions: 2 }))

test("[MQ7] one that comes in before the first leaves no one asleep: one at a time", () =>
  check(
    {
      a: visitor("a", { mode: EXCLUSIVE }),
      b: visitor("b", { mode: EXCLUSIVE, priority: 1 }),
      c: giver("c", 1),
    },
    2,
    1,
    { preemptions: 2 },
  ))

test("[MQ7] one that comes in before the first leaves no one asleep: one blocks and one awaits", () =>
  check({ a: awaiter("a"), b: visitor("b", { priority: 1 }), c: giver("c", 1) }, 2, 1, { preemptions: 1 }))

test("[MQ7] those that share and those that do not, in one line", () =>
  check(
    {
      a: visitor("a", { mode: EXCLUSIVE, count: 2 }),
      b: visitor("b", { priority: 1 }),
      c: visitor("c", { priority: -1 }),
      d: giver("d", 2),
    },
    3,
    2,
    { preemptions: 1 },
  ))

test("[MQ7] an urgent one that gives up passes its chance on to the one it had overtaken", () =>
  check({ a: visitor("a"), b: visitor("b", { priority: 1, ms: 1 }), c: giver("c", 1) }, 1, 1, { preemptions: 1 }))

test("[MQ7] one that gives up while it is being overtaken leaves nothing behind", () =>
  check({ a: visitor("a", { ms: 1 }), b: visitor("b", { priority: 1 }), c: giver("c", 1) }, 1, 1, { preemptions: 1 }))

for (const [kind, a, b] of [
  ["the urgent one", visitor("a", { priority: 1 }), visitor("b")],
  ["the one it overtakes", visitor("a"), visitor("b", { priority: 1 })],
  ["an urgent one that would not share", visitor("a", { priority: 1, mode: EXCLUSIVE }), visitor("b")],
] as const) {
  test(`[MQ8] a thread that dies at any step stops no other thread: ${kind}`, () => {
    const report = explore({
      setup,
      threads: { a, b, c: giver("c", 2) },
      kill: "a",
      onKill: ({ program }, name) => program.reap(name),
      // The permits that a dead thread had taken stay taken: there is one more.
      finally: ({ words }, { b: _ }) => assert.ok(load(words, DONE) >= 1),
      preemptions: 1,
      states: 5_000_000,
    })
    assertExplored(report, 10_000)
  })
}

test("[MQ7] one that gives up as the first, just before it is overtaken, is not counted any more", () => {
  const report = explore({
    setup,
    threads: {
      a: (shared: S) => {
        const { queue } = new Permits(shared, "a")
        queue.leave(queue.enter(mainFlow, SHARED, true, 0), CANCELLED)
      },
      // Stays in the queue.
      b: (shared: S) => void new Permits(shared, "b").queue.enter(mainFlow, SHARED, true, 1),
    },
    finally: ({ words }) => assert.equal(load(words, QUEUE.LENGTH), 1),
    preemptions: 3,
    states: 5_000_000,
  })
  assertExplored(report, 500)
})

test("[MQ8] a combiner that dies between the links of a node that overtakes loses no node, and no order", () => {
  const report = explore({
    setup,
    threads: {
      // May link the nodes of the other thread, too, before it dies.
      a: (shared: S) => void new Permits(shared, "a").queue.enter(mainFlow, SHARED, true, 1),
      b: (shared: S) => {
        const { queue } = new Permits(shared, "b")
        const low = queue.enter(mainFlow, SHARED, true, 0)
        const high = queue.enter(mainFlow, SHARED, true, 2)
        if (!queue.isFirst(high)) queue.settle()
        store(shared.words, ORDER, queue.isFirst(high) ? 1 : 2)
        queue.leave(high, CANCELLED)
        // Only the other thread's, if it lives, is before this one.
        const left = queue.waiters().map(({ thread }) => thread)
        assert.deepEqual(left.slice(-1), [shared.program.token("b")])
        assert.ok(left.length <= 2)
        queue.leave(low, CANCELLED)
      },
    },
    kill: "a",
    onKill: ({ program }, name) => program.reap(name),
    finally: ({ words }, { b: _ }) => assert.equal(load(words, ORDER), 1),
    preemptions: 1,
    steps: 3000,
    states: 5_000_000,
  })
  assertExplored(report, 500)
})
