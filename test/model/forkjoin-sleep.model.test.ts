/**
 * How workers of a ForkJoinPool sleep and are woken: idle ones by whoever forks, and those that wait for a stolen part by its
 * thief. Rules: docs/spec/forkjoin.md.
 */
import { HelperWakeups, type Sleep } from "#src/forkjoin/worker/helper-wakeups.js"
import type { ParkPlace } from "#src/memory/flow/wait-list.js"
import { blocking, type Steps } from "#src/memory/flow/waiting.js"
import { Deques, PLACE } from "#src/platform/queue/deques.js"
import { noteThief, noteWaiter, thiefOf } from "#src/forkjoin/worker/fork-records.js"
import type { SlotDeque } from "#src/platform/queue/slot-deque.js"
import type { StealingStore } from "#src/platform/queue/stealing-store.js"
import { TaskQueue } from "#src/platform/queue/task-queue.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { name } from "./explore.ts"
import { bellOf, flowOf, hire, member, type PoolModel, poolOf, sorted } from "./pool.ts"
import { check, upTo } from "./synchronizers.ts"

/** Worker 1 is `a`, and so on. The first of them has a bell. */
const setup =
  (threads: readonly string[], tasks = 2) =>
  (): PoolModel => {
    const deques = Deques.allocate(threads.length, false, 4)
    const shared = poolOf({ threads, tasks, deques })
    name(deques, "deques", {
      ...Object.fromEntries(
        threads.map((thread, i) => [`${thread}.CALL`, new Deques(deques).placeOf(i + 1) + PLACE.CALL]),
      ),
    })
    hire(shared, ...threads)
    new Deques(deques).store(1, PLACE.BELL, shared.bell)
    return shared
  }

interface Parts {
  readonly store: StealingStore
  readonly own: SlotDeque
  readonly deques: Deques
  readonly calls: HelperWakeups
}

function partsOf(shared: PoolModel, thread: string, number: number): Parts & ReturnType<typeof member> {
  const it = member(shared, thread, number)
  const stealing = it.queue.stealing as StealingStore
  const { deques } = stealing
  const own = stealing.own as SlotDeque
  own.adopt()
  return {
    ...it,
    store: stealing,
    own,
    deques,
    calls: new HelperWakeups(it.threadContext, deques, it.workerTable, it.queue, number, () => false),
  }
}

/** Forks these, as a worker does; those that are negative it takes back again, if it can. What others are to have. */
const forking =
  (thread: string, number: number, ...slots: number[]) =>
  (shared: PoolModel): number[] => {
    const { own, deques, calls } = partsOf(shared, thread, number)
    const left: number[] = []
    for (const slot of slots) {
      assert.ok(own.push(Math.abs(slot)))
      if (deques.load(number, PLACE.CALL) !== 0) calls.call()
      if (slot > 0 || !own.unpush(-slot)) left.push(Math.abs(slot))
    }
    return left
  }

/** One that does not look out. */
const NO_LOOK = { isWorthwhile: false, until: (): boolean => false }

/** Takes one, as an idle worker does: looks, looks out unless it is not to, and sleeps. */
const idling =
  (thread: string, number: number, looksOut = true) =>
  (shared: PoolModel): number[] => {
    const it = partsOf(shared, thread, number)
    const { workerTable } = it
    const queue = looksOut ? it.queue : new TaskQueue(it.memory, it.tasks, workerTable.at(number).claim, NO_LOOK)
    const got: number[] = []
    const accept = (slot: number): void => {
      workerTable.at(number).accept(slot)
      got.push(slot)
    }
    const polled = queue.poll()
    if (polled !== undefined) accept(polled)
    else {
      const resolve = (slot: number | undefined): void => {
        if (slot !== undefined) accept(slot)
      }
      const reject = (error: unknown): never => {
        throw error
      }
      queue.receive({ resolve, reject }, flowOf(shared, thread), Infinity)
    }
    return got
  }

test("[FJ63] an idle worker gets what another one forks", () =>
  check(300, {
    setup: setup(["a", "b"]),
    threads: { a: forking("a", 1, 1), b: idling("b", 2) },
    finally: (_, { b }) => assert.deepEqual(b, [1]),
  }))

test("[FJ63] two idle workers get two tasks that one forks", () =>
  check(1_000, {
    setup: setup(["a", "b", "c"]),
    threads: { a: forking("a", 1, 1, 2), b: idling("b", 2), c: idling("c", 3, false) },
    ...upTo(1),
    finally: (_, { b = [], c = [] }) => assert.deepEqual(sorted([...b, ...c]), [1, 2]),
  }))

test("[FJ63] the same if one was called for a task that is not there any more", () =>
  check(1_000, {
    setup: setup(["a", "b", "c"], 3),
    threads: { a: forking("a", 1, 1, -2, 3), b: idling("b", 2), c: idling("c", 3) },
    ...upTo(1),
    finally: (_, { a = [], b = [], c = [] }) => {
      // If the second was stolen, one of the others is still there: there are but two who take one each.
      assert.equal(b.length + c.length, 2)
      for (const slot of [...b, ...c]) assert.ok(a.includes(slot))
    },
  }))

/** Sleeps until there is something in the deque of the other one, whom it helps, and takes it. */
const helping =
  (thread: string, number: number, victim: number) =>
  (shared: PoolModel): number[] => {
    const { store: stealing, calls, threadContext, workerTable, deques } = partsOf(shared, thread, number)
    const bell = bellOf(shared, threadContext, () => undefined)
    const sleep = sleepOf(victim, bell, () => !deques.of(victim).isEmpty)
    function* steps(): Steps<number[]> {
      for (;;) {
        const slot = stealing.stealFrom(victim, workerTable.at(number).claim)
        if (slot !== 0) return [slot]
        yield* calls.sleeping(sleep)
      }
    }
    return blocking(steps())
  }

/** How a worker sleeps that helps `victim` and notes nothing else. */
function sleepOf(victim: number, bell: ParkPlace, hasNews: () => boolean): Sleep {
  return { victim, announced: () => undefined, hasNews, place: () => bell }
}

test("[FJ64] a helper gets what the thief forks", () =>
  check(200, {
    setup: setup(["a", "b"]),
    threads: { a: helping("a", 1, 2), b: forking("b", 2, 1) },
    finally: (_, { a }) => assert.deepEqual(a, [1]),
  }))

test("[FJ64] a helper gets what the thief forks after something that it has taken back", () =>
  check(300, {
    setup: setup(["a", "b"]),
    threads: { a: helping("a", 1, 2), b: forking("b", 2, -1, 2) },
    finally: (_, { a = [], b = [] }) => assert.ok(b.includes(a[0] as number)),
  }))

test("[FJ64] a helper and an idle worker get what the thief forks", () =>
  check(500, {
    setup: setup(["a", "b", "c"]),
    threads: { a: helping("a", 1, 2), b: forking("b", 2, 1, 2), c: idling("c", 3) },
    ...upTo(1),
    finally: (_, { a = [], c = [] }) => assert.deepEqual(sorted([...a, ...c]), [1, 2]),
  }))

test("[FJ64] who waits for a part that nobody has begun hears of the thief", () =>
  check(100, {
    setup: setup(["a", "b"]),
    threads: {
      a: (shared) => {
        const { calls, threadContext, tasks } = partsOf(shared, "a", 1)
        const bell = bellOf(shared, threadContext, () => undefined)
        const sleep: Sleep = {
          victim: 0,
          announced: (worker) => noteWaiter(tasks, 1, worker),
          hasNews: () => thiefOf(tasks, 1) !== 0,
          place: () => bell,
        }
        function* steps(): Steps<number[]> {
          for (;;) {
            const thief = thiefOf(tasks, 1)
            if (thief !== 0) return [thief]
            yield* calls.sleeping(sleep)
          }
        }
        return blocking(steps())
      },
      b: (shared) => {
        const { calls, tasks } = partsOf(shared, "b", 2)
        const waiter = noteThief(tasks, 1, 2)
        if (waiter !== 0) calls.wake(waiter)
        return []
      },
    },
    finally: (_, { a }) => assert.deepEqual(a, [2]),
  }))

test("[FJ64] a thief that dies wakes its helper", () =>
  check(100, {
    setup: setup(["a", "b"]),
    threads: {
      a: (shared) => {
        const { calls, threadContext, deques, memory } = partsOf(shared, "a", 1)
        const bell = bellOf(shared, threadContext, () => undefined)
        const isAlive = (): boolean => memory.threadContext.registry.isAlive(shared.program.token("b"))
        const hasNews = (): boolean => !deques.of(2).isEmpty || !isAlive()
        function* steps(): Steps<number[]> {
          while (!hasNews()) yield* calls.sleeping(sleepOf(2, bell, hasNews))
          return []
        }
        return blocking(steps())
      },
      b: forking("b", 2, 1),
    },
    kill: "b",
    ...upTo(1),
    finally: () => undefined,
  }))
