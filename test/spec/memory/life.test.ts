/**
 * Whether a thread has stopped, and what it holds until then. Rules: docs/spec/memory.md.
 *
 * Deno does not stop a thread that computes: there the threads of these tests are also told to stop by a word.
 */
import { notifyOne } from "#src/memory/atomics.js"
import { LifeProbe } from "#src/memory/thread/life.js"
import { LISTENING, THREAD } from "#src/memory/thread/thread-registry.js"
import { threadContext } from "#src/memory/thread/this-thread.js"
import { ReentrantLock, Thread } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually, turns } from "../../support/harness.ts"
import { type WorkerHand, Workers } from "../../support/workers.ts"
import { WORDS } from "./life.workers.ts"

const MODULE = new URL("life.workers.js", import.meta.url)

const goesOn = process.versions["deno"] !== undefined

const newWords = (): Int32Array => new Int32Array(new SharedArrayBuffer(WORDS.BYTES))

const workOf = (words: Int32Array): number => Atomics.load(words, WORDS.WORK)

/** It is told to end; where that is not enough, also by a word, when it is seen to go on. */
function terminate(hand: WorkerHand, words: Int32Array): void {
  void hand.worker.terminate()
  if (!goesOn) return
  for (const before = workOf(words); workOf(words) === before;) Thread.sleepSync(0.1)
  Atomics.store(words, WORDS.STOP, 1)
}

test("[MM15] a thread that computes is never taken for stopped, however often it is asked for", async () => {
  const words = newWords()
  await using workers = new Workers()
  workers.run(MODULE, "compute", words)
  await eventually(() => workOf(words) > 0)
  const probe = new LifeProbe(threadContext().registry, Atomics.load(words, WORDS.TOKEN), 0)
  for (let i = 0; i < 500; i++) assert.equal(probe.ask(), false)
  Atomics.store(words, WORDS.STOP, 1)
})

/** Node has another way to ask, and may crash if a thread that ends is asked so: see MM16. */
const skip = "bun" in process.versions || goesOn ? false : "not used on Node"

test("[MM15] a thread that has stopped is found out by one that blocks, and has then stopped", { skip }, async () => {
  const words = newWords()
  await using workers = new Workers()
  const hand = workers.run(MODULE, "compute", words)
  await eventually(() => workOf(words) > 0)
  const probe = new LifeProbe(threadContext().registry, Atomics.load(words, WORDS.TOKEN), 0.1)
  terminate(hand, words)
  while (!probe.ask()) Thread.sleepSync(0.1)
  const before = workOf(words)
  for (let i = 0; i < 20; i++) {
    Thread.sleepSync(0.5)
    assert.equal(workOf(words), before)
  }
})

test("[MM14] the lock of a thread that was told to end is another's when that has stopped", async () => {
  const words = newWords()
  const lock = new ReentrantLock()
  await using workers = new Workers()
  const hand = workers.run(MODULE, "computeWith", lock, words)
  await eventually(() => workOf(words) > 0)
  terminate(hand, words)
  const guard = await lock.lock()
  assert.equal(lock.wasAbandoned, true)
  const before = workOf(words)
  await turns(100)
  assert.equal(workOf(words), before)
  guard.unlock()
})

test("[MM16] a thread that is to be ended does not listen, and does not begin to", async () => {
  const words = newWords()
  const lock = new ReentrantLock()
  await using workers = new Workers()
  const guard = await lock.lock()
  workers.run(MODULE, "awaitLock", lock, words)
  await eventually(() => workOf(words) > 0)
  const { registry } = threadContext()
  const token = Atomics.load(words, WORDS.TOKEN)
  const park = registry.entryOf(token) + THREAD.PARK
  await eventually(() => Atomics.load(registry.words, park) === LISTENING)
  registry.silence(token)
  assert.equal(notifyOne(registry.words, park), false)
  for (let i = 0; i < 3; i++) {
    const before = workOf(words)
    registry.ring(token)
    await eventually(() => workOf(words) > before + 2)
    assert.equal(notifyOne(registry.words, park), false)
  }
  guard.unlock()
})

test("[MM16] a thread that has left does not listen", async () => {
  const words = newWords()
  const lock = new ReentrantLock()
  await using workers = new Workers()
  const guard = await lock.lock()
  workers.run(MODULE, "awaitLockAndLeave", lock, words)
  await eventually(() => workOf(words) > 0)
  const { registry } = threadContext()
  assert.equal(notifyOne(registry.words, registry.entryOf(Atomics.load(words, WORDS.TOKEN)) + THREAD.PARK), false)
  Atomics.store(words, WORDS.STOP, 1)
  guard.unlock()
})
