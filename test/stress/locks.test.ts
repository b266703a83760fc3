/** Many threads, real time, random ways. `STRESS=250` makes it ten million increments and a thousand deaths of each kind. */
import { ReentrantLock, ReentrantReadWriteLock, Semaphore, type Shared } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually } from "../support/harness.ts"
import { Dice, SEED, STRESS } from "../support/stress.ts"
import { requireTermination } from "../support/termination.ts"
import { type WorkerHand, Workers } from "../support/workers.ts"
import { type Kind, Mutex } from "./locks.workers.ts"

const module = new URL("locks.workers.js", import.meta.url)

function words(count: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(count * 4))
}

const kinds: readonly [Kind, () => Shared][] = [
  ["unfair", () => new ReentrantLock()],
  ["fair", () => new ReentrantLock({ fair: true })],
  ["write", () => new ReentrantReadWriteLock()],
  ["semaphore", () => new Semaphore(1)],
  ["own synchronizer", () => new Mutex()],
]

for (const [kind, make] of kinds) {
  test(`[ST1] a counter is exact, guarded by: ${kind}`, async () => {
    await using workers = new Workers()
    const counter = words(2)
    const lock = make()
    const total = 40_000 * STRESS
    const threads = STRESS > 1 ? 8 : 3
    const hands = Array.from({ length: threads }, (_, i) =>
      workers.run(module, "increment", kind, lock, counter, threads, total / threads, SEED + i),
    )
    await Promise.all(hands.map((hand) => hand.result))
    assert.equal(
      counter[0],
      Math.floor(total / threads) * threads + (total % threads === 0 ? 0 : threads),
      `seed ${SEED}`,
    )
  })
}

test("[ST2] readers never see a half-written record", async () => {
  await using workers = new Workers()
  const lock = new ReentrantReadWriteLock()
  const record = words(3)
  const turns = 10_000 * STRESS
  const jobs = ["readRecord", "writeRecord", "readRecord", "writeRecord"]
  const hands = jobs.map((job) => workers.run(module, job, lock, record, jobs.length, turns))
  await Promise.all(hands.map((hand) => hand.result))
  assert.deepEqual([...record], [2 * turns, 2 * turns, jobs.length])
})

/** How many die in each kind of lock. */
const DEATHS = Math.max(4, Math.floor(4 * STRESS))

for (const [kind, make] of kinds.filter(([name]) => ["unfair", "fair", "write"].includes(name))) {
  test(`[ST3] nothing hangs, and no record stays half-written, when threads are killed at random: ${kind}`, async () => {
    await requireTermination()
    await using workers = new Workers()
    const lock = make()
    const record = words(2)
    const control = words(2)
    const dice = new Dice(SEED)
    const birth = (): WorkerHand => workers.run(module, "live", kind, lock, record, control, dice.roll(2 ** 30))
    const living = Array.from({ length: 3 }, birth)
    for (let deaths = 0; deaths < DEATHS; deaths++) {
      const victim = living.splice(dice.roll(living.length), 1)[0] as WorkerHand
      await victim.heard("alive")
      const before = Atomics.load(control, 1)
      const enough = dice.roll(20)
      await eventually(() => Atomics.load(control, 1) - before >= enough)
      await victim.kill()
      living.push(birth())
    }
    await Promise.all(living.map((hand) => hand.heard("alive")))
    const before = Atomics.load(control, 1)
    await eventually(() => Atomics.load(control, 1) > before + 10)
    Atomics.store(control, 0, 1)
    await Promise.all(living.map((hand) => hand.result))
  })
}
