/** The reentrant lock, fair and not: mutual exclusion, order, time limits, interrupts, and death. */
import { add, exchange, load, store } from "#atomics"
import { InterruptedError } from "#src/errors.js"
import { acquiring } from "#src/lock/acquiring.js"
import { LockSync } from "#src/lock/lock-sync.js"
import { ReentrantLock } from "#src/lock/reentrant-lock.js"
import { OWN, STATE } from "#src/lock/synchronizer-base.js"
import { mainFlow } from "#src/memory/flow/flow.js"
import { EXCLUSIVE, QUEUE, WaitQueue } from "#src/memory/wait/wait-queue.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { name, type Self } from "./explore.ts"
import { awaited, Program } from "./program.ts"
import { assertNobodyWaits, check, interruptible, opened, upTo } from "./synchronizers.ts"
import { overMemory } from "../support/over-memory.ts"

/**
 * INSIDE: the token of who is between lock and unlock. DONE: how often somebody was. GRAVE: 1 if a thread died with the lock
 * and nobody had it since.
 */
const NOTES = { INSIDE: 0, DONE: 1, GRAVE: 2, SIZE: 3 } as const

interface Start {
  readonly fair?: boolean
  /** Who has the lock in the beginning. */
  readonly heldBy?: string
}

function setupOf({ fair = false, heldBy }: Start = {}) {
  return () => {
    const program = new Program("a", "b", "c")
    program.enter("a")
    const { words } = LockSync.allocate(fair)
    name(words, "lock", { ...QUEUE, HOLDS: STATE, OWNER: OWN })
    if (heldBy !== undefined) overMemory(ReentrantLock, opened(program, heldBy, words)).lockSync()
    return { program, words, notes: program.words(NOTES.SIZE, "notes", NOTES), flow: interruptible(program, "b") }
  }
}
type S = ReturnType<ReturnType<typeof setupOf>>
type Body = (shared: S, self: Self) => void

function lockOf({ program, words }: S, thread: string): ReentrantLock {
  return overMemory(ReentrantLock, opened(program, thread, words))
}

/** What one does who has the lock: looks whether anybody else is in there, and what became of who was before. */
function visit({ program, notes }: S, lock: ReentrantLock, thread: string): void {
  const other = exchange(notes, NOTES.INSIDE, program.token(thread))
  assert.ok(other === 0 || !program.registry.isAlive(other), "two are inside")
  assert.equal(lock.wasAbandoned, exchange(notes, NOTES.GRAVE, 0) === 1, "the lock was abandoned")
  assert.ok(other === 0 || lock.wasAbandoned, "somebody died inside, and the lock does not say so")
  store(notes, NOTES.INSIDE, 0)
  add(notes, NOTES.DONE, 1)
}

const blocker =
  (thread: string): Body =>
  (shared) => {
    const lock = lockOf(shared, thread)
    lock.lockSync()
    visit(shared, lock, thread)
    lock.unlock()
  }

/** What `lock()` tries while it awaits. */
class Awaitable extends LockSync {
  tryNow(): boolean {
    return this.tryAcquire(1)
  }
}

/** Only for one that is not fair: it does not know that it stands first. */
const awaiter =
  (thread: string): Body =>
  (shared, self) => {
    const memory = shared.program.memory(thread, shared.words)
    const lock = overMemory(ReentrantLock, memory)
    const queue = new WaitQueue(memory.threadContext, memory.words, 0, memory) // the lock's own, at the beginning of its words
    const sync = new Awaitable(memory)
    awaited(
      self,
      acquiring(queue, mainFlow, EXCLUSIVE, false, () => sync.tryNow()),
      () => {
        visit(shared, lock, thread)
        lock.unlock()
      },
    )
  }

/** Gives up if the time is over, which is at any time. */
const impatient =
  (thread: string): Body =>
  (shared) => {
    const lock = lockOf(shared, thread)
    const got = lock.tryLockSync(1)
    assert.equal(lock.isHeldByCurrentThread, got)
    if (!got) return
    visit(shared, lock, thread)
    lock.unlock()
  }

/** Gives back what it has from the beginning. */
const holder =
  (thread: string): Body =>
  (shared) => {
    const lock = lockOf(shared, thread)
    visit(shared, lock, thread)
    lock.unlock()
  }

function isFree(shared: S): void {
  const lock = lockOf(shared, "c")
  assert.equal(lock.isLocked, false)
  assert.equal(lock.hasQueuedThreads, false)
  assert.equal(lock.queueLength, 0)
}

/** The lock is as it was in the beginning, and so many have had it. */
function isUsed(times?: number) {
  return (shared: S): void => {
    isFree(shared)
    assertNobodyWaits(shared.words)
    if (times !== undefined) assert.equal(load(shared.notes, NOTES.DONE), times)
  }
}

/** Before its death is known to anybody: so it still is the holder if it was. */
function reap({ program, words, notes }: S, thread: string): void {
  const holding = new LockSync(program.memory(thread, words)).holder()?.thread
  if (holding === program.token(thread)) store(notes, NOTES.GRAVE, 1)
  program.reap(thread)
}

for (const fair of [false, true]) {
  const kind = fair ? "fair" : "not fair"

  test(`[ML1] two threads that block, ${kind}`, () =>
    check(1_000, {
      setup: setupOf({ fair }),
      threads: { a: blocker("a"), b: blocker("b") },
      finally: isUsed(2),
      ...upTo(3),
    }))

  test(`[ML1] three threads that block, ${kind}`, () =>
    check(1_000, {
      setup: setupOf({ fair }),
      threads: { a: blocker("a"), b: blocker("b"), c: blocker("c") },
      ...upTo(1),
      finally: isUsed(3),
    }))

  test(`[ML3] one that gives up, ${kind}`, () =>
    check(1_000, {
      setup: setupOf({ fair, heldBy: "a" }),
      threads: { a: holder("a"), b: impatient("b"), c: blocker("c") },
      ...upTo(1),
      finally: isUsed(),
    }))

  test(`[ML5] one of two dies, ${kind}`, () =>
    check(1_000, {
      setup: setupOf({ fair }),
      threads: { a: blocker("a"), b: blocker("b") },
      kill: "a",
      onKill: reap,
      finally: isFree,
      ...upTo(2),
    }))

  test(`[ML5] one of three dies, ${kind}`, () =>
    check(1_000, {
      setup: setupOf({ fair }),
      threads: { a: blocker("a"), b: blocker("b"), c: impatient("c") },
      kill: "a",
      onKill: reap,
      ...upTo(0),
      finally: isFree,
    }))
}

test("[ML1] three threads, one of them blocking", () =>
  check(1_000, {
    setup: setupOf(),
    threads: { a: awaiter("a"), b: blocker("b"), c: awaiter("c") },
    ...upTo(1),
    finally: isUsed(3),
  }))

test("[ML2] one that locks twice is inside until it has unlocked twice", () =>
  check(1_000, {
    setup: setupOf(),
    threads: {
      a: (shared: S) => {
        const lock = lockOf(shared, "a")
        lock.lockSync()
        assert.equal(lock.tryLock(), true)
        assert.equal(lock.holdCount, 2)
        lock.unlock()
        visit(shared, lock, "a")
        lock.unlock()
        assert.equal(lock.holdCount, 0)
      },
      b: blocker("b"),
    },
    finally: isUsed(2),
    ...upTo(3),
  }))

test("[ML4] an interrupt at any moment ends the wait, or is still there after it", () =>
  check(1_000, {
    setup: setupOf({ heldBy: "a" }),
    threads: {
      a: holder("a"),
      b: (shared: S) =>
        shared.flow.runInside(() => {
          const lock = lockOf(shared, "b")
          try {
            lock.lockInterruptiblySync()
          } catch (error) {
            if (!(error instanceof InterruptedError)) throw error
            assert.equal(lock.isHeldByCurrentThread, false)
            return
          }
          visit(shared, lock, "b")
          lock.unlock()
        }),
      c: (shared: S) => {
        shared.program.registry.interrupt(shared.program.token("b"))
      },
    },
    finally: (shared) => {
      isUsed()(shared)
      const interrupted = shared.flow.isInterrupted
      assert.equal(load(shared.notes, NOTES.DONE), interrupted ? 2 : 1)
    },
    ...upTo(2),
  }))

test("[ML6] in a fair lock nobody overtakes one who waited before", () =>
  check(1_000, {
    setup: setupOf({ fair: true, heldBy: "a" }),
    threads: {
      a: holder("a"),
      b: blocker("b"),
      c: (shared: S) => {
        const lock = lockOf(shared, "c")
        const late = lock.hasQueuedThreads
        lock.lockSync()
        // Two: the holder, and the one who waited.
        if (late) assert.equal(load(shared.notes, NOTES.DONE), 2)
        visit(shared, lock, "c")
        lock.unlock()
      },
    },
    ...upTo(1),
    finally: isUsed(3),
  }))

test("[ML6] who waits is seen all the while, also on the way into the queue", () =>
  check(100, {
    setup: setupOf({ heldBy: "a" }),
    threads: {
      b: impatient("b"),
      c: (shared: S) => {
        const lock = lockOf(shared, "c")
        if (lock.hasQueuedThreads) assert.ok(lock.hasQueuedThreads)
      },
    },
    timeouts: 0,
  }))

test("[ML6] nor does who had the fair lock last", () =>
  check(1_000, {
    setup: setupOf({ fair: true, heldBy: "a" }),
    threads: {
      a: (shared: S) => {
        const lock = lockOf(shared, "a")
        visit(shared, lock, "a")
        const late = lock.hasQueuedThreads
        lock.unlock()
        lock.lockSync()
        if (late) assert.equal(load(shared.notes, NOTES.DONE), 2)
        visit(shared, lock, "a")
        lock.unlock()
      },
      b: blocker("b"),
    },
    ...upTo(2),
    finally: isUsed(3),
  }))

/** Tells `a` to end, at any moment. */
const condemner: Body = ({ program }) => {
  program.registry.markTerminating(program.token("a"))
}

test("[MM14] one that is told to end has the lock until it gives it back, and stops where it would wait for it", () =>
  check(1_000, {
    setup: setupOf(),
    threads: { a: blocker("a"), b: blocker("b"), c: condemner },
    ...upTo(2),
    finally: (shared) => {
      isFree(shared)
      const isThere = shared.program.registry.isAlive(shared.program.token("a"))
      assert.equal(load(shared.notes, NOTES.DONE), isThere ? 2 : 1)
    },
  }))

test("[MM14] that one dies of it at any step, and nobody else waits for ever", () =>
  check(1_000, {
    setup: setupOf({ heldBy: "a" }),
    threads: { a: holder("a"), b: blocker("b"), c: condemner },
    kill: "a",
    onKill: reap,
    ...upTo(2),
    finally: isFree,
  }))
