/**
 * The deque under every interleaving of its owner and one or two thieves, any of which may die before any of its steps.
 * Plain accesses are steps as well. Ids such as [WD8] refer to docs/spec/memory-structures.md. All deques have two
 * cells and stand where positions wrap.
 */
import { sharedWords } from "#atomics"
import { Deque, DEQUE, EMPTY, RETRY } from "#src/memory/deque.js"
import assert from "node:assert/strict"
import test from "node:test"
import { startDequeAt } from "../spec/memory/fenced.ts"
import { explore, name, type Report } from "./explore.ts"
import { Logs, NO, YES } from "./logs.ts"
import { assertExplored } from "./support.ts"

const CAPACITY = 2
const START = 2 ** 32 - 1

/** What EMPTY and RETRY are in a log, where 0 is no entry. */
const NOTHING = -3
const AGAIN = -4

interface Call {
  readonly what: "push" | "pop" | "steal" | "adopt"
  readonly value: number
}

const push = (value: number): Call => ({ what: "push", value })
const pop: Call = { what: "pop", value: 0 }
const steal: Call = { what: "steal", value: 0 }

function make(deque: Deque, { what, value }: Call): number {
  if (what === "push") return deque.push(value) ? YES : NO
  const taken = what === "pop" ? deque.pop() : deque.steal()
  return taken === EMPTY ? NOTHING : taken === RETRY ? AGAIN : taken
}

interface Shared {
  readonly words: Int32Array
  readonly logs: Logs
}

function setUp(prefilled: readonly number[]): Shared {
  const words = sharedWords(Deque.wordsFor(CAPACITY))
  const { TOP, BOTTOM, SEEN, CELLS } = DEQUE
  name(words, "deque", { top: TOP, bottom: BOTTOM, seen: SEEN, cell0: CELLS, cell1: CELLS + 1 })
  startDequeAt(words, 0, START)
  const deque = new Deque(words, 0, CAPACITY)
  for (const value of prefilled) assert.ok(deque.push(value))
  return { words, logs: new Logs(4) }
}

function calling(thread: number, plan: readonly Call[], adopting = false): (shared: Shared) => boolean {
  return ({ words, logs }) => {
    const deque = new Deque(words, 0, CAPACITY)
    if (adopting) deque.adopt()
    logs.record(
      thread,
      plan.map((call) => () => make(deque, call)),
    )
    return true
  }
}

interface Plans {
  readonly owner: readonly Call[]
  readonly thief: readonly Call[]
  readonly other?: readonly Call[]
  /** What the next owner does, after it has adopted the deque, if the first one dies. */
  readonly heir?: readonly Call[]
}

const NAMES = ["owner", "thief", "other", "heir"] as const

/** Explores what owner and thieves do with a deque that holds these values; those named may die, up to two of them. */
function check(prefilled: readonly number[], plans: Plans, mortals: readonly ("owner" | "thief")[]): Report {
  const { heir, other } = plans
  return explore({
    setup: () => setUp(prefilled),
    threads: {
      owner: calling(0, plans.owner),
      thief: calling(1, plans.thief),
      ...(other === undefined ? {} : { other: calling(2, other) }),
    },
    kill: mortals,
    kills: 2,
    ...(heir === undefined ? {} : { onKill: (shared: Shared) => void calling(3, heir, true)(shared) }),
    plainSteps: true,
    finally: ({ words, logs }, ends) => {
      const outcomes: Readonly<Record<string, boolean | undefined>> = ends
      const histories = NAMES.map((thread, i): History => {
        const calls = plans[thread] ?? []
        const results = logs.of(i)
        if (outcomes[thread] !== undefined) assert.equal(results.length, calls.length)
        return { calls, results, cutShort: calls[results.length] }
      })
      const ownerDied = outcomes["owner"] === undefined
      if (!ownerDied || heir === undefined) histories.pop()
      judge(prefilled, histories, ownerDied, new Deque(words, 0, CAPACITY))
    },
  })
}

interface History {
  readonly calls: readonly Call[]
  readonly results: readonly number[]
  /** The call in which the thread died, or would have come to next. */
  readonly cutShort: Call | undefined
}

/** Whether a deque can have given these results, and is in order. */
function judge(prefilled: readonly number[], histories: readonly History[], ownerDied: boolean, deque: Deque): void {
  const { size } = deque
  const left: number[] = []
  for (let value = deque.steal(); value !== EMPTY; value = deque.steal()) {
    assert.notEqual(value, RETRY, "nobody else was there")
    left.push(value)
  }
  assert.equal(size, left.length)

  const pushed = [...prefilled]
  const uncertain: number[] = []
  let inHand = 0
  for (const { calls, results, cutShort } of histories) {
    for (const [i, result] of results.entries()) if (result === YES) pushed.push((calls[i] as Call).value)
    if (cutShort?.what === "push") uncertain.push(cutShort.value)
    else if (cutShort !== undefined) inHand++
  }
  const taken = histories.map(({ results }) => results.filter((result) => result > 0))
  const out = [...taken.flat(), ...left]
  assert.equal(new Set(out).size, out.length, `a value came out twice: ${out}`)
  for (const value of out) assert.ok([...pushed, ...uncertain].includes(value), `${value} came from nowhere`)
  const lost = pushed.filter((value) => !out.includes(value))
  assert.ok(lost.length <= inHand, `lost ${lost}`)

  const [owner, ...others] = histories as [History, ...History[]]
  judgeOwner(prefilled, owner)

  for (const [i, { calls, results }] of others.entries()) {
    if (calls.some(({ what }) => what !== "steal")) continue
    // Values are numbered in the order of their pushes, and thieves take the oldest.
    const stolen = [...(taken[i + 1] as number[]), ...left]
    assert.ok(
      stolen.every((value, k) => k === 0 || value > (stolen[k - 1] as number)),
      `stolen out of order: ${stolen}`,
    )
    const rivals = out.length - left.length - (taken[i + 1] as number[]).length + inHand
    if (results.includes(AGAIN)) assert.ok(rivals > 0, "there was nobody to lose against")
    if (results.includes(NOTHING)) assert.ok(!prefilled.some((value) => left.includes(value)), "it was not empty")
  }

  if (ownerDied) deque.adopt()
  assert.deepEqual([deque.push(101), deque.push(102), deque.push(103)], [true, true, false])
  assert.deepEqual([deque.pop(), deque.steal(), deque.pop(), deque.steal()], [102, 101, EMPTY, EMPTY])
}

/** The owner pops what it pushed last, or nothing if thieves have had it, and then they have had all that was below. */
function judgeOwner(prefilled: readonly number[], { calls, results }: History): void {
  let stack = [...prefilled]
  for (const [i, result] of results.entries()) {
    if (result === YES) stack.push((calls[i] as Call).value)
    else if (result === NO) assert.ok(stack.length >= CAPACITY, "it was not full")
    else if (result === NOTHING) stack = []
    else assert.equal(result, stack.pop(), "popped out of order")
  }
}

const BOTH = ["owner", "thief"] as const

test("[WD8][WD9][WD11][WD12] owner and thief reach for the last value", () => {
  assertExplored(check([1], { owner: [pop], thief: [steal] }, BOTH), 50)
})

test("[WD8][WD9][WD11][WD12] owner and two thieves reach for the last value", () => {
  assertExplored(check([1], { owner: [pop, push(2), pop], thief: [steal], other: [steal] }, BOTH), 2_000)
})

test("[WD2][WD4][WD8][WD9][WD11][WD12] owner and two thieves reach for two values", () => {
  assertExplored(check([1, 2], { owner: [pop, pop], thief: [steal, steal], other: [steal] }, BOTH), 5_000)
})

test("[WD3][WD5][WD8][WD11][WD12] the owner fills the cells again behind the backs of thieves", () => {
  const plans = { owner: [push(3), push(4), pop], thief: [steal, steal], other: [steal] }
  assertExplored(check([1, 2], plans, BOTH), 10_000)
})

test("[WD3][WD5][WD8][WD9][WD11][WD12] owner and thief, several times round", () => {
  const plans = { owner: [push(1), push(2), pop, push(3), push(4), pop, pop], thief: [steal, steal, steal] }
  assertExplored(check([], plans, BOTH), 5_000)
})

test("[WD12][WD13] another owner adopts the deque while thieves go on", () => {
  const plans = { owner: [pop, push(3), pop], thief: [steal, steal], heir: [push(11), pop, pop] }
  for (const prefilled of [[], [1], [1, 2]]) assertExplored(check(prefilled, plans, ["owner"]), 1_000)
})
