/**
 * The arena between real threads, more of them than most machines in their tests have cores. Ids such as [AR10] refer to
 * docs/spec/memory-structures.md. `STRESS=20` does twenty times as much.
 */
import { Arena } from "#src/memory/structures/arena.js"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually } from "../support/harness.ts"
import { Dice, SEED, STRESS } from "../support/stress.ts"
import { requireTermination } from "../support/termination.ts"
import { type WorkerHand, Workers } from "../support/workers.ts"
import { BEGUN, PREFACE, STOP, type Trade, Trader, TURNS } from "./arena.workers.ts"

const module = new URL("arena.workers.js", import.meta.url)
const seeded = `seed ${SEED}`
const UNIT = 128

function words(count: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(count * 4))
}

function tradeIn(buffer: SharedArrayBuffer, boxes: number, sizes: number): Trade {
  return { buffer, boxes: words(boxes), control: words(TURNS + 64), sizes }
}

function emptyCompletionQueues(trade: Trade): void {
  const trader = new Trader(trade, 1)
  for (const block of trade.boxes) if (block !== 0) trader.consume(block)
}

/** How many bytes can be taken in the smallest blocks. No two of them, nor of all that was taken, may be the same. */
function drain(arena: Arena): number {
  const blocks = new Set<number>()
  const { extent } = arena
  for (;;) {
    const block = arena.take(0)
    if (block === 0 || arena.extent > extent) break
    assert.ok(!blocks.has(block), `${block} is in use twice, ${seeded}`)
    blocks.add(block)
  }
  return blocks.size * UNIT
}

/** How large the whole block of the longest that is made can be. */
function largestOf({ sizes }: Trade): number {
  return 2 ** Math.ceil(Math.log2(PREFACE + 100 * 4 ** (sizes - 1) + 8))
}

for (const [title, room, boxes, sizes] of [
  ["room for all", 2 ** 27, 64, 6],
  ["too little room", 2 ** 14, 32, 4],
  ["one size, few blocks", 2 ** 12, 3, 1],
] as const) {
  test(`[AR2][AR3][AR10][AR13][AR14] threads trade blocks, and none is another's; ${title}`, async () => {
    await using workers = new Workers()
    const arena = Arena.reserve(room)
    const trade = tradeIn(arena.buffer, boxes, sizes)
    const turns = Math.ceil(4_000 * STRESS * (sizes < 6 ? 4 : 1))
    const hands = [0, 1, 2, 3].map((me) => workers.run(module, "trade", trade, turns, me, SEED + me))
    const refused = (await Promise.all(hands.map((hand) => hand.result))) as number[]
    assert.equal(
      refused.some((count) => count > 0),
      title === "too little room",
      seeded,
    )
    emptyCompletionQueues(trade)
    assert.equal(arena.used, 0, seeded)
    // Of each size there can be as many blocks as there are boxes, and what each thread has in hand.
    const most = 2 * largestOf(trade) * (boxes + 1 + 4 * 4)
    assert.ok(arena.extent <= most, `${arena.extent} > ${most}, ${seeded}`)
    const { extent } = arena
    assert.equal(drain(arena), extent, seeded)
  })
}

test("[AR10][AR12] threads that are ended at any moment cost what they had in hand, and nothing else", async () => {
  await requireTermination()
  await using workers = new Workers()
  const dice = new Dice(SEED)
  const arena = Arena.reserve(2 ** 22)
  const trade = tradeIn(arena.buffer, 16, 4)
  const { control } = trade
  const deaths = Math.min(Math.ceil(4 * STRESS), 60)
  let begun = 0
  const begin = (): WorkerHand => workers.run(module, "trade", trade, 2 ** 30, begun, SEED + begun++)
  const living = [begin(), begin(), begin()]
  const allWork = (): Promise<void> => eventually(() => Atomics.load(control, BEGUN) === begun)
  const done = (): number => control.slice(TURNS).reduce((sum, turns) => sum + turns, 0)
  for (let i = 0; i < deaths; i++) {
    await allWork()
    const before = done()
    const enough = dice.roll(500)
    await eventually(() => done() - before >= enough)
    const place = dice.roll(living.length)
    await living[place]?.kill()
    living[place] = begin()
  }
  await allWork()
  Atomics.store(control, STOP, 1)
  await Promise.all(living.map((hand) => hand.result))
  emptyCompletionQueues(trade)
  // A thread has at most two blocks in hand: one that it made, and one that it got for it, or is cutting another from.
  const lost = arena.extent - drain(arena)
  const most = deaths * 2 * largestOf(trade)
  assert.ok(lost <= most, `${lost} > ${most}, ${seeded}`)
})
