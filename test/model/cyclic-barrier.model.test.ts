/** The cyclic barrier, blocking and awaiting, with parties that give up, that reset it, and that die. */
import { add, load } from "#atomics"
import { BrokenBarrierError, TimeoutError } from "#src/errors.js"
import { mainFlow } from "#src/memory/flow.js"
import { QUEUE } from "#src/memory/wait-queue.js"
import { blocking, drive } from "#src/memory/waiting.js"
import { BarrierCore, type Turn } from "#src/sync/barrier-core.js"
import { BARRIER, BarrierGeneration, INNER, OUTER } from "#src/sync/barrier-generation.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { explore, type Limits, type Self } from "./explore.ts"
import { Program } from "./program.ts"
import { assertExplored } from "./support.ts"

const LIMITED = { timeout: 1, blocks: false }
const UNLIMITED = { timeout: Infinity, blocks: false }

/** Words of the test, behind those of the barrier: how often each outcome came, and the action began and ended. */
const OUTCOME = { TRIPPED: 0, BROKEN: 1, TIMED_OUT: 2, BEGUN: 3, ACTED: 4, SIZE: 5 } as const

function setupFor(parties: number, hasAction: boolean) {
  return () => {
    const program = new Program("a", "b", "c")
    const words = program.words(BarrierGeneration.size(parties), "barrier", BARRIER)
    BarrierGeneration.begin(words, parties, hasAction)
    return { program, words, outcomes: program.words(OUTCOME.SIZE, "outcomes", OUTCOME) }
  }
}
type S = ReturnType<ReturnType<typeof setupFor>>
type Body = (shared: S, self: Self) => void

function coreOf({ program, words }: S, name: string): BarrierCore {
  return new BarrierCore(program.memory(name, words))
}

/** Notes how a wait ended. Anything but these three is a violation. */
function note(outcomes: Int32Array, error: unknown): void {
  if (error === undefined) add(outcomes, OUTCOME.TRIPPED, 1)
  else if (error instanceof BrokenBarrierError) add(outcomes, OUTCOME.BROKEN, 1)
  else if (error instanceof TimeoutError) add(outcomes, OUTCOME.TIMED_OUT, 1)
  else throw error
}

/** Runs the action if it is our turn: nobody must have gone on before it is over. */
function act(core: BarrierCore, { outcomes }: S, arrival: number | Turn): void {
  if (typeof arrival === "number") return
  assert.equal(load(outcomes, OUTCOME.TRIPPED), load(outcomes, OUTCOME.ACTED) * core.generation.parties)
  add(outcomes, OUTCOME.BEGUN, 1)
  add(outcomes, OUTCOME.ACTED, 1)
  if (!blocking(core.finishing(mainFlow, arrival, true))) throw new BrokenBarrierError("Ended by others")
}

function blocker(name: string, rounds = 1, way = UNLIMITED): Body {
  return (shared) => {
    const core = coreOf(shared, name)
    for (let round = 0; round < rounds; round++) {
      try {
        act(core, shared, blocking(core.arriving(mainFlow, way), way.timeout))
      } catch (error) {
        note(shared.outcomes, error)
        return
      }
      note(shared.outcomes, undefined)
    }
  }
}

function awaiter(name: string): Body {
  return (shared, self) => {
    const core = coreOf(shared, name)
    let done = false
    self.until(() => done)
    const end = (error: unknown): void => {
      note(shared.outcomes, error)
      done = true
    }
    const resolve = (arrival: number | Turn): void => {
      act(core, shared, arrival)
      end(undefined)
    }
    drive(core.arriving(mainFlow, UNLIMITED), { resolve, reject: end }, mainFlow, Infinity)
  }
}

const resetter: Body = (shared) => blocking(coreOf(shared, "c").resetting(mainFlow))

/** The guard is free, nobody stands in a queue, and nobody who waits was forgotten. */
function isQuiet({ words }: S): void {
  for (const word of ["GUARD", "TRIPPER", "ENDING", "ARRIVED"] as const) assert.equal(load(words, BARRIER[word]), 0, word)
  for (const queue of [INNER, OUTER]) assert.equal(load(words, queue + QUEUE.HEAD), 0)
}

function outcomesOf({ outcomes }: S): { tripped: number; broken: number; timedOut: number; acted: number } {
  return {
    tripped: load(outcomes, OUTCOME.TRIPPED),
    broken: load(outcomes, OUTCOME.BROKEN),
    timedOut: load(outcomes, OUTCOME.TIMED_OUT),
    acted: load(outcomes, OUTCOME.ACTED),
  }
}

interface Case extends Limits {
  readonly parties: number
  readonly hasAction?: boolean
  readonly threads: Record<string, Body>
  readonly kill?: string | string[]
  readonly then?: (shared: S) => void
  readonly atLeast: number
}

function check({ parties, hasAction = false, then = isQuiet, atLeast, kill, ...model }: Case): void {
  const report = explore({
    setup: setupFor(parties, hasAction),
    finally: then,
    states: 5_000_000,
    ...(kill === undefined ? {} : { kill, onKill: ({ program }: S, name: string) => program.bury(name) }),
    ...model,
  })
  if (process.env["VERBOSE"]) console.log(report)
  assertExplored(report, atLeast)
}

test("[CB1] two that block, two rounds", () =>
  check({
    parties: 2,
    threads: { a: blocker("a", 2), b: blocker("b", 2) },
    then: (shared) => {
      isQuiet(shared)
      assert.equal(outcomesOf(shared).tripped, 4)
    },
    atLeast: 1_000,
  }))

test("[CB1] two that await", () => check({ parties: 2, threads: { a: awaiter("a"), b: awaiter("b") }, atLeast: 1_000 }))

test("[CB1] action", () =>
  check({ parties: 2, hasAction: true, threads: { a: blocker("a"), b: awaiter("b") }, atLeast: 1_000 }))

test("[CB1] kill blocking", () =>
  check({
    parties: 2, kill: "a",
    threads: { a: blocker("a"), b: blocker("b", 1, UNLIMITED) },
    then: (s) => {},
    atLeast: 1_000,
  }))
