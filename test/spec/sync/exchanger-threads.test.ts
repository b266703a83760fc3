/** Exchangers between threads. */
import { AtomicInteger } from "#src/atomic/index.js"
import { sharedWords, store } from "#src/memory/atomics.js"
import type { Shared } from "#src/memory/shared/shared-memory.js"
import { threadContext } from "#src/memory/thread/this-thread.js"
import { Exchanger, Semaphore } from "#src/sync/index.js"
import assert from "node:assert/strict"
import test from "node:test"
import { runProgram } from "../../support/child.ts"
import { eventually } from "../../support/harness.ts"
import { STRESS } from "../../support/stress.ts"
import { Workers } from "../../support/workers.ts"
import { hallOf, isOffered } from "./exchanger-support.ts"

const MODULE = new URL("exchanger.workers.js", import.meta.url)

test("[EX11] anything but an exchanger is refused", () => {
  for (const wrong of [new Semaphore(1), {}, undefined, null, 5, { handle: 5 }] as Shared[]) {
    assert.throws(() => Exchanger.from(wrong), { name: "TypeError", message: /the handle of a Exchanger/ })
  }
})

test("[EX11][EX12] threads that block and that await exchange clones, in any combination", async () => {
  await using workers = new Workers()
  for (const blocks of [true, false]) {
    for (const iBlock of [true, false]) {
      for (const iComeFirst of iBlock ? [false] : [true, false]) {
        const exchanger = new Exchanger<unknown>()
        const mine = { list: [1, "two", new Map([["three", new Date(3)]])] }
        const value = { by: "the other", cycle: {} }
        value.cycle = value
        const pending = iComeFirst ? exchanger.exchange(mine) : undefined
        const other = workers.run(MODULE, "exchange", { exchanger }.exchanger, value, blocks)
        if (!iComeFirst) await eventually(() => isOffered(exchanger))
        const got = await (pending ?? (iBlock ? exchanger.exchangeSync(mine) : exchanger.exchange(mine)))
        assert.deepEqual(got, value)
        assert.deepEqual(await other.result, mine)
      }
    }
  }
})

test("[EX12] between other threads as well", async () => {
  await using workers = new Workers()
  for (const [one, other] of [
    [true, true],
    [true, false],
    [false, false],
  ]) {
    const exchanger = new Exchanger<unknown>()
    const first = workers.run(MODULE, "exchange", exchanger, "first", one)
    const second = workers.run(MODULE, "exchange", exchanger, "second", other)
    assert.deepEqual(await Promise.all([first.result, second.result]), ["second", "first"])
  }
})

test("[EX12] undefined and null arrive as what they are", async () => {
  await using workers = new Workers()
  const exchanger = new Exchanger<unknown>()
  const other = workers.run(MODULE, "exchange", exchanger, null, true)
  assert.equal(await exchanger.exchange(undefined), null)
  assert.equal(await other.result, undefined)
})

test("[EX3] two flows of one thread meet by reference there, too", async () => {
  await using workers = new Workers()
  const exchanger = new Exchanger<object>()
  assert.deepEqual(await workers.run(MODULE, "meetHere", exchanger).result, [true, true])
})

test("[EX13] large values arrive whole", async () => {
  await using workers = new Workers()
  const exchanger = new Exchanger<Uint8Array>()
  for (const bytes of [0, 1, 5_000_000]) {
    const other = workers.run(MODULE, "exchangeLarge", exchanger, bytes, 7)
    const got = await exchanger.exchange(new Uint8Array(1_000_003).fill(9))
    assert.deepEqual([got.length, got[0], got.at(-1)], bytes === 0 ? [0, undefined, undefined] : [bytes, 7, 7])
    assert.deepEqual(await other.result, [1_000_003, 9, 9])
  }
})

test("[EX6] an interrupt of another thread ends its wait, and another one is met", async () => {
  await using workers = new Workers()
  for (const blocks of [true, false]) {
    const exchanger = new Exchanger<unknown>()
    const first = workers.run(MODULE, "exchange", exchanger, "first", blocks)
    await eventually(() => isOffered(exchanger))
    threadContext().registry.interrupt((await first.firstWord()) as number)
    await assert.rejects(first.result, { name: "InterruptedError" })
    assert.equal(isOffered(exchanger), false)
    const second = workers.run(MODULE, "exchange", exchanger, "second", blocks)
    assert.equal(await exchanger.exchange("mine"), "second")
    assert.equal(await second.result, "mine")
  }
})

test("[EX15] who waits when the exchanger is posted for the first time is met from there", async () => {
  await using workers = new Workers()
  const exchanger = new Exchanger<unknown>()
  const mine = exchanger.exchange({ mine: true })
  const other = workers.run(MODULE, "exchange", exchanger, "theirs", true)
  assert.equal(await mine, "theirs")
  assert.deepEqual(await other.result, { mine: true })
})

test("[EX2][EX12] a partner that is slow to fetch its value holds nobody up", async () => {
  await using workers = new Workers()
  const exchanger = new Exchanger<unknown>()
  const word = sharedWords(1)
  const busy = workers.run(MODULE, "beBusy", exchanger, word)
  await busy.heard("busy")
  assert.equal(exchanger.exchangeSync("for the busy one"), "busy")
  for (let round = 0; round < 20; round++) {
    const other = round === 0 ? workers.run(MODULE, "exchange", exchanger, "quick", true) : undefined
    if (other === undefined) {
      const first = exchanger.exchange(round)
      assert.equal(await exchanger.exchange("here"), round)
      assert.equal(await first, "here")
    } else assert.deepEqual([await exchanger.exchange("mine"), await other.result], ["quick", "mine"])
  }
  store(word, 0, 1)
  assert.equal(await busy.result, "for the busy one")
})

test("[EX18][EX13] whatever threads do, every value is given to one other, and both agree", async () => {
  await using workers = new Workers()
  const exchanger = new Exchanger<unknown>()
  const rounds = 300 * STRESS
  const going = new AtomicInteger(3)
  const hands = [true, true, false].map((blocks, from) =>
    workers.run(MODULE, "exchangeMany", exchanger, going, from, rounds, blocks),
  )
  type Meeting = readonly [mine: number, from: number, round: number]
  const meetings = (await Promise.all(hands.map(({ result }) => result))) as Meeting[][]
  let total = 0
  for (const [from, mine] of meetings.entries()) {
    for (const [round, partner, theirs] of mine) {
      total++
      assert.notEqual(partner, from)
      assert.deepEqual(meetings[partner]?.[theirs], [theirs, from, round])
    }
  }
  assert.ok(total >= 2 * rounds, `only ${total} values were exchanged`)
  // Five sizes of blocks, of each as many as three threads can have at once and a few more.
  assert.ok(hallOf(exchanger).extent < 16_384, `the blocks take ${hallOf(exchanger).extent} words`)
})

test("[EX19] a program that awaits a partner from another thread stays alive", async () => {
  const ended = await runProgram(`
    import { isMainThread, Worker, workerData } from "node:worker_threads"
    import { fileURLToPath } from "node:url"
    import { Exchanger } from "#src/sync/index.js"
    if (isMainThread) {
      const exchanger = new Exchanger()
      new Worker(fileURLToPath(import.meta.url), { workerData: exchanger }).unref()
      console.log(await exchanger.exchange("main"))
    } else {
      const exchanger = Exchanger.from(workerData)
      setTimeout(() => void exchanger.exchange("worker"), 50)
    }
  `)
  assert.deepEqual(ended, { code: 0, stdout: "worker\n", stderr: "" })
})
