/** The hall of an exchanger: every order of a few threads, and their deaths. Rules in docs/spec/phaser.md. */
import { mainFlow } from "#src/memory/flow/flow.js"
import { GrowableMemory } from "#src/memory/shared/growable-memory.js"
import { WAITING } from "#src/memory/thread/node-pool.js"
import { WaitNode } from "#src/memory/wait/wait-node.js"
import { EXCLUSIVE, QUEUE } from "#src/memory/wait/wait-queue.js"
import { blocking, type Steps } from "#src/memory/flow/waiting.js"
import { ExchangeHall, INITIAL_WORDS } from "#src/sync/exchange-hall.js"
import { Visitor } from "#src/sync/visitor.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { explore, type Limits, type Self } from "./explore.ts"
import { awaited, Program } from "./program.ts"
import { assertExplored } from "./support.ts"

/** What each gives: nothing but so many bytes, for a model does not see what is in them. */
const GIFTS = { a: 1, b: 2, c: 3 }
type Name = keyof typeof GIFTS

function setup() {
  const program = new Program("a", "b", "c")
  const words = program.words(INITIAL_WORDS + 512, "hall", QUEUE)
  const shared = { program, words }
  hallOf(shared, "a").hall.begin()
  return shared
}
type S = ReturnType<typeof setup>

function hallOf({ program, words }: S, name: string) {
  const threadContext = program.enter(name)
  const memory = new GrowableMemory(threadContext, words.buffer as SharedArrayBuffer, false)
  return { threadContext, memory, hall: new ExchangeHall(memory) }
}

/** How many bytes it gets. The steps are those of an Exchanger, for a value that is meant for another thread. */
function* exchanging(shared: S, name: Name): Steps<number | undefined> {
  const { threadContext, memory, hall } = hallOf(shared, name)
  const visitor = new Visitor(new WaitNode(threadContext, mainFlow, memory, true, WAITING, EXCLUSIVE))
  try {
    yield* hall.visiting(visitor, new Uint8Array(GIFTS[name]), mainFlow)
  } finally {
    hall.depart(visitor)
  }
  return visitor.bytes?.length
}

type Body = (shared: S, self: Self) => number | undefined

const patient =
  (name: Name): Body =>
  (shared) =>
    blocking(exchanging(shared, name))

/** Gives up if the time is over, which is at any time. */
const impatient =
  (name: Name): Body =>
  (shared) =>
    blocking(exchanging(shared, name), 1)

type Outcomes = { readonly [N in Name]?: number | undefined }

/** Whoever got something got it from the one that got its own. */
function agree(outcomes: Outcomes, dead?: Name): void {
  for (const name of Object.keys(outcomes) as Name[]) {
    const got = outcomes[name]
    if (got === undefined) continue
    const partner = (Object.keys(GIFTS) as Name[]).find((each) => GIFTS[each] === got) as Name
    assert.notEqual(partner, name)
    if (partner !== dead) assert.equal(outcomes[partner], GIFTS[name], `${partner} did not get what ${name} gave`)
  }
}

function isQuiet(shared: S): void {
  const { hall } = hallOf(shared, "a")
  assert.equal(hall.hasOffer, false)
  assert.ok(hall.tryEnter(), "the guard was left closed")
}

function check(threads: Record<string, Body>, ends: readonly string[], limits: Limits, atLeast = 500): void {
  const seen = new Set<string>()
  const report = explore({
    setup,
    threads,
    finally: (shared, outcomes) => {
      agree(outcomes)
      isQuiet(shared)
      seen.add(
        Object.keys(threads)
          .map((name) => outcomes[name] ?? "-")
          .join(" "),
      )
    },
    states: 5_000_000,
    ...limits,
  })
  assert.deepEqual([...seen].sort(), ends)
  assertExplored(report, atLeast)
}

test("[EX1][EX18] two threads that block exchange in every order", () =>
  check({ a: patient("a"), b: patient("b") }, ["2 1"], { preemptions: 1 }))

test("[EX1][EX18] one that awaits and one that blocks exchange in every order", () => {
  const report = explore({
    setup,
    threads: {
      a: (shared, self) => {
        awaited(self, exchanging(shared, "a"), (got) => assert.equal(got, GIFTS.b))
      },
      b: patient("b"),
    },
    finally: (shared, { b }) => {
      assert.equal(b, GIFTS.a)
      isQuiet(shared)
    },
    preemptions: 2,
    states: 5_000_000,
  })
  assertExplored(report, 500)
})

test("[EX8][EX18] two that may give up at any moment both exchange or both do not", () =>
  check({ a: impatient("a"), b: impatient("b") }, ["- -", "2 1"], { preemptions: 2 }))

test("[EX2][EX8] of three, two exchange and one gives up", () =>
  check({ a: impatient("a"), b: impatient("b"), c: impatient("c") }, ["- 3 2", "2 1 -", "3 - 1"], {
    preemptions: 0,
    timeouts: 0,
  }))

/** A third one comes after the death, if it is told to. */
function checkDeath(third: boolean, ends: readonly string[], limits: Limits): void {
  const seen = new Set<string>()
  const report = explore({
    setup,
    threads: { a: impatient("a"), b: impatient("b") },
    kill: "b",
    onKill: (shared, name) => {
      shared.program.reap(name)
      if (third) blocking(exchanging(shared, "c"), 1)
    },
    finally: (shared, { a, b }) => {
      if (b === undefined) agree({ a }, a === GIFTS.b ? "b" : "c")
      else agree({ a, b })
      isQuiet(shared)
      seen.add(`${a ?? "-"} ${b ?? "-"}`)
    },
    states: 5_000_000,
    ...limits,
  })
  assert.deepEqual([...seen].sort(), ends)
  assertExplored(report, 500)
}

test("[EX17] one that dies at any step has exchanged or not, as its partner has", () =>
  checkDeath(false, ["- -", "2 -", "2 1"], { preemptions: 1, timeouts: 0, killAtWrites: false }))

test("[EX16][EX17] and another one can exchange in its place", () =>
  checkDeath(true, ["2 -", "2 1", "3 -"], { preemptions: 0, timeouts: 0 }))
