/** The read-write lock: readers together, writers alone, downgrading, order, time limits, and death. */
import { load, store } from "#atomics"
import { ReadWriteSync } from "#src/lock/read-write-sync.js"
import { CELL_COUNT, FAIR, MAKER, NUMBER, READ_WRITE_WORDS, STATE, tokenOf } from "#src/lock/read-write-words.js"
import { ReentrantReadWriteLock } from "#src/lock/reentrant-read-write-lock.js"
import { QUEUE } from "#src/memory/wait/wait-queue.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { Program } from "./program.ts"
import { assertNobodyWaits, check, opened, upTo } from "./synchronizers.ts"
import { overMemory } from "../support/over-memory.ts"

/** What each of the threads is doing, and GRAVE: 1 if a thread died writing and no writer has unlocked since. */
const NOTES = { a: 0, b: 1, c: 2, GRAVE: 3, SIZE: 4 } as const
const NAMES = ["a", "b", "c"] as const
type Name = (typeof NAMES)[number]

const OUTSIDE = 0
const READING = 1
const WRITING = 2

function setupOf(fair = false) {
  return () => {
    const program = new Program(...NAMES)
    const words = program.words(READ_WRITE_WORDS, "lock", { ...QUEUE, STATE })
    store(words, FAIR, fair ? 1 : 0)
    store(words, MAKER, program.token("a"))
    store(words, NUMBER, 1)
    return { program, words, notes: program.words(NOTES.SIZE, "notes", NOTES) }
  }
}
type S = ReturnType<ReturnType<typeof setupOf>>
type Body = (shared: S) => void

function lockOf({ program, words }: S, thread: Name): ReentrantReadWriteLock {
  return overMemory(ReentrantReadWriteLock, opened(program, thread, words))
}

/** The thread does this from now on. Looks whether others who live do something that goes not with it. */
function begin({ program, notes }: S, thread: Name, doing: number): void {
  store(notes, NOTES[thread], doing)
  for (const other of NAMES) {
    if (other === thread) continue
    const theirs = load(notes, NOTES[other])
    if (theirs + doing > WRITING) {
      assert.ok(!program.registry.isAlive(program.token(other)), `${other} and ${thread} at the same time`)
    }
  }
}

function read(shared: S, lock: ReentrantReadWriteLock, thread: Name): void {
  begin(shared, thread, READING)
  assert.equal(lock.readLock.wasAbandoned, load(shared.notes, NOTES.GRAVE) === 1)
  store(shared.notes, NOTES[thread], OUTSIDE)
  lock.readLock.unlock()
}

function write(shared: S, lock: ReentrantReadWriteLock, thread: Name): void {
  begin(shared, thread, WRITING)
  assert.equal(lock.writeLock.wasAbandoned, load(shared.notes, NOTES.GRAVE) === 1)
  store(shared.notes, NOTES.GRAVE, 0)
  store(shared.notes, NOTES[thread], OUTSIDE)
  lock.writeLock.unlock()
}

const reader =
  (thread: Name): Body =>
  (shared) => {
    const lock = lockOf(shared, thread)
    lock.readLock.lockSync()
    read(shared, lock, thread)
  }

const writer =
  (thread: Name): Body =>
  (shared) => {
    const lock = lockOf(shared, thread)
    lock.writeLock.lockSync()
    write(shared, lock, thread)
  }

/** Gives up if the time is over, which is at any time. */
const impatientWriter =
  (thread: Name): Body =>
  (shared) => {
    const lock = lockOf(shared, thread)
    const got = lock.writeLock.tryLockSync(1)
    assert.equal(lock.isWriteLockedByCurrentThread, got)
    if (got) write(shared, lock, thread)
  }

/** Writes, and goes on reading. */
const downgrader =
  (thread: Name): Body =>
  (shared) => {
    const lock = lockOf(shared, thread)
    lock.writeLock.lockSync()
    lock.readLock.lockSync()
    write(shared, lock, thread)
    assert.equal(lock.readHoldCount, 1)
    read(shared, lock, thread)
  }

function isFree(shared: S): void {
  const lock = lockOf(shared, "c")
  assert.equal(lock.hasQueuedThreads, false)
  assert.equal(lock.queueLength, 0)
  assert.equal(lock.isWriteLocked, false)
  assert.equal(lock.readLockCount, 0)
  assert.equal(lock.writeLock.tryLock(), true)
}

/** Everything is as it was in the beginning. */
function isUnused(shared: S): void {
  assertNobodyWaits(shared.words)
  assert.equal(load(shared.words, STATE), 0)
  isFree(shared)
}

/** Before its death is known to anybody: so it still is the writer if it was. */
function reap({ program, words, notes }: S, thread: string): void {
  const sync = new ReadWriteSync(program.memory(thread, words), {})
  if (sync.writer()?.thread === program.token(thread)) store(notes, NOTES.GRAVE, 1)
  program.reap(thread)
}

for (const fair of [false, true]) {
  const kind = fair ? "fair" : "not fair"
  const setup = setupOf(fair)

  for (const [who, threads] of Object.entries({
    "a reader and a writer": { a: reader("a"), b: writer("b") },
    "two readers and a writer": { a: reader("a"), b: reader("b"), c: writer("c") },
    "a reader and two writers": { a: writer("a"), b: writer("b"), c: reader("c") },
  })) {
    const limits = upTo(Object.keys(threads).length === 2 ? 3 : 1)
    test(`[ML16] ${who}, ${kind}`, () => check(1_000, { setup, threads, finally: isUnused, ...limits }))
  }

  test(`[ML17] one that goes on reading, a reader and a writer, ${kind}`, () =>
    check(1_000, {
      setup,
      threads: { a: downgrader("a"), b: reader("b"), c: writer("c") },
      ...upTo(1),
      finally: isUnused,
    }))

  test(`[ML18] a writer that gives up between readers, ${kind}`, () =>
    check(1_000, {
      setup,
      threads: { a: reader("a"), b: impatientWriter("b"), c: reader("c") },
      ...upTo(1),
      finally: isUnused,
    }))

  for (const [who, threads] of Object.entries({
    "a reader dies, another one and a writer go on": { a: reader("a"), b: reader("b"), c: writer("c") },
    "a writer dies, another one and a reader go on": { a: writer("a"), b: reader("b"), c: writer("c") },
    "one that goes on reading dies, a reader and a writer go on": {
      a: downgrader("a"),
      b: reader("b"),
      c: writer("c"),
    },
  })) {
    test(`[ML19] ${who}, ${kind}`, () =>
      check(1_000, { setup, threads, kill: "a", onKill: reap, finally: isFree, ...upTo(0) }))
  }
}

/** With room for just one more thread that reads. */
function crowded(): S {
  const shared = setupOf()()
  const { program, words } = shared
  const free = program.token("a") % CELL_COUNT // where that one looks first
  let state = 0
  for (let cell = 0; cell < CELL_COUNT; cell++) {
    if (cell === free) continue
    store(words, tokenOf(cell), program.token("c"))
    state |= 1 << cell
  }
  store(words, STATE, state)
  return shared
}

for (const kill of [[], ["a"]] satisfies "a"[][]) {
  test(`[ML20] two readers and one place${kill.length === 0 ? "" : ", one dies"}`, () =>
    check(1_000, {
      setup: crowded,
      threads: { a: reader("a"), b: reader("b") },
      kill,
      ...upTo(1),
      finally: (shared) => assert.equal(lockOf(shared, "c").hasQueuedThreads, false),
    }))
}
