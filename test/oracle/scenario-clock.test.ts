/** Rule ids like [OR11] refer to docs/spec/oracle.md. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { replay } from "./replay.ts"
import { MOST_ATTEMPTS, ScenarioClock, VoidReplay } from "./suites/scenario-clock.ts"
import { onVirtualThreads } from "./threads.ts"
import type { Scenario } from "./trace.ts"

const TICK = 40
const PACE = 4

/** Keeps the event loop from turning. */
function holdUp(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until) continue
}

test("[OR11] a clock that was held up for more than a quarter of a tick says so", async () => {
  const clock = new ScenarioClock(TICK, 1, PACE)
  clock.start()
  try {
    holdUp(clock.real(TICK / 4) + 1)
    await clock.advance(TICK)
    assert.throws(() => clock.check(), VoidReplay)
  } finally {
    clock.stop()
  }
})

test("[OR11] a clock whose ops are half a tick late says so, even if the loop went round all the time", async () => {
  const clock = new ScenarioClock(TICK, 1, PACE)
  clock.start()
  try {
    await clock.advance(TICK)
    const other = new ScenarioClock(TICK, 1, PACE)
    other.start()
    await other.advance(TICK / 2 + 1)
    other.stop()
    assert.throws(() => clock.check(), VoidReplay)
  } finally {
    clock.stop()
  }
})

test("[OR11] each attempt is slower", () => {
  const [first = 0, second = 0, third = 0] = [1, 2, 3].map((attempt) => new ScenarioClock(TICK, attempt, PACE).real(1))
  assert(first < second && second < third)
})

test("[OR11] after so many attempts a clock that was held up is an error", async () => {
  const clock = new ScenarioClock(1, MOST_ATTEMPTS, PACE)
  clock.start()
  try {
    holdUp(clock.real(1))
    await clock.advance(1)
    assert.throws(
      () => clock.check(),
      (error) => !(error instanceof VoidReplay) && /held up too long/.test(String(error)),
    )
  } finally {
    clock.stop()
  }
})

/** A clock whose ops are on time, and what happened on worker threads meanwhile, so many ms after it began. */
async function clockWith(...happened: { at: number; due?: number }[]): Promise<ScenarioClock> {
  const clock = new ScenarioClock(1, 1, TICK_LENGTH)
  clock.start()
  const start = Date.now()
  clock.act()
  for (const { at, due } of happened) clock.happened(start + at, due === undefined ? undefined : start + due)
  return clock
}

/** So long that no machine is held up for a quarter of it. */
const TICK_LENGTH = 20_000

for (const [what, ...happened] of [
  [
    "a start that is far from a full tick, and from the op before it",
    { at: 1.3 * TICK_LENGTH, due: 1.3 * TICK_LENGTH },
  ],
  ["an end that is", { at: 2.3 * TICK_LENGTH }],
  [
    "a start at a full tick that was due at another one, though no thread was busy",
    { at: 3 * TICK_LENGTH, due: TICK_LENGTH },
  ],
  ["the same after others have ended", { at: TICK_LENGTH }, { at: 3 * TICK_LENGTH, due: TICK_LENGTH }],
] as const) {
  test(`[OR21] a replay is void with ${what}`, async () => {
    const clock = await clockWith(...happened)
    try {
      assert.throws(() => clock.check(), VoidReplay)
    } finally {
      clock.stop()
    }
  })
}

test("[OR21] what happens soon after a full tick, an op, or the end of what it had to wait for is on time", async () => {
  const clock = await clockWith(
    { at: 3, due: 0 },
    { at: TICK_LENGTH + 2, due: TICK_LENGTH },
    { at: 3 * TICK_LENGTH },
    { at: 3 * TICK_LENGTH + 2, due: TICK_LENGTH },
  )
  try {
    clock.check()
  } finally {
    clock.stop()
  }
})

/** A run every tick, looked at after four and a half. Held up, it would show fewer: a fixed delay does not catch up. */
function scenario(runs: number): Scenario {
  return {
    id: "made-up",
    suite: "scheduled",
    setup: { corePoolSize: 1, tickMs: TICK },
    steps: [
      {
        op: { do: "scheduleWithFixedDelay", task: "t1", initialDelayMs: TICK, delayMs: TICK },
        expect: { runs: { t1: 0 } },
      },
      { op: { do: "advance", ms: 4.5 * TICK }, expect: { runs: { t1: runs } } },
    ],
  }
}

test("[OR11] a replay that was held up is begun again, and then counts", async () => {
  const pending = replay(scenario(4), onVirtualThreads)
  setTimeout(() => holdUp(20 * TICK), 1)
  assert.equal(await pending, undefined)
})

test("[OR11] what only a replay shows that was held up is a failure", async () => {
  const pending = replay(scenario(1), onVirtualThreads)
  setTimeout(() => holdUp(20 * TICK), 1)
  assert.equal(await pending, 'step 2 {"do":"advance","ms":180}: runs: expected {"t1":1}, got {"t1":4}')
})
