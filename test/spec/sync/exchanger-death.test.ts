/** Exchangers and the death of threads. */
import { Exchanger } from "#src/sync/index.js"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually } from "../../support/harness.ts"
import { STRESS } from "../../support/stress.ts"
import { requireTermination } from "../../support/termination.ts"
import { Workers } from "../../support/workers.ts"
import { hallOf, isOffered } from "./exchanger-support.ts"

const MODULE = new URL("exchanger.workers.js", import.meta.url)

test("[EX16] whoever waits in a thread that dies is forgotten", async () => {
  await using workers = new Workers()
  for (const blocks of [true, false]) {
    const exchanger = new Exchanger<unknown>()
    const doomed = workers.run(MODULE, "exchange", exchanger, "doomed", blocks)
    await eventually(() => isOffered(exchanger))
    await doomed.kill()
    await assert.rejects(exchanger.exchange("mine", 0), { name: "TimeoutError" })
    const other = workers.run(MODULE, "exchange", exchanger, "other", blocks)
    assert.equal(await exchanger.exchange("mine"), "other")
    assert.equal(await other.result, "mine")
  }
})

test("[EX17] the partner of a thread that dies has its value", async () => {
  await using workers = new Workers()
  const exchanger = new Exchanger<unknown>()
  const mine = exchanger.exchange("mine")
  const doomed = workers.run(MODULE, "exchange", exchanger, "doomed", true)
  assert.equal(await doomed.result, "mine")
  await doomed.kill()
  assert.equal(await mine, "doomed")
})

test("[EX17] when threads are killed at any moment, those who are left go on exchanging whole values", async () => {
  await requireTermination()
  const exchanger = new Exchanger<string>()
  const values = ["x".repeat(10), "y".repeat(1000), "z".repeat(100_000)]
  for (let kill = 0; kill < 6 * STRESS; kill++) {
    await using workers = new Workers()
    const hands = [0, 1].map((index) =>
      workers.run(MODULE, "exchangeForEver", exchanger, values[(kill + index) % 3], (kill + index) % 2 === 0),
    )
    await Promise.all(hands.map((hand) => hand.heard("begins")))
    for (let round = 0; round < 10 + (kill % 7); round++) {
      const got = await exchanger.exchange("mine")
      assert.ok(values.includes(got), `got ${got.slice(0, 40)}`)
    }
    await hands[kill % 2]?.kill()
    for (let round = 0; round < 10; round++) assert.ok(values.includes(await exchanger.exchange("mine")))
  }
  await assert.rejects(exchanger.exchange("mine", 0), { name: "TimeoutError" })
  assert.ok(hallOf(exchanger).extent < 1_000_000, `the blocks take ${hallOf(exchanger).extent} words`)
})
