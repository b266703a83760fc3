/** The workers of a pool with a rate limiter, in every order of steps. Rules: docs/spec/rate-limiter.md. */
import { add, load } from "#atomics"
import { InterruptedError } from "#src/errors.js"
import { isOrphan } from "#src/platform/member/orphans.js"
import { BASE } from "#src/platform/memory/layout.js"
import { slotPacing } from "#src/platform/queue/slot-pacing.js"
import { RateLimiter } from "#src/sync/rate-limiter.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { overMemory } from "../support/over-memory.ts"
import { name as nameWords, type Self } from "./explore.ts"
import { flowOf, hire, member, type PoolModel, poolOf } from "./pool.ts"
import { assertNobodyWaits, check, opened, upTo } from "./synchronizers.ts"

const LONG = 1_000_000
const WORKERS = ["a", "b"]

/** Notes: how often each task was begun, and by how many workers. */
const BEGUN = 0
const FAILED = 4

interface PacedModel extends PoolModel {
  readonly rate: Int32Array
}

/** Two workers, two tasks, of which `queued` wait already; and so many permits. */
const setup = (permits: number, queued: number) => (): PacedModel => {
  const shared = poolOf({ threads: ["s", ...WORKERS, "owner"], tasks: 2 })
  hire(shared, ...WORKERS)
  const { control } = shared.memory.state
  for (const _ of WORKERS) assert.ok(control.tryAddWorker(control.snapshot))
  const { queue } = member(shared, "s")
  for (let slot = 1; slot <= queued; slot++) assert.ok(queue.offer(slot))
  const rate = new Int32Array(new RateLimiter({ permits, per: LONG }).handle.memory)
  nameWords(rate, "limiter", {})
  return { ...shared, rate }
}

/** A worker that begins one task. */
const worker =
  (thread: string) =>
  (shared: PacedModel, self: Self): void => {
    const { memory, queue, workerTable, tasks } = member(shared, thread, WORKERS.indexOf(thread) + 1)
    const limiter = overMemory(RateLimiter, opened(shared.program, thread, shared.rate))
    const me = workerTable.at(WORKERS.indexOf(thread) + 1)
    const pacing = slotPacing(limiter, memory, queue, me, (slot) => tasks.stateOf(slot) !== 0)
    let isOver = false
    self.until(() => isOver)
    const next = (): void =>
      pacing.receive(
        {
          resolve: (slot) => {
            assert.ok(slot !== undefined)
            me.accept(slot)
            add(shared.notes, BEGUN + slot, 1)
            me.release()
            isOver = true
          },
          reject: (error) => {
            if (!(error instanceof InterruptedError)) throw error
            next()
          },
        },
        flowOf(shared, thread),
        Infinity,
      )
    next()
  }

const submitter =
  (slot: number) =>
  (shared: PacedModel): boolean =>
    member(shared, "s").queue.offer(slot)

/** What the owner does about a worker that has died; it is not replaced. */
function reap(shared: PacedModel, thread: string): void {
  shared.program.reap(thread)
  const { memory, queue, workerTable, tasks } = member(shared, "owner")
  const dead = workerTable.at(WORKERS.indexOf(thread) + 1)
  const { claimed, currentSlot } = dead
  dead.release()
  if (currentSlot !== 0) add(shared.notes, FAILED, 1)
  else if (claimed !== 0 && isOrphan(claimed, memory, tasks, queue, workerTable)) queue.restore(claimed)
}

function begun({ notes }: PacedModel): number[] {
  return [1, 2].map((slot) => load(notes, BEGUN + slot))
}

function left({ program, rate }: PacedModel): number {
  return overMemory(RateLimiter, opened(program, "owner", rate)).availablePermits
}

test("[RL20] [RL31] two workers take a task and a permit each", () =>
  check(100, {
    setup: setup(3, 1),
    ...upTo(1),
    threads: { s: submitter(2), a: worker("a"), b: worker("b") },
    finally: (shared) => {
      assert.deepEqual(begun(shared), [1, 1])
      assert.equal(left(shared), 1)
      assertNobodyWaits(shared.memory.words.subarray(BASE.TURN))
      assertNobodyWaits(shared.rate)
    },
  }))

test("[RL31] a worker that dies at any step holds up no other, and no task is lost", () =>
  check(100, {
    setup: setup(3, 2),
    ...upTo(1),
    kill: ["a"],
    onKill: reap,
    threads: { a: worker("a"), b: worker("b") },
    finally: (shared) => {
      const { queue } = member(shared, "owner")
      const ran = begun(shared).reduce((sum, n) => sum + n, 0)
      assert.ok(ran >= 1 && Math.max(...begun(shared)) === 1, "each once")
      // A task that was begun, and whose worker died with it in hand, is counted in both.
      assert.ok(ran + queue.size + load(shared.notes, FAILED) >= 2, "none is lost")
    },
  }))
