/**
 * The shared form of queues: all interleavings of two threads that meet in one, and a death at any step. Rule ids are those
 * of docs/spec/shared-queue.md.
 */
import { load, store } from "#atomics"
import { LOCK_WORDS } from "#src/lock/lock-sync.js"
import { ByteStore } from "#src/memory/structures/byte-store.js"
import { mainFlow } from "#src/memory/flow/flow.js"
import { GrowingWords } from "#src/memory/growing-words.js"
import { HEAP } from "#src/memory/structures/indexed-heap.js"
import { MemoryRecord } from "#src/memory/record.js"
import { blocking } from "#src/memory/flow/waiting.js"
import { naturalOrder } from "#src/queue/local/order.js"
import { CONTROL, CONTROL_BASE, LIST, MORE_WORDS } from "#src/queue/shared/shared-layout.js"
import { SharedQueue } from "#src/queue/shared/shared-queue.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { explore, type Limits } from "./explore.ts"
import { Program } from "./program.ts"
import { assertExplored } from "./support.ts"

type Queue = SharedQueue<number | string>

const CELLS = 40
const ROOM = CELLS - 1
/** Takes three cells. */
const LONG = "a string that does not fit into a cell, nor into the one after it, but needs a third one as well"

/** A queue with these elements, in the order in which they come or in their natural order. */
function setup(capacity: number, elements: readonly (number | string)[] = [], isOrdered = false) {
  const program = new Program("a", "b", "c")
  const words = program.words(LOCK_WORDS + MORE_WORDS, "queue")
  const cells = program.words(CELLS * 16, "cells").buffer as SharedArrayBuffer
  const entries = program.words(HEAP.ENTRIES + CELLS, "entries").buffer as SharedArrayBuffer
  const notes = program.words(1, "notes")
  const shared = { program, words, cells, entries: isOrdered ? entries : undefined, notes }
  SharedQueue.prepare(program.memory("a", words), { capacity })
  const queue = open(shared, "a")
  for (const e of elements) assert.ok(queue.insert(e, "last"))
  return shared
}
type S = ReturnType<typeof setup>

function open({ program, words, cells, entries }: S, thread: string): Queue {
  const memory = program.memory(thread, words)
  const form = { type: "model", memory, cells: GrowingWords.over(cells), spins: 0 }
  if (entries === undefined) return new SharedQueue(form)
  return new SharedQueue({ ...form, entries: GrowingWords.over(entries), ordering: naturalOrder })
}

/** Free cells. */
function room({ words, cells }: S): number {
  return new ByteStore(GrowingWords.over(cells), new MemoryRecord(words, CONTROL_BASE + CONTROL.STORE)).room
}

function size({ words }: S): number {
  return load(words, CONTROL_BASE + CONTROL.ITEMS + LIST.COUNT)
}

/** Everything works, and when all is out nothing is left behind. */
function examine(shared: S, queue: Queue): void {
  assert.equal(queue.insert(shared.entries === undefined ? "new" : 5, "last"), !queue.isClosed)
  while (queue.extract("last") !== undefined);
  assert.equal(queue.size, 0)
  assert.equal(room(shared), ROOM)
}

// ------------------------------------------------------------------ a death in the middle of one operation

/** Lets a thread die at any step of an operation, and looks what is in the queue then: as before, or as after. */
function dieIn(
  before: readonly (number | string)[],
  after: readonly unknown[][],
  operation: (queue: Queue) => void,
  isOrdered = false,
): void {
  const found = new Set<string>()
  const report = explore({
    setup: () => setup(5, before, isOrdered),
    threads: { a: (shared) => operation(open(shared, "a")) },
    kill: "a",
    onKill: (shared) => {
      shared.program.reap("a")
      const queue = open(shared, "b")
      const elements = queue.toArray()
      found.add(JSON.stringify(isOrdered ? elements.sort(naturalOrder) : elements))
      examine(shared, queue)
    },
    steps: 20_000,
  })
  assertExplored(report, 10)
  const expected = [before, ...after].map((elements) => JSON.stringify(elements))
  assert.deepEqual([...found].sort(), [...new Set(expected)].sort())
}

test("[TQ18][TQ19] who dies while it inserts has inserted or not", () => {
  dieIn([1, 2], [[1, 2, 3]], (queue) => queue.insert(3, "last"))
  dieIn([1, LONG], [[0, 1, LONG]], (queue) => queue.insert(0, "first"))
  dieIn([1], [[1, LONG]], (queue) => queue.insert(LONG, "last"))
})

test("[TQ18][TQ19] who dies while it takes has taken or not", () => {
  dieIn([1, 2, 3], [[2, 3]], (queue) => queue.extract("first"))
  dieIn([LONG], [[]], (queue) => queue.extract("last"))
})

test("[TQ18][TQ19] who dies while it changes a queue with an order has changed it or not", () => {
  dieIn([1, 3, 4], [[1, 2, 3, 4]], (queue) => queue.insert(2, "last"), true)
  dieIn([1, 2, 3, 4], [[2, 3, 4]], (queue) => queue.extract("first"), true)
  dieIn([1, 2, 3, 4], [[1, 3, 4]], (queue) => queue.removeWhere((e) => e === 2), true)
})

test("[TQ18][TQ19] who dies while it removes has removed some", () => {
  dieIn([1, LONG, 3], [[1, 3]], (queue) => queue.removeWhere((e) => e === LONG))
  dieIn([1, 2], [[2], []], (queue) => queue.clear())
  dieIn([1, LONG], [[LONG], []], (queue) => queue.drain(() => undefined, 2))
})

test("[TQ18][TQ19] who dies while it puts back what nobody wants has put it back or not", () => {
  const refusal = new Error("not this one")
  dieIn([1, 2], [[2]], (queue) => {
    try {
      queue.drain(() => {
        throw refusal
      }, 1)
    } catch (error) {
      if (error !== refusal) throw error // the checker's
    }
  })
})

test("[TQ18][TQ19] who dies while it closes has closed or not", () =>
  dieIn([1], [[]], (queue) => {
    queue.close()
    queue.extract("first")
  }))

// ------------------------------------------------------------------ two that meet

type Body = (shared: S) => unknown

function meet(before: () => S, threads: Record<string, Body>, atLeast: number, limits: Limits = {}): void {
  const report = explore({
    setup: before,
    threads,
    finally: (shared) => assert.equal(room(shared), ROOM - size(shared)),
    states: 5_000_000,
    ...limits,
  })
  assertExplored(report, atLeast)
}

const take =
  (name: string, count: number): Body =>
  (shared) => {
    const queue = open(shared, name)
    return Array.from({ length: count }, () => queue.extract("first") ?? blocking(queue.taking("first", mainFlow)))
  }

const put =
  (name: string, ...elements: number[]): Body =>
  (shared) => {
    const queue = open(shared, name)
    for (const e of elements) assert.ok(queue.insert(e, "last") || blocking(queue.inserting(e, "last", mainFlow)))
  }

test("[TQ15] what one thread puts the other takes, whoever waits for whom", () => {
  for (const capacity of [1, 0]) {
    const report = explore({
      setup: () => setup(capacity),
      threads: { a: put("a", 1, 2), b: take("b", 2) },
      finally: (shared, { b }) => {
        assert.deepEqual(b, [1, 2])
        assert.equal(room(shared), ROOM)
      },
      preemptions: 1,
      states: 5_000_000,
    })
    assertExplored(report, 100)
  }
})

test("[TQ15] a taker that gives up has got the element, or leaves it", () => {
  const report = explore({
    setup: () => setup(1),
    threads: {
      a: put("a", 1),
      b: (shared) => blocking(open(shared, "b").taking("first", mainFlow), 1),
    },
    finally: (shared, { b }) => {
      assert.equal(size(shared), b === undefined ? 1 : 0)
      assert.equal(room(shared), ROOM - size(shared))
    },
    timeouts: 1,
    preemptions: 2,
    states: 5_000_000,
  })
  assertExplored(report, 100)
})

test("[TQ15] a putter that gives up has put, or leaves nothing behind", () => {
  const report = explore({
    setup: () => setup(1, [1]),
    threads: {
      a: (shared) => blocking(open(shared, "a").inserting(2, "last", mainFlow), 1),
      b: take("b", 1),
    },
    finally: (shared, { a, b }) => {
      assert.deepEqual(b, [1])
      assert.equal(size(shared), a === true ? 1 : 0)
      assert.equal(room(shared), ROOM - size(shared))
    },
    timeouts: 1,
    preemptions: 2,
    states: 5_000_000,
  })
  assertExplored(report, 100)
})

test("[TQ15] closing sends away who waits", () =>
  meet(
    () => setup(1),
    { a: (shared) => open(shared, "a").close(), b: (shared) => blocking(open(shared, "b").taking("first", mainFlow)) },
    50,
    { preemptions: 2 },
  ))

// ------------------------------------------------------------------ a death among two

test("[TQ18] a putter that dies, at whatever step, keeps no taker waiting for another's element", () => {
  const report = explore({
    setup: () => setup(1, [1]),
    threads: {
      a: put("a", 2),
      b: (shared) => {
        const queue = open(shared, "b")
        return [blocking(queue.taking("first", mainFlow)), blocking(queue.taking("first", mainFlow), 1)]
      },
    },
    kill: "a",
    onKill: ({ program }) => program.reap("a"),
    finally: (_, { b }) => {
      assert.equal(b?.[0], 1)
      assert.ok(b[1] === 2 || b[1] === undefined)
    },
    timeouts: 1,
    killAtWrites: false, // that is above, in every operation
    preemptions: 1,
    states: 5_000_000,
  })
  assertExplored(report, 1000)
})

test("[TQ18] who dies while it closes lets nobody wait in vain", () => {
  const report = explore({
    setup: () => setup(1),
    threads: {
      a: (shared) => open(shared, "a").close(),
      b: (shared) => blocking(open(shared, "b").taking("first", mainFlow)) ?? "closed",
    },
    kill: "a",
    onKill: (shared) => {
      shared.program.reap("a")
      const queue = open(shared, "c")
      if (!queue.isClosed) queue.close()
    },
    finally: (_, { b }) => assert.equal(b, "closed"),
    preemptions: 1,
    states: 5_000_000,
  })
  assertExplored(report, 1000)
})

const GOT = 0

test("[TQ18] an element that was given to a taker who dies then goes to somebody else", () => {
  let returned = 0
  const report = explore({
    setup: () => setup(1),
    threads: {
      a: (shared) => {
        const e = blocking(open(shared, "a").taking("first", mainFlow))
        store(shared.notes, GOT, 1)
        return e
      },
      b: put("b", 7),
    },
    kill: "a",
    onKill: (shared) => {
      shared.program.reap("a")
      const queue = open(shared, "c")
      const e = queue.extract("first")
      if (e !== undefined) {
        assert.equal(load(shared.notes, GOT), 0, "two have got it")
        returned++
      }
    },
    finally: (shared, { a }) => {
      if (a !== undefined) assert.equal(a, 7)
      assert.ok(size(shared) + load(shared.notes, GOT) <= 1)
    },
    killAtWrites: false, // that is above, in every operation
    preemptions: 1,
    states: 5_000_000,
  })
  assertExplored(report, 1000)
  assert.ok(returned > 0)
})
