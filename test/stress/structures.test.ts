/**
 * The structures of src/memory, and the deque of src/forkjoin, between real threads, more of them than most machines in their
 * tests have cores. Ids such as [RG9] refer to docs/spec/memory-structures.md, [FJ60] to docs/spec/forkjoin.md. `STRESS=20` does twenty times as much.
 */
import { SlotDeque } from "#src/platform/queue/slot-deque.js"
import { IndexedHeap } from "#src/memory/structures/indexed-heap.js"
import { Ring } from "#src/memory/structures/ring.js"
import { Slots } from "#src/memory/structures/slots.js"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually } from "../support/harness.ts"
import { Dice, SEED, STRESS } from "../support/stress.ts"
import { requireTermination } from "../support/termination.ts"
import { type WorkerHand, Workers } from "../support/workers.ts"
import { ALIVE, type Ledger, PRODUCING, PROGRESS, RENT, STOP } from "./structures.workers.ts"

const module = new URL("structures.workers.js", import.meta.url)
const seeded = `seed ${SEED}`

function words(count: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(count * 4))
}

/** For values from 1 to so many. */
function ledgerFor(values: number): Ledger {
  return { control: words(PROGRESS + 16), seen: words(values + 1), payload: words(values + 1) }
}

function assertEachOnce({ seen }: Ledger, values: number): void {
  for (let value = 1; value <= values; value++) assert.equal(seen[value], 1, `value ${value}, ${seeded}`)
}

for (const [producers, consumers, removing] of [
  [2, 2, false],
  [3, 1, false],
  [1, 3, false],
  [2, 2, true],
] as const) {
  const title = `producers: ${producers}, consumers: ${consumers}${removing ? ", who also remove" : ""}`
  test(`[RG9][RG10][RG11] each value of a ring comes out once and in order; ${title}`, async () => {
    await using workers = new Workers()
    for (let round = 0; round < STRESS; round++) {
      const total = removing ? 30_000 : 60_000
      const each = total / producers
      // Wide enough for the number of values that no lap comes round, and still full most of the time.
      const capacity = removing ? 8 : 32
      const ledger = ledgerFor(total)
      ledger.control[PRODUCING] = producers
      const ring = words(Ring.wordsFor(capacity))
      const hands: WorkerHand[] = []
      for (let i = 0; i < producers; i++) {
        hands.push(workers.run(module, "produce", ring, capacity, ledger, i, 1 + i * each, each))
      }
      for (let i = 0; i < consumers; i++) {
        hands.push(workers.run(module, "consume", ring, capacity, ledger, each, removing, SEED + i + round))
      }
      const removals = (await Promise.all(hands.map((hand) => hand.result))) as (number | undefined)[]
      assert.equal(
        removals.some((count) => (count ?? 0) > 0),
        removing,
      )
      assertEachOnce(ledger, total)
      assert.equal(new Ring(ring, 0, capacity).size, 0)
    }
  })
}

test("[RG9][RG12][RG13] a ring loses no more than the dead had in their hands", async () => {
  await requireTermination()
  await using workers = new Workers()
  const capacity = 32
  const perProducer = 200_000
  const deaths = Math.ceil(8 * STRESS)
  const dice = new Dice(SEED)
  // Two producers and two consumers at a time; whoever dies is replaced by another of its kind.
  for (let round = 0; round < deaths; round += 4) {
    const ledger = ledgerFor(4 * perProducer)
    const ring = words(Ring.wordsFor(capacity))
    ledger.control[PRODUCING] = 4
    let producers = 0
    let born = 4
    const producer = (): WorkerHand => {
      const number = producers++
      return workers.run(module, "produce", ring, capacity, ledger, number, 1 + number * perProducer, perProducer)
    }
    const consumer = (): WorkerHand =>
      workers.run(module, "consume", ring, capacity, ledger, perProducer, false, dice.roll(2 ** 30))
    const living = [producer(), producer(), consumer(), consumer()]
    const moved = (): number => ledger.control.slice(PROGRESS).reduce((sum, one) => sum + one, 0)
    const allWork = (): Promise<void> => eventually(() => Atomics.load(ledger.control, ALIVE) === born)
    for (const place of [dice.roll(2), 2 + dice.roll(2), dice.roll(2), 2 + dice.roll(2)]) {
      await allWork()
      const before = moved()
      const enough = dice.roll(200)
      await eventually(() => moved() - before >= enough || Atomics.load(ledger.control, PRODUCING) < 4)
      await living[place]?.kill()
      living[place] = place < 2 ? producer() : consumer()
      born++
    }
    await allWork()
    Atomics.store(ledger.control, STOP, 1)
    await Promise.all(living.map((hand) => hand.result))

    const rest = new Ring(ring, 0, capacity)
    const { size } = rest
    let left = 0
    for (let value = rest.poll(); value !== 0; value = rest.poll(), left++) {
      assert.equal(ledger.seen[value], 0, seeded)
      ledger.seen[value] = 1
    }
    assert.equal(size, left, seeded)
    let lost = 0
    for (let number = 0; number < 4; number++) {
      const sure = ledger.control[PROGRESS + number] ?? 0
      const first = 1 + number * perProducer
      for (let i = 0; i < sure; i++) if (ledger.seen[first + i] === 0) lost++
    }
    assert.ok(lost <= 2, `${lost} values are lost with two consumers, ${seeded}`)
  }
})

for (const thieves of [1, 3]) {
  test(`[FJ60][FJ61][FJ66] each value of a deque is popped or stolen once; thieves: ${thieves}`, async () => {
    await using workers = new Workers()
    for (let round = 0; round < STRESS; round++) {
      const total = 150_000
      const capacity = 8
      const ledger = ledgerFor(total)
      const deque = words(SlotDeque.wordsFor(capacity))
      const owner = workers.run(module, "own", deque, capacity, ledger, total, SEED + round)
      const others = Array.from({ length: thieves }, () => workers.run(module, "thieve", deque, capacity, ledger))
      const counts = (await Promise.all([owner, ...others].map((hand) => hand.result))) as number[]
      assert.equal(
        counts.reduce((sum, one) => sum + one, 0),
        total,
        seeded,
      )
      assertEachOnce(ledger, total)
      assert.equal(new SlotDeque(deque, 0, capacity).steal(0, deque), 0)
    }
  })
}

for (const capacity of [3, 64]) {
  test(`[SL3][SL4][SL8][SL13] of ${capacity} slots none is in use twice, and all are there in the end`, async () => {
    await using workers = new Workers()
    const memory = words(Slots.wordsFor(capacity, RENT.SIZE))
    const turns = 100_000 * STRESS
    const hands = [1, 2, 3].map((me) => workers.run(module, "rent", memory, capacity, turns, me, SEED + me))
    const reports = (await Promise.all(hands.map((hand) => hand.result))) as { taken: number; refused: number }[]
    if (capacity < 10) assert.ok(reports.some(({ refused }) => refused > 0))
    const slots = new Slots(memory, 0, capacity, RENT.SIZE)
    const numbers = new Set<number>()
    let freed = 0
    for (let handle = slots.take(); handle !== 0; handle = slots.take()) {
      numbers.add(slots.slotOf(handle))
      freed += memory[slots.bodyOf(handle) + RENT.COUNT] ?? 0
    }
    assert.equal(numbers.size, capacity, seeded)
    // Each user counted up what the one before had left.
    assert.equal(
      freed,
      reports.reduce((sum, { taken }) => sum + taken, 0),
      seeded,
    )
  })
}

test("[IH2][IH3][IH9] slots wander between a heap under a lock and three threads, and none gets lost", async () => {
  await using workers = new Workers()
  const capacity = 60
  const memory = words(IndexedHeap.wordsFor(capacity) + capacity + 1)
  const ledger = ledgerFor(capacity)
  const all = Array.from({ length: capacity }, (_, i) => i + 1)
  const hands = [0, 1, 2].map((i) => {
    const slots = all.slice(i * 20, (i + 1) * 20)
    return workers.run(module, "sort", memory, capacity, ledger, slots, 20_000 * STRESS, SEED + i)
  })
  const held = (await Promise.all(hands.map((hand) => hand.result))) as number[][]
  const indices = { words: memory, index: IndexedHeap.wordsFor(capacity), stride: 1 }
  const key = (slot: number): number => ledger.payload[slot] ?? 0
  const heap = new IndexedHeap(memory, 0, capacity, (a, b) => key(a) - key(b), indices)
  const rest: number[] = []
  for (let slot = heap.poll(); slot !== 0; slot = heap.poll()) {
    assert.ok(rest.length === 0 || key(rest.at(-1) ?? 0) <= key(slot), seeded)
    rest.push(slot)
  }
  assert.deepEqual(
    [...held.flat(), ...rest].sort((a, b) => a - b),
    all,
    seeded,
  )
})
