/** Synchronizers as a user makes them of AbstractQueuedSynchronizer: exclusive, shared, both, and with a condition. */
import { CONDITION_AT } from "#src/lock/internals.js"
import { add, load, read, write } from "#atomics"
import { AbstractQueuedSynchronizer } from "#src/lock/abstract-queued-synchronizer.js"
import { type Condition, CONDITION_WORDS } from "#src/lock/condition.js"
import { OWN, STATE } from "#src/lock/synchronizer-base.js"
import type { SharedMemory } from "#src/memory/shared/shared-memory.js"
import { QUEUE } from "#src/memory/wait/wait-queue.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { Program } from "./program.ts"
import { assertNobodyWaits, check, opened, upTo } from "./synchronizers.ts"
import { overMemory } from "../support/over-memory.ts"

/** For one alone, or for many together. The state: 0, how many there are, or −1 if it is one alone. */
class Room extends AbstractQueuedSynchronizer {
  protected override tryAcquire(): boolean {
    return this.compareAndSetState(0, -1)
  }

  protected override tryRelease(): boolean {
    this.state = 0
    return true
  }

  protected override isHeldExclusively(): boolean {
    return this.state === -1
  }

  protected override tryAcquireShared(): number {
    for (;;) {
      const { state } = this
      if (state < 0) return -1
      if (this.compareAndSetState(state, state + 1)) return 1
    }
  }

  protected override tryReleaseShared(): boolean {
    for (;;) {
      const { state } = this
      if (this.compareAndSetState(state, state - 1)) return state === 1
    }
  }
}

/** The same, and nobody overtakes those who wait. */
class FairRoom extends Room {
  protected override tryAcquire(): boolean {
    return !this.hasQueuedPredecessors() && super.tryAcquire()
  }

  protected override tryAcquireShared(): number {
    return this.hasQueuedPredecessors() ? -1 : super.tryAcquireShared()
  }
}

/** INSIDE: who is in there, one alone counts a hundred. VISITS: how many were. FLAG: what is waited for. */
const NOTES = { INSIDE: 0, VISITS: 1, FLAG: 2, SIZE: 3 } as const
const ALONE = 100

function setup() {
  const program = new Program("a", "b", "c")
  const words = program.words(OWN + CONDITION_WORDS, "room", { ...QUEUE, STATE, FIRST: OWN })
  return { program, words, notes: program.words(NOTES.SIZE, "notes", NOTES) }
}
type S = ReturnType<typeof setup>
type Body = (shared: S) => void

type Kind = typeof Room

function visit({ notes }: S, weight: number): void {
  const others = add(notes, NOTES.INSIDE, weight)
  if (weight === ALONE) assert.equal(others, 0, "not alone")
  else assert.ok(others < ALONE, "another one wanted to be alone")
  add(notes, NOTES.INSIDE, -weight)
  add(notes, NOTES.VISITS, 1)
}

const alone =
  (thread: string, kind: Kind = Room): Body =>
  (shared) => {
    const room = overMemory(kind, opened(shared.program, thread, shared.words))
    room.acquireSync(1)
    visit(shared, ALONE)
    room.release(1)
  }

/** Gives up if the time is over. */
const impatient =
  (thread: string, kind: Kind = Room): Body =>
  (shared) => {
    const room = overMemory(kind, opened(shared.program, thread, shared.words))
    if (!room.tryAcquireWithinSync(1, 1)) return
    visit(shared, ALONE)
    room.release(1)
  }

const together =
  (thread: string, kind: Kind = Room): Body =>
  (shared) => {
    const room = overMemory(kind, opened(shared.program, thread, shared.words))
    room.acquireSharedSync(1)
    visit(shared, 1)
    room.releaseShared(1)
  }

const impatientTogether =
  (thread: string): Body =>
  (shared) => {
    const room = overMemory(Room, opened(shared.program, thread, shared.words))
    if (!room.tryAcquireSharedWithinSync(1, 1)) return
    visit(shared, 1)
    room.releaseShared(1)
  }

function isEmpty(visits?: number) {
  return ({ words, notes }: S): void => {
    assertNobodyWaits(words)
    assert.equal(load(words, STATE), 0)
    if (visits !== undefined) assert.equal(load(notes, NOTES.VISITS), visits)
  }
}

for (const kind of [Room, FairRoom]) {
  const depth = kind === Room ? 2 : 1
  const threads = {
    "two alone": { a: alone("a", kind), b: alone("b", kind) },
    "one alone and one with others": { a: alone("a", kind), b: together("b", kind) },
    "one alone and two together": { a: alone("a", kind), b: together("b", kind), c: together("c", kind) },
    "two alone and one with others": { a: alone("a", kind), b: alone("b", kind), c: together("c", kind) },
  }
  for (const [who, bodies] of Object.entries(threads)) {
    const count = Object.keys(bodies).length
    test(`[ML12] ${who}, in a ${kind.name}`, () =>
      check(3_000, {
        setup,
        threads: bodies,
        finally: isEmpty(count),
        ...upTo(count === 2 ? 3 : depth),
      }))
  }

  test(`[ML13] one who gives up lets those behind it go on, in a ${kind.name}`, () =>
    check(3_000, {
      setup,
      threads: { a: together("a", kind), b: impatient("b", kind), c: together("c", kind) },
      finally: isEmpty(),
      ...upTo(depth),
    }))
}

test("[ML14] one who dies stops nobody, but what it had stays taken", () =>
  check(3_000, {
    setup,
    threads: { a: alone("a"), b: impatientTogether("b"), c: impatient("c") },
    kill: "a",
    timeouts: 0, // so that they give up only if there is no hope
    finally: ({ words, notes }) => {
      if (load(words, STATE) === 0) assert.ok(load(notes, NOTES.VISITS) >= 2, "somebody did not get in")
      else assert.equal(load(words, STATE), -1)
    },
    ...upTo(0),
  }))

/** Not for users of the library, so not in its declarations. */
interface Monitor extends Room {
  [CONDITION_AT](memory: SharedMemory, base: number): Condition
}

test("[ML15] a condition of it", () => {
  const monitor = ({ program, words }: S, thread: string): { room: Room; condition: Condition } => {
    const memory = opened(program, thread, words)
    const plain: unknown = overMemory(Room, memory)
    const room = plain as Monitor
    return { room, condition: room[CONDITION_AT](memory, OWN) }
  }
  const waiter =
    (thread: string): Body =>
    (shared) => {
      const { room, condition } = monitor(shared, thread)
      room.acquireSync(1)
      while (read(shared.notes, NOTES.FLAG) === 0) condition.awaitSync()
      visit(shared, ALONE)
      room.release(1)
    }
  check(3_000, {
    setup,
    threads: {
      a: waiter("a"),
      b: waiter("b"),
      c: (shared: S) => {
        const { room, condition } = monitor(shared, "c")
        room.acquireSync(1)
        write(shared.notes, NOTES.FLAG, 1)
        condition.signalAll()
        room.release(1)
      },
    },
    finally: isEmpty(2),
    ...upTo(1),
  })
})
