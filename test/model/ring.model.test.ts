/**
 * The ring under every interleaving of two or three threads, each of which may die before any of its steps. Ids such as
 * [RG9] refer to docs/spec/memory-structures.md. All rings have two cells and stand where positions and laps wrap.
 */
import { sharedWords } from "#atomics"
import { RING, Ring } from "#src/memory/structures/ring.js"
import assert from "node:assert/strict"
import test from "node:test"
import { startRingAt } from "../spec/memory/fenced.ts"
import { explore, name, type Report } from "./explore.ts"
import { Logs, NO, YES } from "./logs.ts"
import { assertExplored } from "./support.ts"

const CAPACITY = 2
/** Laps of four bits: the position before the first wraps together with its lap. */
const MAX_VALUE = 2 ** 28 - 1
const START = 2 ** 32 - 2

interface Call {
  readonly what: "offer" | "poll" | "remove" | "isEmpty"
  readonly value: number
}

const offer = (value: number): Call => ({ what: "offer", value })
const remove = (value: number): Call => ({ what: "remove", value })
const poll: Call = { what: "poll", value: 0 }
const isEmpty: Call = { what: "isEmpty", value: 0 }

function make(ring: Ring, { what, value }: Call): number {
  if (what === "poll") return ring.poll() || NO
  const result = what === "offer" ? ring.offer(value) : what === "remove" ? ring.remove(value) : ring.isEmpty
  return result ? YES : NO
}

/** Who does what, at most three. Values are all different. */
type Plans = Readonly<Record<string, readonly Call[]>>

interface Shared {
  readonly words: Int32Array
  readonly logs: Logs
}

function setUp(prefilled: readonly number[]): Shared {
  const words = sharedWords(Ring.wordsFor(CAPACITY))
  const { TAIL, HEAD, HOLES, CELLS } = RING
  name(words, "ring", { tail: TAIL, head: HEAD, holes: HOLES, cell0: CELLS, cell1: CELLS + 1 })
  startRingAt(words, 0, START, CAPACITY, MAX_VALUE)
  const ring = ringOver(words)
  for (const value of prefilled) assert.ok(ring.offer(value))
  return { words, logs: new Logs(3) }
}

function ringOver(words: Int32Array): Ring {
  return new Ring(words, 0, CAPACITY, MAX_VALUE)
}

/** Explores what the threads do with a ring that holds these values; up to two of them may die. */
function check(prefilled: readonly number[], plans: Plans): Report {
  const names = Object.keys(plans)
  const bodies = names.map((thread, i) => [
    thread,
    ({ words, logs }: Shared) => {
      const ring = ringOver(words)
      const calls = (plans[thread] ?? []).map((call) => () => make(ring, call))
      logs.record(i, calls)
      return true
    },
  ])
  return explore({
    setup: () => setUp(prefilled),
    threads: Object.fromEntries(bodies) as Record<string, (shared: Shared) => boolean>,
    kill: names,
    kills: 2,
    finally: ({ words, logs }, outcomes) => {
      const histories = names.map((thread, i): History => {
        const calls = plans[thread] ?? []
        const results = logs.of(i)
        if (outcomes[thread] !== undefined) assert.equal(results.length, calls.length)
        return { calls, results, cutShort: calls[results.length] }
      })
      judge(prefilled, histories, ringOver(words))
    },
  })
}

interface History {
  readonly calls: readonly Call[]
  readonly results: readonly number[]
  /** The call in which the thread died, or would have come to next. */
  readonly cutShort: Call | undefined
}

/** Whether a ring can have given these results, and is in order. */
function judge(prefilled: readonly number[], histories: readonly History[], ring: Ring): void {
  const { size, isEmpty: empty } = ring
  const left = drain(ring)
  assert.equal(size, left.length, "the size was wrong")
  assert.equal(empty, left.length === 0)

  const accepted = [...prefilled]
  const uncertain: number[] = []
  const polled = histories.map(({ results }) => results.filter((result) => result > 0))
  const out = polled.flat()
  let heldTasks = 0
  for (const { calls, results, cutShort } of histories) {
    for (const [i, result] of results.entries()) {
      const { what, value } = calls[i] as Call
      if (what === "offer" && result === YES) accepted.push(value)
      if (what === "remove" && result === YES) out.push(value)
    }
    if (cutShort?.what === "offer") uncertain.push(cutShort.value)
    if (cutShort?.what === "poll" || cutShort?.what === "remove") heldTasks++
  }

  const seen = [...out, ...left]
  assert.equal(new Set(seen).size, seen.length, `a value came out twice: ${seen}`)
  for (const value of seen) assert.ok([...accepted, ...uncertain].includes(value), `${value} came from nowhere`)
  const lost = accepted.filter((value) => !seen.includes(value))
  assert.ok(lost.length <= heldTasks, `lost ${lost}`)

  // In the order in which they went in. What was prefilled counts as one producer's.
  const producers = [prefilled, ...histories.map(({ calls }) => calls.filter(isOffer).map(({ value }) => value))]
  for (const values of producers) {
    const inOrder = (some: readonly number[]): boolean => {
      const places = some.map((value) => values.indexOf(value)).filter((place) => place >= 0)
      return places.every((place, i) => i === 0 || place > (places[i - 1] as number))
    }
    for (const one of polled) assert.ok(inOrder([...one, ...left]), `${one} and then ${left} are out of order`)
  }

  // Refusals. What was in from the beginning and is still in was in all the time.
  for (const { calls, results } of histories) {
    for (const [i, result] of results.entries()) {
      const { what, value } = calls[i] as Call
      const others = [...accepted, ...uncertain].filter((each) => each !== value)
      if (what === "offer" && result === NO) assert.ok(others.length >= CAPACITY, `${value} was refused without need`)
      const saysEmpty = (what === "poll" && result === NO) || (what === "isEmpty" && result === YES)
      const later = results.slice(i)
      if (saysEmpty) {
        assert.ok(!prefilled.some((each) => left.includes(each) || later.includes(each)), "it was not empty")
      }
      if (what === "remove" && result === NO) assert.ok(!prefilled.includes(value) || !left.includes(value))
    }
  }

  assert.deepEqual([ring.offer(101), ring.offer(102), ring.offer(103)], [true, true, false])
  assert.deepEqual([ring.poll(), ring.poll(), ring.poll()], [101, 102, 0])
}

function drain(ring: Ring): number[] {
  const values: number[] = []
  for (let value = ring.poll(); value !== 0; value = ring.poll()) values.push(value)
  return values
}

function isOffer({ what }: Call): boolean {
  return what === "offer"
}

test("[RG3][RG9][RG10][RG12][RG13] two producers and a consumer", () => {
  assertExplored(check([], { p: [offer(1), offer(2)], q: [offer(3)], c: [poll, poll, poll] }), 10_000)
})

test("[RG3][RG9][RG10][RG12][RG13] a producer and two consumers", () => {
  assertExplored(check([], { p: [offer(1), offer(2), offer(3)], c: [poll, poll], d: [poll] }), 20_000)
})

test("[RG3][RG6][RG9][RG12] two producers and a consumer, round a ring that is full", () => {
  assertExplored(check([8, 9], { p: [offer(1), offer(2)], q: [offer(3)], c: [poll, poll] }), 10_000)
})

test("[RG3][RG6][RG9][RG12] two consumers and a producer, round a ring that is full", () => {
  assertExplored(check([8, 9], { p: [offer(1), offer(2)], c: [poll, poll], d: [poll] }), 10_000)
})

test("[RG3][RG6][RG9][RG10][RG12] a producer and a consumer, several times round", () => {
  const plans = { p: [1, 2, 3, 4, 5, 6].map(offer), c: [poll, poll, poll, poll, isEmpty] }
  assertExplored(check([], plans), 5_000)
})

for (const victim of [8, 9]) {
  test(`[RG4][RG9][RG12][RG13] polling and removing value ${victim} of 8, 9`, () => {
    assertExplored(check([8, 9], { r: [remove(victim), isEmpty], c: [poll], p: [offer(1)] }), 5_000)
  })
}

test("[RG4][RG9][RG12][RG13] two remove the same value while it comes", () => {
  assertExplored(check([9], { r: [remove(1)], s: [remove(1), poll], p: [offer(1), offer(2)] }), 10_000)
})

test("[RG3][RG4][RG5][RG13] holes that go round with the ring", () => {
  const plans = { p: [offer(1), remove(1), offer(2), remove(2), offer(3)], c: [isEmpty, poll, remove(9)] }
  assertExplored(check([9], plans), 10_000)
})

/** Two threads with so many steps can only be interleaved so often. */
const PREEMPTIONS = 2

/** Offers and polls so often that laps begin anew in the middle of it. */
function goRound({ words }: Shared): { offered: number[]; polled: number[] } {
  const ring = ringOver(words)
  const offered: number[] = []
  const polled: number[] = []
  for (let value = 1; value <= 20 * CAPACITY; value++) {
    if (ring.offer(value)) offered.push(value)
    const first = ring.poll()
    if (first !== 0) polled.push(first)
  }
  return { offered, polled }
}

test("[RG9][RG10] nothing is lost when a producer is held up for as many laps as there are", () => {
  const late = 1000
  const report = explore({
    setup: () => setUp([]),
    threads: { late: ({ words }) => ringOver(words).offer(late), busy: goRound },
    preemptions: PREEMPTIONS,
    finally: ({ words }, { late: isIn = false, busy: { offered, polled } = { offered: [], polled: [] } }) => {
      const ring = ringOver(words)
      const { size } = ring
      const left = drain(ring)
      assert.equal(size, left.length)
      const expected = isIn ? [...offered, late] : offered
      const out = [...polled, ...left].sort((a, b) => a - b)
      assert.deepEqual(out, expected)
    },
  })
  assertExplored(report, 1_000)
})

test("[RG9][RG10] nor when a consumer is", () => {
  const report = explore({
    setup: () => setUp([]),
    threads: { late: ({ words }) => ringOver(words).poll(), busy: goRound },
    preemptions: PREEMPTIONS,
    finally: ({ words }, { late = 0, busy: { offered, polled } = { offered: [], polled: [] } }) => {
      const left = drain(ringOver(words))
      const out = [...polled, ...left, late].filter((value) => value !== 0).sort((a, b) => a - b)
      assert.deepEqual(out, offered)
    },
  })
  assertExplored(report, 1_000)
})
