import { nextTurn, turnIsOver } from "#src/thread/turn.js"
import { runtime } from "#host/runtime/clock"
import { Thread } from "corepool"
import assert from "node:assert/strict"
import { stat } from "node:fs"
import { test } from "node:test"
import { eventually, turns } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"
import { FakeClock } from "../../support/fake-clock.ts"

/** Whether so many tasks in a row, each of this length, bring the turn to its end. */
function endsAfter(clock: FakeClock, tasks: number, ms: number): number | undefined {
  for (let task = 1; task <= tasks; task++) {
    clock.advance(ms)
    if (turnIsOver()) return task
  }
  return undefined
}

/** Makes the loop go round, so that the next look begins a turn. */
async function freshTurn(): Promise<void> {
  await nextTurn()
  await turns(2)
}

/** Nothing is starved for so long; it only turns a pool that never lets go into a failed test. */
const PATIENCE = 20_000

for (const [name, busy] of Object.entries<() => unknown>({
  "quick tasks": () => undefined,
  "quick asynchronous tasks": async () => undefined,
  "slow tasks": () => Thread.sleepSync(3),
})) {
  test(`[MW21] timers and I/O are served while there are still tasks: ${name}`, async () => {
    await using pools = new Pools()
    const pool = pools.fixed(2)
    const served = new Set<string>()
    setTimeout(() => served.add("timer"), 1)
    setImmediate(() => served.add("immediate"))
    stat(import.meta.filename, () => served.add("file"))
    const deadline = performance.now() + PATIENCE
    // Each task leaves another one, so the pool has work until all are served, however fast the machine is.
    const task = (): unknown => {
      if (served.size < 3 && performance.now() < deadline) pool.execute(task)
      return busy()
    }
    for (let i = 0; i < 10; i++) pool.execute(task)
    await eventually(() => pool.activeCount === 0 && pool.queue.size === 0)
    assert.ok(performance.now() < deadline, `only ${[...served].join()}`)
  })
}

test("[MW22] a turn ends when it has lasted 8 ms, whatever the tasks' length", async () => {
  using clock = new FakeClock()
  for (const ms of [0.01, 0.1, 0.5, 1, 3]) {
    endsAfter(clock, 64, ms) // it has learned how long they take
    await freshTurn()
    const ended = endsAfter(clock, 10_000, ms)
    assert.ok(ended !== undefined)
    // The first look begins the turn; from then on it lasts 8 ms, plus what passes between two looks.
    const lasted = ended * ms
    assert.ok(lasted > 8 && lasted < 24, `${ms} ms: ${lasted} ms`)
  }
})

test("[MW22] slow tasks end the turn after two of them", async () => {
  using clock = new FakeClock()
  await freshTurn()
  // The first ones may come as a surprise after quick ones.
  assert.ok((endsAfter(clock, 100, 50) ?? 100) <= 33)
  await freshTurn()
  assert.ok((endsAfter(clock, 100, 50) ?? 100) <= 2)
})

test("[MW22] quick tasks do not read the clock each time", async (t) => {
  const looks = t.mock.method(runtime, "now", () => 1000)
  for (let i = 0; i < 32_000; i++) turnIsOver()
  assert.ok(looks.mock.callCount() <= 1100)
  looks.mock.restore()
  await nextTurn()
})

test("[MW23] all wait for the same turn; the next one is another", async () => {
  const [one, other] = [nextTurn(), nextTurn()]
  assert.equal(one, other)
  let immediate = false
  setImmediate(() => (immediate = true))
  await one
  await turns(1)
  assert.equal(immediate, true)
  const next = nextTurn()
  assert.notEqual(next, one)
  await next
})
