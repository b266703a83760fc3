/** The cyclic barrier, blocking and awaiting, with parties that give up, that reset it, and that die. */
import { add, load, read } from "#atomics"
import { BrokenBarrierError, TimeoutError } from "#src/errors.js"
import { mainFlow } from "#src/memory/flow/flow.js"
import { SharedMemory } from "#src/memory/shared/shared-memory.js"
import { QUEUE } from "#src/memory/wait/wait-queue.js"
import { blocking, drive } from "#src/memory/flow/waiting.js"
import { BarrierCore, type Turn, type Way } from "#src/sync/barrier-core.js"
import { BARRIER, BarrierGeneration, INNER, OUTER } from "#src/sync/barrier-generation.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { explore, type Limits, type Self } from "./explore.ts"
import { Program } from "./program.ts"
import { assertExplored } from "./support.ts"

const PATIENT: Way = { timeout: Infinity, blocks: false }
const IMPATIENT: Way = { timeout: 1, blocks: false }

/** A step more takes ten times as long. */
const PREEMPTIONS = Number(process.env["STRESS"] ?? 1) >= 10 ? 2 : 1

/** How often each outcome came, and how often the action was over. */
const TALLY = { TRIPPED: 0, BROKEN: 1, TIMED_OUT: 2, ACTED: 3, SIZE: 4 } as const

function setupFor(parties: number, hasAction: boolean) {
  return () => {
    const program = new Program("a", "b", "c")
    const words = program.words(BarrierGeneration.size(parties), "barrier", BARRIER)
    BarrierGeneration.begin(words, parties, hasAction)
    return { program, words, tally: program.words(TALLY.SIZE, "tally", TALLY) }
  }
}
type S = ReturnType<ReturnType<typeof setupFor>>
type Body = (shared: S, self: Self) => unknown

function coreOf({ program, words }: S, name: string): BarrierCore {
  return new BarrierCore(program.memory(name, words))
}

/** Counts how a wait ended, and says it. Any other error is a violation. */
function count({ tally }: S, error?: unknown): keyof typeof TALLY {
  const outcome = outcomeOf(error)
  add(tally, TALLY[outcome], 1)
  return outcome
}

function outcomeOf(error: unknown): keyof typeof TALLY {
  if (error instanceof BrokenBarrierError) return "BROKEN"
  if (error instanceof TimeoutError) return "TIMED_OUT"
  if (error !== undefined) throw error as Error
  return "TRIPPED"
}

/** Runs the action if that is our turn. Of this round nobody may have gone on yet. */
function act(core: BarrierCore, shared: S, arrival: number | Turn): void {
  if (typeof arrival === "number") return
  const { parties } = core.generation
  const before = add(shared.tally, TALLY.ACTED, 1)
  assert.ok(load(shared.tally, TALLY.TRIPPED) <= before * parties, "somebody went on before the action was over")
  if (!blocking(core.finishing(mainFlow, arrival, true))) throw new BrokenBarrierError("Ended by others")
}

/** Comes so often, or until the barrier is broken. */
function blocker(name: string, { rounds = 1, way = PATIENT } = {}): (shared: S) => unknown {
  return (shared) => {
    const core = coreOf(shared, name)
    let outcome: unknown
    try {
      for (let round = 0; round < rounds; round++) {
        act(core, shared, blocking(core.arriving(mainFlow, way), way.timeout))
        outcome = count(shared)
      }
    } catch (error) {
      outcome = count(shared, error)
    }
    return outcome
  }
}

function awaiter(name: string): Body {
  return (shared, self) => {
    const core = coreOf(shared, name)
    let done = false
    self.until(() => done)
    const reject = (error: unknown): void => {
      count(shared, error)
      done = true
    }
    const resolve = (arrival: number | Turn): void => {
      try {
        act(core, shared, arrival)
        count(shared)
        done = true
      } catch (error) {
        reject(error)
      }
    }
    drive(core.arriving(mainFlow, PATIENT), { resolve, reject }, mainFlow, Infinity)
  }
}

const resetter: Body = (shared) => blocking(coreOf(shared, "c").resetting(mainFlow))

/** What became of those who came. Then nobody is inside, and nobody waits. */
function outcomes({ words, tally }: S): { tripped: number; broken: number; timedOut: number; acted: number } {
  for (const word of ["GUARD", "TRIPPER", "ENDING", "ARRIVED"] as const) {
    assert.equal(load(words, BARRIER[word]), 0, word)
  }
  for (const queue of [INNER, OUTER]) assert.equal(load(words, queue + QUEUE.HEAD), 0)
  const [tripped = 0, broken = 0, timedOut = 0, acted = 0] = Array.from(tally, (_, word) => load(tally, word))
  return { tripped, broken, timedOut, acted }
}

/** The same after a death: somebody has to come, to see it. A reset then makes the barrier as good as new. */
function outcomesOfSurvivors(shared: S): ReturnType<typeof outcomes> {
  const core = coreOf(shared, "c")
  blocking(core.resetting(mainFlow))
  assert.equal(core.generation.isBroken, false)
  assert.equal(core.generation.isUpToDate, true)
  return outcomes(shared)
}

interface Case extends Limits {
  readonly parties: number
  readonly hasAction?: boolean
  readonly threads: Record<string, Body>
  readonly kill?: string[]
  readonly finally: (shared: S, outcomes: Readonly<Record<string, unknown>>) => void
}

function check({ parties, hasAction = false, kill, ...model }: Case): void {
  const report = explore({
    setup: setupFor(parties, hasAction),
    preemptions: PREEMPTIONS,
    states: 5_000_000,
    ...(kill === undefined ? {} : { kill, onKill: ({ program }: S, name: string) => program.reap(name) }),
    ...model,
  })
  assertExplored(report, 400)
}

const [a, b, c] = [blocker("a"), blocker("b"), blocker("c")]

for (const [kinds, hasAction, threads] of [
  ["two that block", false, { a, b }],
  ["two that block", true, { a, b }],
  ["two that await", false, { a: awaiter("a"), b: awaiter("b") }],
  ["one that blocks and one that awaits", true, { a, b: awaiter("b") }],
  ["three", false, { a, b: awaiter("b"), c }],
] as const) {
  const parties = Object.keys(threads).length
  test(`[CB30] ${kinds} go on together, ${hasAction ? "after the action" : "without an action"}`, () =>
    check({
      parties,
      hasAction,
      threads,
      finally: (shared) =>
        assert.deepEqual(outcomes(shared), { tripped: parties, broken: 0, timedOut: 0, acted: hasAction ? 1 : 0 }),
    }))
}

test("[CB30] and meet again", () =>
  check({
    parties: 2,
    hasAction: true,
    threads: { a: blocker("a", { rounds: 2 }), b: blocker("b", { rounds: 2 }) },
    finally: (shared) => assert.deepEqual(outcomes(shared), { tripped: 4, broken: 0, timedOut: 0, acted: 2 }),
  }))

test("[CB30] of three, the third waits for the next round", () =>
  check({
    parties: 2,
    hasAction: true,
    threads: {
      a: blocker("a", { way: IMPATIENT }),
      b: blocker("b", { way: IMPATIENT }),
      c: blocker("c", { way: IMPATIENT }),
    },
    timeouts: 0,
    finally: (shared) => assert.deepEqual(outcomes(shared), { tripped: 2, broken: 0, timedOut: 1, acted: 1 }),
  }))

for (const hasAction of [false, true]) {
  test(`[CB31] one that gives up, ${hasAction ? "with" : "without"} an action`, () =>
    check({
      parties: 2,
      hasAction,
      threads: { a, b: blocker("b", { way: IMPATIENT }) },
      preemptions: hasAction ? 2 : PREEMPTIONS, // one to begin the action, one to come back to who gives up
      finally: (shared) => {
        const { tripped, broken, timedOut, acted } = outcomes(shared)
        if (timedOut === 0) assert.deepEqual({ tripped, broken }, { tripped: 2, broken: 0 })
        else assert.deepEqual({ tripped, broken, timedOut, acted }, { tripped: 0, broken: 1, timedOut: 1, acted: 0 })
      },
    }))

  test(`[CB31] one that resets, ${hasAction ? "with" : "without"} an action`, () =>
    check({
      parties: 2,
      hasAction,
      // One that was there before the reset leaves the other alone: that one gives up if nobody comes.
      threads: { a: blocker("a", { way: IMPATIENT }), b: blocker("b", { way: IMPATIENT }), c: resetter },
      timeouts: 0,
      preemptions: hasAction ? PREEMPTIONS : PREEMPTIONS - 1,
      finally: (shared) => {
        const { tripped, broken, timedOut } = outcomes(shared)
        assert.equal(tripped + broken + timedOut, 2)
        assert.ok(tripped === 0 || tripped === 2, "only one of the two went on")
        assert.ok(timedOut === 0 || broken === 1, "gave up for no reason")
      },
    }))
}

for (const [what, hasAction, threads] of [
  ["blocking", false, { a, b: blocker("b", { way: IMPATIENT }) }],
  ["awaiting", true, { a: awaiter("a"), b: blocker("b", { way: IMPATIENT }) }],
] as const) {
  test(`[CB32] one of two dies, ${what}, ${hasAction ? "with" : "without"} an action`, () =>
    check({
      parties: 2,
      hasAction,
      threads,
      kill: ["a"],
      timeouts: 0,
      preemptions: hasAction ? PREEMPTIONS - 1 : PREEMPTIONS,
      // The survivor may wait in vain for one that died before it came, but not for one that had come.
      finally: (shared) => {
        const { timedOut } = outcomesOfSurvivors(shared)
        if (timedOut > 0) assert.equal(hadCome(shared, "a"), false, "the death went unnoticed")
      },
    }))
}

test("[CB32] one of three dies, perhaps over telling the others: they have the same outcome", () =>
  check({
    parties: 3,
    threads: { a, b: blocker("b", { way: IMPATIENT }), c: blocker("c", { way: IMPATIENT }) },
    kill: ["a"],
    timeouts: 0,
    preemptions: PREEMPTIONS - 1,
    finally: (shared, { b: one, c: other }) => {
      const { timedOut } = outcomesOfSurvivors(shared)
      if (timedOut > 0) assert.equal(hadCome(shared, "a"), false, "the death went unnoticed")
      assert.equal(one === "TRIPPED", other === "TRIPPED")
    },
  }))

test("[CB32] of more tasks than can meet one dies, or two, one of them over what the other left behind", () =>
  check({
    parties: 2,
    threads: {
      a: blocker("a", { way: IMPATIENT }),
      b: blocker("b", { way: IMPATIENT }),
      c: blocker("c", { way: IMPATIENT }),
    },
    kill: ["a", "b"],
    kills: PREEMPTIONS,
    timeouts: 0,
    preemptions: 0,
    finally: (shared) => void outcomesOfSurvivors(shared),
  }))

test("[CB32] who was told by one that died is not told again, in another wait, by the one who completes it", () => {
  const report = explore({
    setup: () => {
      const shared = setupFor(2, false)()
      const words = shared.program.words(BarrierGeneration.size(2), "other barrier", BARRIER)
      BarrierGeneration.begin(words, 2, false)
      return { ...shared, other: words }
    },
    threads: {
      a,
      b: ({ program, words, other }) => {
        const memory = program.memory("b", words)
        const meet = (core: BarrierCore): string => {
          try {
            blocking(core.arriving(mainFlow, IMPATIENT), IMPATIENT.timeout)
            return "TRIPPED"
          } catch (error) {
            return outcomeOf(error)
          }
        }
        if (meet(new BarrierCore(memory)) !== "TRIPPED") return
        // Nobody else comes here.
        assert.equal(meet(new BarrierCore(new SharedMemory(memory.threadContext, other, false))), "TIMED_OUT")
      },
      c: (shared) => blocking(coreOf(shared, "c").looking(mainFlow)),
    },
    kill: "a",
    onKill: ({ program }, name) => program.reap(name),
    timeouts: 0,
    preemptions: 0,
    states: 5_000_000,
  })
  assertExplored(report, 400)
})

test("[CB32] one that resets dies", () =>
  check({
    parties: 2,
    threads: { a: blocker("a", { way: IMPATIENT }), c: resetter },
    kill: ["c"],
    timeouts: 0,
    preemptions: PREEMPTIONS - 1,
    finally: (shared) => void outcomesOfSurvivors(shared),
  }))

/** The slots of a round that is over keep what they held. */
function hadCome({ program, words }: S, name: string): boolean {
  const slots = OUTER + (OUTER - INNER)
  for (let slot = slots; slot < words.length; slot += 2) if (read(words, slot + 1) === program.token(name)) return true
  return false
}
