/** The wait queue and the one algorithm that acquires, with a lock of a single word, or permits in one. */
import { add, compareAndSet, load, store } from "#atomics"
import { acquiring } from "#src/lock/acquiring.js"
import { mainFlow } from "#src/memory/flow/flow.js"
import { EXCLUSIVE, QUEUE, SHARED, WaitQueue } from "#src/memory/wait/wait-queue.js"
import { blocking, type Steps } from "#src/memory/flow/waiting.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { explore, type Limits, type Self } from "./explore.ts"
import { awaited, Program } from "./program.ts"
import { assertExplored } from "./support.ts"

/** 0, or the token of the thread that holds it. */
const OWNER = QUEUE.SIZE
const PERMITS = QUEUE.SIZE + 1
const DONE = QUEUE.SIZE + 2

const NAMES = ["a", "b", "c"]

function setup(permits = 0) {
  const program = new Program(...NAMES)
  const words = program.words(QUEUE.SIZE + 3, "words", { ...QUEUE, OWNER, PERMITS, DONE })
  store(words, PERMITS, permits)
  return { program, words }
}
type S = ReturnType<typeof setup>

class Mutex {
  readonly #program: Program
  readonly #words: Int32Array
  readonly #token: number
  readonly queue: WaitQueue

  constructor({ program, words }: S, name: string) {
    this.#program = program
    this.#words = words
    this.#token = program.token(name)
    this.queue = new WaitQueue(program.enter(name), words, 0, { isShared: false })
  }

  /** Takes it if it is free, or if its owner is dead. */
  tryLock(): boolean {
    if (compareAndSet(this.#words, OWNER, 0, this.#token)) return true
    const owner = load(this.#words, OWNER)
    if (owner === 0 || this.#program.registry.isAlive(owner)) return false
    return compareAndSet(this.#words, OWNER, owner, this.#token)
  }

  *locking(priority = 0): Steps<boolean> {
    const attempt = (): boolean => this.tryLock()
    return attempt() || (yield* acquiring(this.queue, mainFlow, EXCLUSIVE, true, attempt, undefined, priority))
  }

  unlock(): void {
    assert.equal(load(this.#words, OWNER), this.#token, "somebody else has it")
    add(this.#words, DONE, 1)
    store(this.#words, OWNER, 0)
    this.queue.wakeFirst()
  }
}

type Body = (shared: S, self: Self) => void

const blocker =
  (name: string): Body =>
  (shared) => {
    const mutex = new Mutex(shared, name)
    blocking(mutex.locking())
    mutex.unlock()
  }

const awaiter =
  (name: string): Body =>
  (shared, self) => {
    const mutex = new Mutex(shared, name)
    awaited(self, mutex.locking(), () => mutex.unlock())
  }

/** Gives up if the time is over, which is at any time. */
const impatient =
  (name: string): Body =>
  (shared) => {
    const mutex = new Mutex(shared, name)
    if (blocking(mutex.locking(), 1)) mutex.unlock()
  }

function isEmptyAtTheEnd({ words }: S): void {
  for (const word of ["GUARD", "INBOX", "TAKEN", "HEAD", "LENGTH", "WAKE"] as const)
    assert.equal(load(words, QUEUE[word]), 0, word)
  assert.equal(load(words, OWNER), 0)
}

function check(threads: Record<string, Body>, atLeast: number, limits: Limits = {}): void {
  const report = explore({ setup, threads, finally: isEmptyAtTheEnd, states: 5_000_000, ...limits })
  assertExplored(report, atLeast)
}

test("[MQ1] two threads that block each get the lock", () => check({ a: blocker("a"), b: blocker("b") }, 5_000))

test("[MQ1] two threads that await each get the lock", () => check({ a: awaiter("a"), b: awaiter("b") }, 5_000))

test("[MQ1] one that blocks and one that awaits", () => check({ a: blocker("a"), b: awaiter("b") }, 5_000))

test("[MQ1] three threads, two of them waiting", () =>
  check({ a: blocker("a"), b: blocker("b"), c: awaiter("c") }, 5_000, { preemptions: 2 }))

test("[MQ2] one that gives up passes on the wake-up it may have got", () =>
  check({ a: blocker("a"), b: impatient("b"), c: blocker("c") }, 5_000, { preemptions: 2 }))

test("[MQ2] one that gives up leaves no trace", () => check({ a: blocker("a"), b: impatient("b") }, 5_000))

for (const [names, threads] of [
  ["both blocking", { a: blocker("a"), b: blocker("b") }],
  ["both awaiting", { a: awaiter("a"), b: awaiter("b") }],
] as const) {
  test(`[MQ3] a thread that dies at any step, holding or waiting or tending, stops nobody: ${names}`, () => {
    const report = explore({
      setup,
      threads,
      kill: "a",
      onKill: ({ program }, name) => program.reap(name),
      finally: ({ words }, { b: _ }) => assert.ok(load(words, DONE) >= 1),
      states: 5_000_000,
    })
    assertExplored(report, 10_000)
  })
}

test("[MQ3] a death among three", () => {
  const report = explore({
    setup,
    threads: { a: blocker("a"), b: blocker("b"), c: blocker("c") },
    kill: ["a", "b"],
    onKill: ({ program }, name) => program.reap(name),
    preemptions: 1,
    states: 5_000_000,
  })
  assertExplored(report, 10_000)
})

test("[MQ3] a tender that dies with the nodes of others in its hands loses none of them", () => {
  const report = explore({
    setup: () => {
      const shared = setup()
      store(shared.words, OWNER, shared.program.token("a"))
      return shared
    },
    threads: {
      // It has the lock from the beginning, so that the others meet in the queue.
      a: (shared: S) => new Mutex(shared, "a").unlock(),
      b: blocker("b"),
      c: blocker("c"),
    },
    kill: "b",
    onKill: ({ program }, name) => program.reap(name),
    preemptions: 1,
    states: 5_000_000,
  })
  assertExplored(report, 5_000)
})

/** A semaphore. */
function acquire(name: string) {
  return (shared: S): void => {
    const { program, words } = shared
    const queue = new WaitQueue(program.enter(name), words, 0, { isShared: false })
    const attempt = (): boolean => {
      for (;;) {
        const permits = load(words, PERMITS)
        if (permits === 0) return false
        if (compareAndSet(words, PERMITS, permits, permits - 1)) return true
      }
    }
    if (!attempt()) blocking(acquiring(queue, mainFlow, SHARED, true, attempt))
  }
}

test("[MQ4] two permits at once reach two who wait: the first passes the wake-up on", () => {
  const report = explore({
    setup,
    threads: {
      a: acquire("a"),
      b: acquire("b"),
      c: ({ program, words }) => {
        const queue = new WaitQueue(program.enter("c"), words, 0, { isShared: false })
        add(words, PERMITS, 2)
        queue.wakeFirst()
      },
    },
    finally: isEmptyAtTheEnd,
    preemptions: 2,
    states: 5_000_000,
  })
  assertExplored(report, 5_000)
})

test("[MQ5] who looks at the queue, or settles it, disturbs nobody", () => {
  const report = explore({
    setup,
    threads: {
      a: blocker("a"),
      b: blocker("b"),
      c: (shared: S) => assert.ok(new Mutex(shared, "c").queue.waiters().length <= 2),
    },
    finally: isEmptyAtTheEnd,
    preemptions: 2,
    states: 5_000_000,
  })
  assertExplored(report, 5_000)
})
