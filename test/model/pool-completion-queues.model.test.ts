/** CompletionQueues, in which a thread hears of the tasks it has submitted, under every interleaving. Rules: docs/spec/platform.md. */
import { add, load, notify, store, wait } from "#atomics"
import { Bell } from "#src/memory/wait/bell.js"
import { blocking, type Steps } from "#src/memory/flow/waiting.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import type { Self } from "./explore.ts"
import { bellOf, member, type PoolModel, poolOf, sorted } from "./pool.ts"
import { check, upTo } from "./synchronizers.ts"

/** Notes: how often a bell was rung, and whether a box is open. */
const RINGS = 0
const OPEN = 1

const setup = (): PoolModel => poolOf({ threads: ["s", "a", "b", "next"], tasks: 3 })

/** Puts these slots into their box. */
const putter =
  (thread: string, ...slots: number[]) =>
  (shared: PoolModel): void => {
    const { threadContext, completionQueues } = member(shared, thread)
    const wake = threadContext.wake.bind(threadContext)
    threadContext.wake = (token, node) => {
      add(shared.notes, RINGS, 1)
      wake(token, node)
    }
    for (const slot of slots) completionQueues.put(slot)
  }

function* hearing(bell: Bell, look: () => void, isDone: () => boolean): Steps<void> {
  for (;;) {
    look()
    if (isDone()) return
    yield bell
  }
}

/** Empties its box until it has seen so many, blocking. */
const blocker =
  (count: number) =>
  (shared: PoolModel): number[] => {
    const { threadContext, completionQueues } = member(shared, "s")
    const got: number[] = []
    const look = (): void => completionQueues.empty(1, (slots) => got.push(...slots))
    const bell = bellOf(shared, threadContext, look)
    blocking(hearing(bell, look, () => got.length >= count))
    return got
  }

/** The same by its event loop: it looks when the bell rings, and also while it is just looking. */
const listener =
  (count: number) =>
  (shared: PoolModel, self: Self): number[] => {
    const { threadContext, completionQueues } = member(shared, "s")
    const got: number[] = []
    const append = (slots: number[]): number => got.push(...slots)
    const look = (): void =>
      completionQueues.empty(1, (slots) => {
        append(slots)
        completionQueues.empty(1, append)
      })
    bellOf(shared, threadContext, look)
    look()
    self.until(() => got.length >= count)
    return got
  }

function assertInOrder(
  got: readonly number[] | undefined,
  expected: readonly number[],
  ofOne: readonly number[],
): void {
  assert.deepEqual(sorted(got ?? []), expected)
  assert.deepEqual(
    got?.filter((slot) => ofOne.includes(slot)),
    ofOne,
  )
}

for (const [how, s] of [
  ["blocks", blocker(3)],
  ["listens, and looks while it looks", listener(3)],
] as const) {
  test(`[PP1][PP2] two put, and one that ${how} gets each slot once, those of one worker in order`, () =>
    check(1_000, {
      setup,
      threads: { s, a: putter("a", 1, 2), b: putter("b", 3) },
      ...upTo(2),
      finally: (shared, { s: got }) => {
        assertInOrder(got, [1, 2, 3], [1, 2])
        assert.ok(member(shared, "next").completionQueues.isEmpty(1))
      },
    }))
}

test("[PP2] the bell is rung by who puts first, and not again until the box has been emptied", () =>
  check(100, {
    setup,
    threads: {
      s: (shared) => {
        let times = 0
        member(shared, "s").completionQueues.empty(1, () => times++)
        return times
      },
      a: putter("a", 1, 2),
      b: putter("b", 3),
    },
    finally: ({ notes }, { s: times = 0 }) => {
      const rings = load(notes, RINGS)
      assert.ok(rings >= 1 && rings <= (times === 0 ? 1 : 2), `${rings} rings`)
    },
  }))

for (const [how, s] of [
  ["blocks", blocker(2)],
  ["listens", listener(2)],
] as const) {
  test(`[PP3] a worker that dies while it puts has put or not, and one that ${how} hears of it`, () =>
    check(1_000, {
      setup,
      threads: { s, a: putter("a", 1), b: putter("b", 2, 3) },
      kill: "a",
      ...upTo(1),
      finally: (shared, { s: got = [] }) => {
        const left: number[] = []
        member(shared, "next").completionQueues.empty(1, (slots) => left.push(...slots))
        const all = sorted([...got, ...left])
        assert.deepEqual(
          all.filter((slot) => slot !== 1),
          [2, 3],
        )
        assert.ok(all.length <= 3)
      },
    }))
}

test("[PP4] a box that a dead thread has left serves another one, which hears of all that is its own", () =>
  check(1_000, {
    setup,
    threads: {
      next: (shared) => {
        shared.program.reap("s")
        const { threadContext, completionQueues, tasks } = member(shared, "next")
        const got: number[] = []
        const look = (): void =>
          completionQueues.empty(1, (slots) => {
            for (const slot of slots) tasks.free(slot)
            got.push(...slots)
          })
        const bell = new Bell(threadContext, look)
        assert.equal(completionQueues.open(bell), 1)
        store(shared.notes, OPEN, 1)
        notify(shared.notes, OPEN)
        blocking(hearing(bell, look, () => got.includes(2)))
      },
      // Its task is one of the dead thread's.
      a: putter("a", 1),
      // And here, of the new one's.
      b: (shared) => {
        wait(shared.notes, OPEN, 0, Infinity)
        putter("b", 2)(shared)
      },
    },
    ...upTo(2),
    finally: (shared) => {
      const { tasks, completionQueues } = member(shared, "next")
      completionQueues.empty(1, (slots) => {
        for (const slot of slots) tasks.free(slot)
      })
      const free = [1, 2, 3].map(() => tasks.slotOf(tasks.take(1, 0, 0)))
      assert.deepEqual(sorted(free), [0, 1, 2])
    },
  }))
