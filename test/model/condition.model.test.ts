/** Conditions of a lock: signals that meet time-outs, interrupts, and deaths of those who wait, signal or hold the lock. */
import { add, load, read, store, write } from "#atomics"
import { InterruptedError } from "#src/errors.js"
import { type Condition, CONDITION_WORDS } from "#src/lock/condition.js"
import { LOCK_WORDS, LockSync } from "#src/lock/lock-sync.js"
import { OWN, STATE } from "#src/lock/synchronizer-base.js"
import type { SharedMemory } from "#src/memory/shared-memory.js"
import { QUEUE } from "#src/memory/wait-queue.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { name } from "./explore.ts"
import { Program } from "./program.ts"
import { assertNobodyWaits, check, interruptible, opened, PREEMPTIONS } from "./synchronizers.ts"

/**
 * FLAG: what is waited for. CAME: how many have begun to wait; WENT: how many have come back. SIGNALLED: how many of them
 * because of a signal. All but the last are touched under the lock only.
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
  conditionAt(memory: SharedMemory, base: number): Condition
}

function monitor({ program, words }: S, thread: string): { lock: LockSync; condition: Condition } {
  const memory = opened(program, thread, words)
  const lock = new LockSync(memory) as Monitor
  return { lock, condition: lock.conditionAt(memory, LOCK_WORDS) }
}

/** Waits for the flag, or until it can never come, as every user of a condition does; and tells the next one. */
const waiter =
  (thread: string, signaller = ""): Body =>
  (shared) => {
    const { program, notes } = shared
    const { lock, condition } = monitor(shared, thread)
    lock.acquireSync(1)
    while (read(notes, NOTES.FLAG) === 0) {
      if (signaller !== "" && !program.space.isAlive(program.token(signaller))) break
      condition.awaitSync()
      assert.ok(lock.isHeld)
    }
    condition.signal()
    lock.release(1)
  }

const signaller =
  (thread: string, how: "signal" | "signalAll"): Body =>
  (shared) => {
    const { lock, condition } = monitor(shared, thread)
    lock.acquireSync(1)
    write(shared.notes, NOTES.FLAG, 1)
    condition[how]()
    lock.release(1)
  }

/** Waits once, and for so long at most. */
const once =
  (thread: string, ms: number): Body =>
  (shared) => {
    const { notes } = shared
    const { lock, condition } = monitor(shared, thread)
    lock.acquireSync(1)
    write(notes, NOTES.CAME, read(notes, NOTES.CAME) + 1)
    if (condition.awaitSync(ms)) add(notes, NOTES.SIGNALLED, 1)
    write(notes, NOTES.WENT, read(notes, NOTES.WENT) + 1)
    lock.release(1)
  }

/** Signals once, and notes how many were there. */
const signalOnce: Body = (shared) => {
  const { lock, condition } = monitor(shared, "c")
  lock.acquireSync(1)
  write(shared.notes, NOTES.FLAG, read(shared.notes, NOTES.CAME) - read(shared.notes, NOTES.WENT))
  condition.signal()
  lock.release(1)
}

function isQuiet(shared: S): void {
  const { lock, condition } = monitor(shared, "c")
  assert.equal(lock.isLocked, false)
  assert.equal(lock.hasQueuedThreads, false)
  assert.equal(lock.queueLength, 0)
  lock.acquireSync(1)
  assert.equal(condition.hasWaiters, false)
}

function isUnused(shared: S): void {
  assertNobodyWaits(shared.words)
  assert.equal(load(shared.words, LOCK_WORDS), 0, "somebody is left in the list of the condition")
  isQuiet(shared)
}

for (const how of ["signal", "signalAll"] as const) {
  test(`[ML7] one waits and one signals: ${how}`, () =>
    check(500, { setup, threads: { a: waiter("a"), c: signaller("c", how) }, finally: isUnused }))

  test(`[ML7] two wait and one signals: ${how}`, () =>
    check(500, {
      setup,
      threads: { a: waiter("a"), b: waiter("b"), c: signaller("c", how) },
      preemptions: PREEMPTIONS,
      finally: isUnused,
    }))

  test(`[ML10] one who waits dies, and another one waits on: ${how}`, () =>
    check(500, {
      setup,
      threads: { a: waiter("a"), b: waiter("b"), c: signaller("c", how) },
      kill: "a",
      preemptions: 0,
      finally: isQuiet,
    }))
}

test("[ML9] one who signals dies: signal", () =>
  check(500, {
    setup,
    threads: { a: waiter("a", "c"), b: waiter("b", "c"), c: signaller("c", "signal") },
    kill: "c",
    preemptions: 0,
    finally: isQuiet,
  }))
