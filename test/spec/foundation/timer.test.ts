import { fromShared, sharedNow, toShared } from "#src/time/shared-clock.js"
import { now, Timer } from "#src/time/timer.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually, turns } from "../../support/harness.ts"
import { runProgram } from "../../support/child.ts"
import { FakeClock } from "../../support/fake-clock.ts"
import { Workers } from "../../support/workers.ts"
import { clockOffset } from "./timer.workers.ts"

const LONGEST = 2 ** 31 - 1

function startTimer(...args: ConstructorParameters<typeof Timer>): Timer {
  return new Timer(...args)
}

test("[TI1] a timer fires once, when its delay has passed", () => {
  using clock = new FakeClock()
  const fired: number[] = []
  const start = clock.now
  startTimer(10, false, () => fired.push(clock.now - start))
  clock.advance(9.999)
  assert.deepEqual(fired, [])
  clock.advance(100)
  assert.deepEqual(fired, [10])
  assert.equal(clock.ticking, 0)
})

test("[TI1] fractions count: never before the delay, and at most a millisecond later", () => {
  using clock = new FakeClock()
  for (const delay of [0.001, 0.5, 1.5, 2.999, 10.25]) {
    const start = clock.now
    let firedAfter: number | undefined
    startTimer(delay, false, () => (firedAfter = clock.now - start))
    clock.advance(20)
    assert.ok(firedAfter !== undefined && firedAfter >= delay && firedAfter < delay + 1, String(delay))
  }
})

test("[TI1] if setTimeout fires early, the rest is slept too", () => {
  using clock = new FakeClock({ early: 0.75 })
  const fired: number[] = []
  const start = clock.now
  startTimer(10, false, () => fired.push(clock.now - start))
  clock.advance(9.5)
  assert.deepEqual(fired, [])
  clock.advance(10)
  assert.equal(fired.length, 1)
  assert.ok((fired[0] ?? 0) >= 10)
  assert.ok(clock.delays.length > 1)
})

test("[TI1] on the real clock no timer is early", async () => {
  const delays = Array.from({ length: 200 }, (_, i) => i / 20)
  let left = delays.length
  const early: number[] = []
  for (const delay of delays) {
    const start = now()
    startTimer(delay, false, () => {
      if (now() - start < delay) early.push(delay)
      left--
    })
  }
  await eventually(() => left === 0)
  assert.deepEqual(early, [])
})

test("[TI2] a delay beyond 2³¹−1 ms is slept in legs", () => {
  for (const delay of [LONGEST, LONGEST + 1, 2 ** 32, 3 * LONGEST + 0.5]) {
    using clock = new FakeClock()
    let fired = 0
    startTimer(delay, false, () => fired++)
    clock.advance(delay - 1)
    assert.equal(fired, 0)
    clock.advance(2)
    assert.equal(fired, 1, String(delay))
    assert.ok(Math.max(...clock.delays) <= LONGEST)
  }
})

test("[TI3] Infinity never fires and sets nothing going", () => {
  using clock = new FakeClock()
  const timer = new Timer(Infinity, false, () => assert.fail("fired"))
  assert.deepEqual([clock.ticking, clock.delays], [0, []])
  timer.cancel()
})

test("[TI3] zero and less fire soon, but not inside the call", () => {
  using clock = new FakeClock()
  let fired = 0
  for (const delay of [0, -0, -1, -1000]) startTimer(delay, false, () => fired++)
  assert.equal(fired, 0)
  clock.advance(1)
  assert.equal(fired, 4)
})

test("[TI4] a cancelled timer does not fire; cancelling again has no effect", async () => {
  using clock = new FakeClock()
  const timer = new Timer(10, false, () => assert.fail("fired"))
  clock.advance(5)
  timer.cancel()
  timer.cancel()
  assert.equal(clock.ticking, 0)
  clock.advance(100)
})

test("[TI4] a long timer can be cancelled in a later leg", () => {
  using clock = new FakeClock()
  const timer = new Timer(3 * LONGEST, false, () => assert.fail("fired"))
  clock.advance(1.5 * LONGEST)
  timer.cancel()
  assert.equal(clock.ticking, 0)
  clock.advance(3 * LONGEST)
})

test("[TI4] cancelling a timer that fired, or that is just firing, has no effect", () => {
  using clock = new FakeClock()
  let fired = 0
  const timer: Timer = new Timer(1, false, () => {
    fired++
    timer.cancel()
  })
  clock.advance(1)
  timer.cancel()
  assert.equal(fired, 1)
})

test("[TI4] of two timers due at the same moment one can cancel the other", async () => {
  let fired = 0
  const timers: Timer[] = []
  const fire = (): void => {
    fired++
    for (const timer of timers) timer.cancel()
  }
  timers.push(new Timer(1, false, fire), new Timer(1, false, fire))
  await eventually(() => fired > 0)
  await turns()
  assert.equal(fired, 1)
})

test("[TI5] only background timers let the process go, in every leg", () => {
  using clock = new FakeClock()
  startTimer(3 * LONGEST, true, () => undefined)
  const kept = new Timer(3 * LONGEST, false, () => undefined)
  for (let leg = 0; leg < 3; leg++) {
    assert.deepEqual([clock.ticking, clock.foreground], [2, 1])
    clock.advance(LONGEST - 1)
  }
  kept.cancel()
})

test("[TI5] a process ends with background timers ticking and not with others", async () => {
  const program = (background: boolean): string => `
    import { Timer } from "#src/time/timer.js"
    new Timer(${background ? 600_000 : 5}, ${background}, () => console.log("fired"))
  `
  const [background, foreground] = await Promise.all([runProgram(program(true)), runProgram(program(false))])
  assert.deepEqual([background.code, background.stdout], [0, ""])
  assert.deepEqual([foreground.code, foreground.stdout], [0, "fired\n"])
})

test("[TI6] the clock never goes back and does not follow the time of day", (t) => {
  const before = now()
  t.mock.method(Date, "now", () => 0)
  let last = before
  for (let i = 0; i < 10_000; i++) {
    const time = now()
    assert.ok(time >= last)
    last = time
  }
})

const notNode =
  "bun" in process.versions || "deno" in process.versions ? "elsewhere it is as good as the wall clock" : false

test("[TI7] the clock that threads share is the same in all of them", { skip: notNode }, async () => {
  await using workers = new Workers()
  const module = new URL("timer.workers.js", import.meta.url)
  const others = Array.from({ length: 4 }, () => workers.run(module, "clockOffset").result)
  const offsets = [clockOffset(), ...((await Promise.all(others)) as number[])]
  assert.ok(Math.max(...offsets) - Math.min(...offsets) < 0.01, offsets.join(", "))
})

test("[TI7] what is told in its terms comes back as it was", () => {
  const time = now()
  assert.ok(Math.abs(fromShared(toShared(time)) - time) < 0.001)
  const [before, shared, after] = [now(), sharedNow(), now()]
  assert.ok(fromShared(shared) >= before - 0.001 && fromShared(shared) <= after + 0.001)
})
