/** Whether a ForkJoinPool is quiescent, as other threads see it while its workers work, and die. Rules: docs/spec/forkjoin.md. */
import { load, store } from "#atomics"
import { Arrivals } from "#src/forkjoin/worker/arrivals.js"
import { Deques, PLACE } from "#src/platform/queue/deques.js"
import { Quiescence } from "#src/forkjoin/worker/quiescence.js"
import type { SlotDeque } from "#src/platform/queue/slot-deque.js"
import type { StealingStore } from "#src/platform/queue/stealing-store.js"
import { Reaping } from "#src/platform/memory/workers/reaping.js"
import { HEADER } from "#src/platform/memory/layout.js"
import { isOrphan } from "#src/platform/member/orphans.js"
import { DeadWorker } from "#src/platform/owner/dead-worker.js"
import type { SharedWorker } from "#src/platform/memory/workers/shared-worker.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { name } from "./explore.ts"
import { bellOf, flowOf, hire, member, type Member, type PoolModel, poolOf } from "./pool.ts"
import { check, upTo } from "./synchronizers.ts"

/** A note: 1 when the last task is over. */
const DONE = 0

/**
 * Threads `a` and `b` are workers 1 and 2. The first of all threads has box 1, into which slots 1 and 2 come when they are over, and a
 * bell. Slot 1 is in the ring, or in the deque of that thread.
 */
const setup = (threads: readonly string[], start: "ring" | "deque") => (): PoolModel => {
  const deques = Deques.allocate(2, false, 2)
  const shared = poolOf({ threads, tasks: 2, deques })
  name(deques, "deques", {
    "a.SETTLES": new Deques(deques).placeOf(1) + PLACE.SETTLES,
    "b.SETTLES": new Deques(deques).placeOf(2) + PLACE.SETTLES,
  })
  hire(shared, "a", "b")
  const { queue } = member(shared, threads[0] as string)
  if (start === "ring") assert.ok(queue.offer(1))
  else {
    new Deques(deques).store(1, PLACE.COMPLETION_QUEUE, 1)
    const deque = new Deques(deques).of(1)
    deque.adopt()
    assert.ok(deque.push(1))
  }
  return shared
}

interface Parts extends Member {
  readonly store: StealingStore
  readonly own: SlotDeque
  readonly self: SharedWorker
}

function partsOf(shared: PoolModel, thread: "a" | "b"): Parts {
  const number = thread === "a" ? 1 : 2
  const it = member(shared, thread, number)
  const stealing = it.queue.stealing as StealingStore
  const own = stealing.own as SlotDeque
  own.adopt()
  return { ...it, store: stealing, own, self: it.workerTable.at(number) }
}

/** Takes tasks, so many times at most, as a worker does that finds them at once. Slot 1 forks slot 2. */
function work(shared: PoolModel, it: Parts, times: number, deliver: (slot: number) => void = () => undefined): void {
  for (let left = times; left > 0; left--) {
    const slot = it.store.poll(it.self.claim)
    if (slot === 0) continue
    it.self.accept(slot)
    deliver(slot)
    if (slot === 2) store(shared.notes, DONE, 1)
    it.self.countCompleted()
    it.self.release()
  }
}

function quiescence(it: Member): Quiescence {
  return new Quiescence(it.memory, it.workerTable, it.completionQueues, it.queue.stealing as StealingStore)
}

/** Asks once. There is something to do from the beginning until the last task is over. */
const asking =
  (thread: string) =>
  (shared: PoolModel): boolean => {
    const isQuiescent = quiescence(member(shared, thread)).isReached
    if (isQuiescent) assert.equal(load(shared.notes, DONE), 1, "there is something to do")
    return isQuiescent
  }

const forking =
  (thread: "a" | "b", times: number) =>
  (shared: PoolModel): void => {
    const it = partsOf(shared, thread)
    work(shared, it, times, (slot) => slot === 1 && assert.ok(it.own.push(2)))
  }

for (const kill of [undefined, "a", "b"] as const) {
  const dying = kill === undefined ? {} : { kill, onKill: () => undefined }
  const title = kill === undefined ? "" : `, and ${kill} dies`

  test(`[FJ79] a pool is not quiescent while tasks go from worker to worker${title}`, () =>
    check(1_000, {
      setup: setup(["s", "a", "b"], "ring"),
      threads: { s: asking("s"), a: forking("a", 2), b: forking("b", 2) },
      ...upTo(2),
      ...dying,
      finally: () => undefined,
    }))

  test(`[FJ79] a pool is not quiescent until the outcome of a stolen part is settled, and what is forked then is over${title}`, () =>
    check(1_000, {
      setup: setup(["a", "b", "s"], "deque"),
      threads: {
        s: asking("s"),
        a: (shared) => {
          const it = partsOf(shared, "a")
          const receive = (slot: number): boolean => it.own.push(slot + 1)
          const arrivals = new Arrivals(it.completionQueues, 1, it.store.deques, 1, receive, () => undefined)
          arrivals.look()
          arrivals.look()
          work(shared, it, 2, (slot) => slot === 1 && assert.ok(it.own.push(2)))
        },
        b: (shared) => {
          const it = partsOf(shared, "b")
          const slot = it.store.stealFrom(1, it.self.claim)
          if (slot === 0) return
          it.self.accept(slot)
          if (slot === 1) it.completionQueues.put(1)
          else store(shared.notes, DONE, 1)
          it.self.countCompleted()
          it.self.release()
        },
      },
      ...upTo(2),
      ...dying,
      finally: () => undefined,
    }))
}

test("[FJ79] a thread that waits for quiescence hears of it from the worker that is the last to have something to do, or to look for it", () =>
  check(1_000, {
    setup: () => {
      const shared = setup(["o", "a", "b"], "ring")()
      member(shared, "o").memory.setOwner(shared.bell)
      return shared
    },
    threads: {
      o: (shared) => {
        const it = member(shared, "o")
        const bell = bellOf(shared, it.threadContext, () => undefined)
        const flow = flowOf(shared, "o")
        for (;;) {
          it.memory.setHeader(HEADER.FOREIGN, 1)
          if (quiescence(it).isReached) break
          bell.block(flow, Infinity)
        }
        assert.equal(load(shared.notes, DONE), 1)
      },
      a: sleeping("a"),
      b: sleeping("b"),
    },
    ...upTo(2),
    finally: () => undefined,
  }))

/** Takes what it finds, and goes to sleep. */
function sleeping(thread: "a" | "b"): (shared: PoolModel) => void {
  return (shared) => {
    const it = partsOf(shared, thread)
    work(shared, it, 2, (slot) => slot === 1 && assert.ok(it.own.push(2)))
    it.queue.noteSleep()
  }
}

test("[FJ79] a pool is not quiescent while its owner deals with what a dead worker had", () =>
  check(1_000, {
    setup: setup(["o", "a", "b", "s"], "ring"),
    threads: {
      b: forking("b", 2),
      s: asking("s"),
      o: (shared) => {
        const it = member(shared, "o")
        const worker = it.workerTable.at(2)
        if (worker.isAlive) return
        const reaping = new Reaping(it.memory)
        reaping.begin()
        const left = new DeadWorker(worker)
        const heldTasks = left.heldTasks(worker, it.tasks, () => true)
        worker.release()
        const slot = left.toRestore
        if (slot !== 0 && isOrphan(slot, it.memory, it.tasks, it.queue, it.workerTable)) it.queue.restore(slot)
        else if (heldTasks.size > 0 && it.queue.isEmpty) store(shared.notes, DONE, 1) // it has failed
        it.memory.state.completed.add(left.uncounted(heldTasks))
        reaping.end()
        it.workerTable.delete(worker)
      },
    },
    kill: "b",
    ...upTo(2),
    finally: () => undefined,
  }))
