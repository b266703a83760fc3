/**
 * The deque of a worker under every interleaving of its owner and one or two thieves, any of which may die before any of its
 * steps. Plain accesses are steps as well. All deques have two cells and stand where positions wrap. Rules:
 * docs/spec/forkjoin.md.
 */
import { sharedWords } from "#atomics"
import { RING } from "#src/memory/structures/ring.js"
import { SlotDeque } from "#src/platform/queue/slot-deque.js"
import { MOST_TASKS } from "#src/platform/memory/layout.js"
import assert from "node:assert/strict"
import test from "node:test"
import { startRingAt } from "../spec/memory/fenced.ts"
import { explore, name, type Report } from "./explore.ts"
import { Logs, NO, YES } from "./logs.ts"
import { assertExplored } from "./support.ts"

const CAPACITY = 2
const START = 2 ** 32 - CAPACITY

/** What 0 is in a log, where 0 is no entry. */
const NOTHING = -3

type Call = readonly [what: "push" | "pop" | "unpush" | "steal", value?: number]

interface Shared {
  readonly words: Int32Array
  readonly claims: Int32Array
  readonly logs: Logs
}

function setUp(prefilled: readonly number[]): Shared {
  const words = sharedWords(SlotDeque.wordsFor(CAPACITY))
  const claims = sharedWords(4)
  name(words, "deque", { tail: RING.TAIL, head: RING.HEAD, cell0: RING.CELLS, cell1: RING.CELLS + 1 })
  name(claims, "claims")
  startRingAt(words, 0, START, CAPACITY, MOST_TASKS)
  const deque = new SlotDeque(words, 0, CAPACITY)
  deque.adopt()
  for (const value of prefilled) assert.ok(deque.push(value))
  return { words, claims, logs: new Logs(4) }
}

function calling(thread: number, plan: readonly Call[]): (shared: Shared) => boolean {
  return ({ words, claims, logs }) => {
    const deque = new SlotDeque(words, 0, CAPACITY)
    if (plan.some(([what]) => what !== "steal")) deque.adopt()
    const make = ([what, value = 0]: Call): number => {
      if (what === "push") return deque.push(value) ? YES : NO
      if (what === "unpush") return deque.unpush(value) ? value : NOTHING
      return (what === "pop" ? deque.pop() : deque.steal(thread, claims)) || NOTHING
    }
    logs.record(
      thread,
      plan.map((call) => () => make(call)),
    )
    return true
  }
}

interface Plans {
  readonly owner: readonly Call[]
  readonly thief: readonly Call[]
  readonly other?: readonly Call[]
  /** What the next owner does if the first one dies. */
  readonly heir?: readonly Call[]
}

const NAMES = ["owner", "thief", "other", "heir"] as const

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
    ...(heir === undefined ? {} : { onKill: (shared: Shared) => void calling(3, heir)(shared) }),
    plainSteps: true,
    finally: ({ words, claims, logs }, ends) => {
      const outcomes: Readonly<Record<string, boolean | undefined>> = ends
      const histories = NAMES.map((thread, i): History => {
        const calls = plans[thread] ?? []
        const results = logs.of(i)
        if (outcomes[thread] !== undefined) assert.equal(results.length, calls.length)
        return { calls, results, cutShort: calls[results.length] }
      })
      if (outcomes["owner"] !== undefined || heir === undefined) histories.pop()
      judge(prefilled, histories, new SlotDeque(words, 0, CAPACITY), claims)
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
function judge(
  prefilled: readonly number[],
  histories: readonly History[],
  deque: SlotDeque,
  claims: Int32Array,
): void {
  const listed = deque.toArray()
  assert.equal(deque.size, listed.length)
  const left: number[] = []
  for (let value = deque.steal(0, claims); value !== 0; value = deque.steal(0, claims)) left.push(value)
  assert.deepEqual(listed, left)

  const pushed = [...prefilled]
  const uncertain: number[] = []
  let heldTasks = 0
  for (const { calls, results, cutShort } of histories) {
    for (const [i, result] of results.entries()) if (result === YES) pushed.push(calls[i]?.[1] as number)
    if (cutShort?.[0] === "push") uncertain.push(cutShort[1] as number)
    else if (cutShort !== undefined) heldTasks++
  }
  const taken = histories.map(({ results }) => results.filter((result) => result > 0))
  const out = [...taken.flat(), ...left]
  assert.equal(new Set(out).size, out.length, `a value came out twice: ${out}`)
  for (const value of out) assert.ok([...pushed, ...uncertain].includes(value), `${value} came from nowhere`)
  const lost = pushed.filter((value) => !out.includes(value))
  assert.ok(lost.length <= heldTasks, `lost ${lost}`)

  const [owner, ...others] = histories as [History, ...History[]]
  judgeOwner(prefilled, owner)
  for (const { calls, results } of others) {
    if (calls.some(([what]) => what !== "steal")) continue
    // Values are numbered in the order of their pushes, and thieves take the oldest.
    const stolen = [...results.filter((result) => result > 0), ...left]
    assert.ok(
      stolen.every((value, k) => k === 0 || value > (stolen[k - 1] as number)),
      `stolen out of order: ${stolen}`,
    )
    if (results.includes(NOTHING)) assert.ok(!prefilled.some((value) => left.includes(value)), "it was not empty")
  }

  deque.adopt()
  assert.deepEqual([deque.push(101), deque.push(102), deque.push(103)], [true, true, false])
  assert.deepEqual([deque.pop(), deque.steal(0, claims), deque.pop()], [102, 101, 0])
}

/** The owner takes what it pushed last, or nothing if thieves have had it, and then they have had all that was below. */
function judgeOwner(prefilled: readonly number[], { calls, results }: History): void {
  let stack = [...prefilled]
  for (const [i, result] of results.entries()) {
    const [what, value] = calls[i] as Call
    if (result === YES) stack.push(value as number)
    else if (result === NO) assert.ok(stack.length >= CAPACITY, "it was not full")
    else if (result === NOTHING) stack = what === "unpush" && stack.at(-1) !== value ? stack : []
    else assert.equal(result, stack.pop(), "popped out of order")
  }
}

const BOTH = ["owner", "thief"] as const
const pop: Call = ["pop"]
const steal: Call = ["steal"]

test("[FJ60][FJ62][FJ66] owner and thief reach for the last value", () => {
  assertExplored(check([1], { owner: [pop], thief: [steal] }, BOTH), 50)
  assertExplored(check([1], { owner: [["unpush", 1]], thief: [steal] }, BOTH), 50)
})

test("[FJ60][FJ62][FJ66] owner and two thieves reach for the last value", () => {
  assertExplored(check([1], { owner: [pop, ["push", 2], pop], thief: [steal], other: [steal] }, BOTH), 2_000)
})

test("[FJ60][FJ62][FJ66] owner and two thieves reach for two values", () => {
  assertExplored(check([1, 2], { owner: [pop, pop], thief: [steal, steal], other: [steal] }, BOTH), 5_000)
})

test("[FJ60][FJ61][FJ62][FJ66] the owner fills the cells again behind the backs of thieves, and positions wrap", () => {
  const owner: Call[] = [["push", 3], ["push", 4], pop]
  assertExplored(check([1, 2], { owner, thief: [steal, steal], other: [steal] }, BOTH), 10_000)
})

test("[FJ60][FJ61][FJ62][FJ66] owner and thief, several times round", () => {
  const owner: Call[] = [["push", 1], ["push", 2], pop, ["push", 3], ["push", 4], ["unpush", 4], pop]
  assertExplored(check([], { owner, thief: [steal, steal, steal] }, BOTH), 2_000)
})

test("[FJ62] the next owner goes on where the dead one was, while a thief goes on", () => {
  const plans: Plans = { owner: [pop, ["push", 3], pop], thief: [steal, steal], heir: [["push", 11], pop, pop] }
  for (const prefilled of [[], [1], [1, 2]]) assertExplored(check(prefilled, plans, ["owner"]), 1_000)
})
