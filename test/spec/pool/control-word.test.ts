/** The control word by itself. Ids such as [CW3] refer to docs/spec/pool.md. */
import { ArrayBlockingQueue } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import {
  atLeast,
  ControlWord,
  countIn,
  MOST_WORKERS,
  SHUTDOWN,
  STOP,
  TERMINATED,
  TIDYING,
} from "#src/core/control-word.js"
import { PoolCore } from "#src/core/pool-core.js"
import { SharedState, STATE_WORDS } from "#src/core/pool-state.js"
import { Pools } from "../../support/pools.ts"

/** A word with so many threads, between two neighbours that must stay as they are. */
function wordOf(threads: number): { word: ControlWord; words: Int32Array } {
  const words = new Int32Array([7, 7, 7])
  const word = new ControlWord(words, 1)
  word.initialize()
  for (let i = 0; i < threads; i++) assert.equal(word.tryAddWorker(word.snapshot), true)
  assert.deepEqual([words[0], words[2]], [7, 7])
  return { word, words }
}

test("[CW1] a new word is running with no threads; the count has 28 bits", () => {
  const { word, words } = wordOf(0)
  assert.deepEqual([word.isRunning, word.workerCount, words[1]], [true, 0, -1 << 29])
  assert.equal(MOST_WORKERS, 2 ** 28 - 1)
  const { word: three } = wordOf(3)
  assert.equal(three.workerCount, 3)
  assert.equal(three.snapshot, (-1 << 29) + 3)
})

test("[CW7] a second view of a pool's block sees the first one's state and changes nothing by being made", () => {
  const block = new ArrayBuffer(STATE_WORDS * 4)
  const first = new SharedState(block)
  first.control.initialize()
  first.corePoolSize = 3
  first.keepAliveTime = 1.5
  first.control.tryAddWorker(first.control.snapshot)
  first.completed.increment()
  first.control.advanceTo(SHUTDOWN)
  const second = new SharedState(block)
  assert.equal(second.control.snapshot, first.control.snapshot)
  assert.deepEqual([second.control.isRunning, second.control.workerCount], [false, 1])
  assert.deepEqual([second.corePoolSize, second.keepAliveTime, second.completed.value], [3, 1.5, 1])
})

test("[CW2] words compare as their states do, whatever the counts", () => {
  const running = (-1 << 29) | MOST_WORKERS
  const states = [running, SHUTDOWN, STOP, TIDYING, TERMINATED]
  assert.deepEqual(
    states.map((state) => state >> 29),
    [-1, 0, 1, 2, 3],
  )
  states.forEach((state, i) => {
    states.forEach((other, j) => {
      if (j === 0) return
      assert.equal(atLeast(state | MOST_WORKERS, other), i >= j)
      assert.equal(countIn(state | MOST_WORKERS), MOST_WORKERS)
    })
  })
})

test("[CW3] a thread is counted only if the word is what the caller saw", () => {
  const { word } = wordOf(1)
  const seen = word.snapshot
  assert.equal(word.tryAddWorker(seen), true)
  assert.equal(word.tryAddWorker(seen), false)
  assert.equal(word.tryRemoveWorker(seen), false)
  assert.equal(word.workerCount, 2)
  assert.equal(word.tryRemoveWorker(word.snapshot), true)
  word.removeWorker()
  assert.deepEqual([word.workerCount, word.isRunning], [0, true])
  const running = word.snapshot
  word.advanceTo(SHUTDOWN)
  assert.equal(word.tryAddWorker(running), false, "not if the state has changed meanwhile")
})

test("[CW4] states only advance, and keep the count", () => {
  const { word } = wordOf(2)
  word.advanceTo(SHUTDOWN)
  assert.deepEqual([word.isRunning, word.snapshot], [false, SHUTDOWN + 2])
  word.advanceTo(STOP)
  assert.equal(word.snapshot, STOP + 2)
  word.advanceTo(SHUTDOWN)
  assert.equal(word.snapshot, STOP + 2)
  const { word: skips } = wordOf(1)
  skips.advanceTo(STOP)
  assert.equal(skips.snapshot, STOP + 1)
})

test("[CW5] one caller tidies, from what it saw, and terminates", () => {
  const { word } = wordOf(0)
  word.advanceTo(SHUTDOWN)
  const seen = word.snapshot
  assert.equal(word.tryTidy(seen), true)
  assert.equal(word.tryTidy(seen), false)
  assert.equal(word.snapshot, TIDYING)
  word.advanceTo(STOP)
  assert.equal(word.snapshot, TIDYING)
  word.terminate()
  assert.equal(word.snapshot, TERMINATED)
})

test("[CW6] sizes beyond the count's range are that range: the last thread that can be counted is the last", () => {
  const block = new ArrayBuffer(STATE_WORDS * 4)
  const state = new SharedState(block)
  state.corePoolSize = state.maximumPoolSize = 2 ** 31 - 1
  const unused = (): never => assert.fail("not asked for")
  const queue = { isEmpty: true, size: 0, offer: unused, poll: unused, remove: unused, receive: unused }
  const core = new PoolCore<number>(state, queue, { newWorker: unused, endPool: unused }, new Set())
  new Int32Array(block)[0] = (-1 << 29) | MOST_WORKERS
  for (const bound of ["core", "maximum"] as const) {
    assert.equal(core.addWorker(bound), false)
    assert.equal(state.control.workerCount, MOST_WORKERS)
    assert.equal(state.control.isRunning, true, "one more would have run into the state")
  }
})

test("[CW6] what was set is what is told", async () => {
  await using pools = new Pools()
  const most = 2 ** 31 - 1
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: most, workQueue: new ArrayBlockingQueue(1) })
  const gate = pools.gate()
  for (let i = 0; i < 6; i++) pool.execute(gate.body)
  assert.deepEqual([pool.poolSize, pool.queue.size, pool.maximumPoolSize], [5, 1, most])
  pool.corePoolSize = most
  assert.deepEqual([pool.poolSize, pool.corePoolSize], [6, most])
})
