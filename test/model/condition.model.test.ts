/** Conditions of a lock: signals that meet time-outs, interrupts, and deaths of those who wait, signal or hold the lock. */
import { CONDITION_AT } from "#src/lock/internals.js"
import { load, read, write } from "#atomics"
import { InterruptedError } from "#src/errors.js"
import { type Condition, CONDITION_WORDS } from "#src/lock/condition.js"
import { LOCK_WORDS, LockSync } from "#src/lock/lock-sync.js"
import { OWN, STATE } from "#src/lock/synchronizer-base.js"
import { currentFlow } from "#src/memory/flow/flow.js"
import type { SharedMemory } from "#src/memory/shared/shared-memory.js"
import { QUEUE } from "#src/memory/wait/wait-queue.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { name } from "./explore.ts"
import { Program } from "./program.ts"
import { assertNobodyWaits, check, interruptible, opened, upTo } from "./synchronizers.ts"

/**
 * All of them are touched under the lock only. FLAG: what is waited for, or how many waited when there was a signal. CAME:
 * how many have begun to wait; WENT: how many have come back, SIGNALLED: because of a signal.
 */
const NOTES = { FLAG: 0, CAME: 1, WENT: 2, SIGNALLED: 3, SIZE: 4 } as const

function setup() {
  const program = new Program("a", "b", "c")
  program.enter("a")
  const { words } = LockSync.allocate(false, CONDITION_WORDS)
  name(words, "lock", { ...QUEUE, HOLDS: STATE, OWNER: OWN, FIRST: LOCK_WORDS, LAST: LOCK_WORDS + 1 })
  return { program, words, notes: program.words(NOTES.SIZE, "notes", NOTES), flow: interruptible(program, "b") }
}
type S = ReturnType<typeof setup>
type Body = (shared: S) => void

/** Not for users of the library, so not in its declarations. */
interface Monitor extends LockSync {
  [CONDITION_AT](memory: SharedMemory, base: number): Condition
}

function monitor({ program, words }: S, thread: string): { lock: LockSync; condition: Condition } {
  const memory = opened(program, thread, words)
  const sync: unknown = new LockSync(memory)
  const lock = sync as Monitor
  return { lock, condition: lock[CONDITION_AT](memory, LOCK_WORDS) }
}

function count({ notes }: S, note: number): number {
  const before = read(notes, note)
  write(notes, note, before + 1)
  return before
}

/** Waits for the flag, as every user of a condition does, and tells the next one. After a signaller's death it gives up. */
const waiter =
  (thread: string, signaller = ""): Body =>
  (shared) => {
    const { program, notes } = shared
    const { lock, condition } = monitor(shared, thread)
    lock.acquireSync(1)
    while (read(notes, NOTES.FLAG) === 0) {
      if (signaller !== "" && !program.registry.isAlive(program.token(signaller))) break
      condition.awaitSync()
      assert.ok(lock.isHeld)
    }
    condition.signal()
    lock.unlock(currentFlow())
  }

const signaller =
  (how: "signal" | "signalAll"): Body =>
  (shared) => {
    const { lock, condition } = monitor(shared, "c")
    lock.acquireSync(1)
    write(shared.notes, NOTES.FLAG, 1)
    condition[how]()
    lock.unlock(currentFlow())
  }

/** Waits once, for so long at most, whatever it is for. */
const once =
  (thread: string, ms: number, holds = 1): Body =>
  (shared) => {
    const { lock, condition } = monitor(shared, thread)
    lock.acquireSync(holds)
    count(shared, NOTES.CAME)
    try {
      if (condition.awaitSync(ms)) count(shared, NOTES.SIGNALLED)
    } catch (error) {
      if (!(error instanceof InterruptedError)) throw error
    }
    assert.equal(lock.holds, holds)
    count(shared, NOTES.WENT)
    for (let left = holds; left > 0; left--) lock.unlock(currentFlow())
  }

/** As `once`, and others can interrupt it. */
const interruptibly: Body = (shared) => shared.flow.runInside(() => once("b", Infinity)(shared))

function interrupt({ program }: S): void {
  program.registry.interrupt(program.token("b"))
}

/** Signals once, and notes how many were there: if two, then one of them has to get it. */
const signalOnce: Body = (shared) => {
  const { notes } = shared
  const { lock, condition } = monitor(shared, "c")
  lock.acquireSync(1)
  write(notes, NOTES.FLAG, read(notes, NOTES.CAME) - read(notes, NOTES.WENT))
  condition.signal()
  lock.unlock(currentFlow())
}

function isQuiet(shared: S): void {
  const { lock, condition } = monitor(shared, "c")
  assert.equal(lock.isLocked, false)
  assert.equal(lock.hasQueuedThreads, false)
  assert.equal(lock.queueLength, 0)
  lock.acquireSync(1)
  assert.equal(condition.hasWaiters, false)
}

/** Everything is as it was in the beginning. */
function isUnused(shared: S): void {
  assertNobodyWaits(shared.words)
  assert.equal(load(shared.words, LOCK_WORDS), 0, "somebody is left in the list of the condition")
  isQuiet(shared)
}

function isNotLost(shared: S): void {
  isUnused(shared)
  const [there, signalled] = [load(shared.notes, NOTES.FLAG), load(shared.notes, NOTES.SIGNALLED)]
  if (there === 2) assert.equal(signalled, 1, "the signal got lost, or became two")
  else assert.ok(signalled <= there)
}

for (const how of ["signal", "signalAll"] as const) {
  test(`[ML7] one waits and one signals: ${how}`, () =>
    check(5_000, { setup, threads: { a: waiter("a"), c: signaller(how) }, finally: isUnused, ...upTo(2) }))

  test(`[ML7] two wait and one signals: ${how}`, () =>
    check(5_000, {
      setup,
      threads: { a: waiter("a"), b: waiter("b"), c: signaller(how) },
      finally: isUnused,
      ...upTo(1),
    }))

  test(`[ML11] one who waits dies, and another one waits on: ${how}`, () =>
    check(5_000, {
      setup,
      threads: { a: waiter("a"), b: waiter("b"), c: signaller(how) },
      kill: "a",
      finally: isQuiet,
      ...upTo(0),
    }))

  test(`[ML11] one who signals dies: ${how}`, () =>
    check(5_000, {
      setup,
      threads: { a: waiter("a", "c"), b: waiter("b", "c"), c: signaller(how) },
      kill: "c",
      finally: isQuiet,
      ...upTo(0),
    }))
}

test("[ML11] one dies while it is signalled, and somebody sees to the queue in between", () =>
  check(5_000, {
    setup,
    threads: {
      a: once("a", 1),
      b: (shared: S) => void monitor(shared, "b").lock.hasQueuedThreads,
      c: signaller("signal"),
    },
    kill: "a",
    killAtWrites: false,
    timeouts: 0,
    finally: isQuiet,
    ...upTo(1),
  }))

test("[ML8] one gives up while it is signalled", () =>
  check(5_000, { setup, threads: { a: once("a", 1), c: signalOnce }, finally: isNotLost, ...upTo(2), timeouts: 1 }))

test("[ML8] one of two gives up while it is signalled: then the other one is", () =>
  check(5_000, {
    setup,
    threads: { a: once("a", 1), b: once("b", 1), c: signalOnce },
    timeouts: 1,
    finally: isNotLost,
    ...upTo(1),
  }))

test("[ML8] one is interrupted while it is signalled, and hears of both or of the first", () =>
  check(5_000, {
    setup,
    threads: { a: interrupt, b: interruptibly, c: signalOnce },
    finally: (shared) => {
      isNotLost(shared)
      assert.equal(shared.flow.isInterrupted, load(shared.notes, NOTES.SIGNALLED) === 1)
    },
    ...upTo(1),
  }))

test("[ML8] one of two is interrupted while it is signalled: then the other one is", () =>
  check(5_000, {
    setup,
    threads: {
      a: once("a", 1),
      b: interruptibly,
      c: (shared: S) => {
        interrupt(shared)
        signalOnce(shared)
      },
    },
    timeouts: 0,
    finally: isNotLost,
    ...upTo(1),
  }))

test("[ML9] those who are signalled come back in the order in which they came", () => {
  const inTurn =
    (thread: string): Body =>
    (shared) => {
      const { lock, condition } = monitor(shared, thread)
      lock.acquireSync(1)
      const turn = count(shared, NOTES.CAME)
      while (read(shared.notes, NOTES.FLAG) === 0) condition.awaitSync()
      if (turn < read(shared.notes, NOTES.FLAG)) assert.equal(count(shared, NOTES.WENT), turn)
      lock.unlock(currentFlow())
    }
  check(5_000, {
    setup,
    threads: {
      a: inTurn("a"),
      b: inTurn("b"),
      c: (shared: S) => {
        const { lock, condition } = monitor(shared, "c")
        lock.acquireSync(1)
        write(shared.notes, NOTES.FLAG, Math.max(1, read(shared.notes, NOTES.CAME)))
        condition.signalAll()
        lock.unlock(currentFlow())
      },
    },
    finally: isUnused,
    ...upTo(1),
  })
})

test("[ML10] one who holds the lock twice gives it up entirely, and has it back twice", () =>
  check(5_000, { setup, threads: { a: once("a", 1, 2), c: signalOnce }, finally: isNotLost, ...upTo(2), timeouts: 0 }))
