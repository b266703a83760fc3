import { InterruptedError, Thread } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { FakeClock } from "../../support/fake-clock.ts"

test("[TH36] sleep() ends when its time has passed and not before", async () => {
  using clock = new FakeClock()
  const ended: number[] = []
  const sleeps = [30, 0.5, 10, 0, 10.5].map(async (ms) => {
    await Thread.sleep(ms)
    assert.ok(clock.now - 1000 >= ms)
    ended.push(ms)
  })
  for (let ms = 0; ms < 40; ms++) {
    await turns(1)
    clock.advance(1)
  }
  await Promise.all(sleeps)
  // 0.5 and 0 both end with the first millisecond, in the order in which they began.
  assert.deepEqual(ended, [0.5, 0, 10, 10.5, 30])
})

test("[TH36] sleep(Infinity) sets no timer and sleeps on", async () => {
  using clock = new FakeClock()
  let ended = false
  const sleeping = Thread.sleep(Infinity).finally(() => (ended = true))
  clock.advance(Number.MAX_SAFE_INTEGER)
  await turns()
  assert.deepEqual([clock.delays, ended], [[], false])
  Thread.currentThread().interrupt()
  assert.ok((await rejectionOf(sleeping)) instanceof InterruptedError)
})

test("[TH36][TH38] wrong durations are refused", async () => {
  for (const ms of [-1, -Infinity, NaN]) {
    const error = await rejectionOf(Thread.sleep(ms))
    assert.ok(error instanceof RangeError)
    assert.equal(error.message, `Expected \`ms\` to be a number of milliseconds ≥ 0, got ${ms}`)
    assert.ok(thrownBy(() => Thread.sleepSync(ms)) instanceof RangeError)
  }
  for (const ms of [undefined, null, "1", 1n, {}] as unknown as number[]) {
    const error = await rejectionOf(Thread.sleep(ms))
    assert.ok(error instanceof TypeError)
    assert.match(error.message, /^Expected `ms` to be a number of milliseconds ≥ 0, got /)
    assert.ok(thrownBy(() => Thread.sleepSync(ms)) instanceof TypeError)
  }
})

test("[TH37] sleep() is given up when its signal aborts, and leaves no timer", async () => {
  using clock = new FakeClock()
  const controller = new AbortController()
  const sleeping = Thread.sleep(1000, { signal: controller.signal })
  assert.equal(clock.ticking, 1)
  const reason = new Error("wake up")
  controller.abort(reason)
  assert.equal(await rejectionOf(sleeping), reason)
  assert.equal(clock.ticking, 0)
  assert.equal(await rejectionOf(Thread.sleep(1000, { signal: controller.signal })), reason)
  assert.ok((await rejectionOf(Thread.sleep(1, { signal: {} as AbortSignal }))) instanceof TypeError)
})

test("[TH38] sleepSync() blocks the loop: nothing else happens meanwhile, and time passes", () => {
  let happened = false
  setImmediate(() => (happened = true))
  for (const ms of [0, 0.3, 1, 2.7]) {
    const start = performance.now()
    Thread.sleepSync(ms)
    assert.ok(performance.now() - start >= ms)
  }
  assert.equal(happened, false)
})

test("[TH38] sleepSync() with a raised flag throws InterruptedError and clears it", () => {
  Thread.currentThread().interrupt()
  assert.ok(thrownBy(() => Thread.sleepSync(600_000)) instanceof InterruptedError)
  assert.equal(Thread.interrupted(), false)
  Thread.currentThread().interrupt()
  assert.ok(thrownBy(() => Thread.sleepSync(0)) instanceof InterruptedError)
})
