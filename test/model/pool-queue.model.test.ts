/** The queue of a platform pool, its spinner and its idle workers. Rules: docs/spec/platform.md. */
import { load, store } from "#atomics"
import { InterruptedError } from "#src/errors.js"
import { HEADER } from "#src/platform/memory/layout.js"
import { isOrphan } from "#src/platform/member/orphans.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import type { Self } from "./explore.ts"
import { flowOf, hire, member, type PoolModel, poolOf, sorted } from "./pool.ts"
import { check, upTo } from "./synchronizers.ts"

/** A note: the task that a worker had in hand when it died. */
const FAILED = 0

type Body = (shared: PoolModel, self: Self) => number[]

const setup = (bound: number) => (): PoolModel => {
  const shared = poolOf({ threads: ["s", "a", "b", "owner"], tasks: 2, bound })
  hire(shared, "a", "b")
  const { control } = shared.memory.state
  for (let workers = 0; workers < 2; workers++) assert.ok(control.tryAddWorker(control.snapshot))
  return shared
}

/** Takes one task, as a worker does: looks, looks out, and waits, for so long at most. */
const worker =
  (thread: "a" | "b", timeout = Infinity): Body =>
  (shared) => {
    const number = thread === "a" ? 1 : 2
    const { queue, workerTable } = member(shared, thread, number)
    const flow = flowOf(shared, thread)
    const got: number[] = []
    const accept = (slot: number): void => {
      workerTable.at(number).accept(slot)
      got.push(slot)
    }
    const polled = queue.poll()
    if (polled !== undefined) accept(polled)
    else {
      const resolve = (slot: number | undefined): void => (slot === undefined ? undefined : accept(slot))
      const reject = (error: unknown): void => {
        if (!(error instanceof InterruptedError)) throw error
      }
      queue.receive({ resolve, reject }, flow, timeout)
    }
    return got
  }

/** Offers these; those that were accepted. */
const submitter =
  (...slots: number[]): Body =>
  (shared) => {
    const { queue } = member(shared, "s")
    return slots.filter((slot) => queue.offer(slot))
  }

/** What the owner does about a worker that has died. */
function reap(shared: PoolModel, thread: string): void {
  const { memory, queue, workerTable, tasks } = member(shared, "owner")
  const dead = workerTable.at(thread === "a" ? 1 : 2)
  const { claimed, currentSlot, waits } = dead
  shared.program.reap(thread)
  dead.release()
  if (waits) queue.forgetWaiter()
  if (currentSlot !== 0) store(shared.notes, FAILED, currentSlot)
  else if (claimed !== 0 && isOrphan(claimed, memory, tasks, queue, workerTable)) queue.restore(claimed)
}

/** Each that was accepted was taken once, by somebody who has it in hand or died with it there. */
function assertTaken(shared: PoolModel, accepted: readonly number[] = [], ...taken: (number[] | undefined)[]): void {
  const { queue } = member(shared, "owner")
  assert.deepEqual(queue.toArray(), [], "a task waits, and so do all workers")
  const failed = load(shared.notes, FAILED)
  const all = taken.flatMap((slots) => slots ?? [])
  if (failed !== 0) all.push(failed)
  assert.deepEqual(sorted(all), [...accepted])
}

test("[PP5] a task reaches a worker that looks, looks out, goes to sleep or sleeps", () =>
  check(500, {
    setup: setup(-1),
    threads: { s: submitter(1), a: worker("a") },
    finally: (shared, { s, a }) => assertTaken(shared, s, a),
  }))

test("[PP5] two tasks reach two workers", () =>
  check(2_000, {
    setup: setup(-1),
    threads: { s: submitter(1, 2), a: worker("a"), b: worker("b") },
    ...upTo(1),
    finally: (shared, { s, a, b }) => assertTaken(shared, s, a, b),
  }))

test("[PP5] one who gives up takes no wake-up with it", () =>
  check(1_000, {
    setup: setup(-1),
    threads: { s: submitter(1), a: worker("a", 1), b: worker("b") },
    ...upTo(1),
    finally: (shared, { s, a, b }) => assertTaken(shared, s, a, b),
  }))

/** One that is wide awake, and takes one if it is there. */
const grabber: Body = (shared) => {
  const { queue, workerTable } = member(shared, "b", 2)
  const slot = queue.poll()
  if (slot === undefined) return []
  workerTable.at(2).accept(slot)
  return [slot]
}

/** Nothing is left if `a` still waits for something; and nothing is lost in any case. */
function assertNoneIsMissed(shared: PoolModel, { s, a, b = [] }: Record<string, number[] | undefined>): void {
  const left = member(shared, "owner").queue.toArray()
  if (a?.length === 0) assert.deepEqual(left, [], "a task waits, and so does a worker")
  const failed = load(shared.notes, FAILED)
  assert.deepEqual(sorted([...left, ...(a ?? []), ...b, ...(failed === 0 ? [] : [failed])]), s)
}

test("[PP5] one who is woken in vain, and lies low, gets what is offered meanwhile", () =>
  check(2_000, {
    setup: setup(-1),
    threads: { s: submitter(1, 2), a: worker("a"), b: grabber },
    ...upTo(2),
    finally: assertNoneIsMissed,
  }))

test("[PP6] one who dies while it lies low takes nothing along", () =>
  check(2_000, {
    setup: setup(-1),
    threads: { s: submitter(1, 2), a: worker("a"), b: grabber },
    kill: "a",
    onKill: reap,
    ...upTo(1),
    finally: assertNoneIsMissed,
  }))

test("[PP6] a worker that dies, be it the spinner, costs at most the task it has accepted", () =>
  check(2_000, {
    setup: setup(-1),
    threads: { s: submitter(1), a: worker("a"), b: worker("b") },
    kill: "a",
    onKill: reap,
    ...upTo(0),
    finally: (shared, { s, a, b }) => assertTaken(shared, s, a, b),
  }))

test("[PP7] a hand-over is accepted if a worker takes it, though its time may be over at that moment", () =>
  check(500, {
    setup: setup(0),
    threads: { s: submitter(1, 2), a: worker("a", 1) },
    finally: (shared, { s, a }) => assertTaken(shared, s, a),
  }))

test("[PP7] a hand-over to a worker that is interrupted at that moment", () =>
  check(500, {
    setup: setup(0),
    threads: {
      s: submitter(1),
      a: worker("a"),
      b: ({ program }) => {
        program.registry.interrupt(program.token("a"))
        return []
      },
    },
    ...upTo(2),
    finally: (shared, { s, a }) => assertTaken(shared, s, a),
  }))

test("[PP7] two workers wait, two offer", () =>
  check(1_000, {
    setup: setup(0),
    threads: {
      s: submitter(1),
      owner: (shared) => submitter(2)(shared, { name: "", until: () => undefined }),
      a: worker("a", 1),
      b: worker("b"),
    },
    ...upTo(1),
    finally: (shared, { s, owner, a, b }) => assertTaken(shared, [...(s ?? []), ...(owner ?? [])], a, b),
  }))

test("[PP8] a hand-over is not promised to the dead: what nobody takes waits for the one that replaces it", () =>
  check(1_000, {
    setup: setup(0),
    threads: { s: submitter(1, 2), a: worker("a"), b: worker("b") },
    kill: "a",
    onKill: reap,
    ...upTo(0),
    finally: (shared, { s = [], a, b = [] }) => {
      const { queue, memory } = member(shared, "owner")
      const left = queue.toArray()
      const failed = load(shared.notes, FAILED)
      const all = [...(a ?? []), ...b, ...left, ...(failed === 0 ? [] : [failed])]
      assert.deepEqual(sorted(all), s)
      const waiting = (a?.length === 0 ? 1 : 0) + (b.length === 0 ? 1 : 0)
      assert.ok(left.length === 0 || waiting === 0, "a task waits, and so does a worker")
      assert.ok(
        memory.header(HEADER.IDLE) <= waiting - left.length,
        `${memory.header(HEADER.IDLE)} of ${waiting} are idle`,
      )
    },
  }))
