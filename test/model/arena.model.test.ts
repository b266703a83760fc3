/**
 * The arena under every interleaving of two or three threads, any of which may die before any of its steps. Ids such as
 * [AR10] refer to docs/spec/memory-structures.md.
 */
import { sharedWords } from "#atomics"
import { Arena, ARENA, BLOCK, KIND } from "#src/memory/structures/arena.js"
import assert from "node:assert/strict"
import test from "node:test"
import { explore, name, type Report } from "./explore.ts"
import { Logs, NO, YES } from "./logs.ts"
import type { Limits } from "./model.ts"
import { assertExplored } from "./support.ts"

const UNIT = 32

/** Take a block of so many units; give the first, second… that this thread has taken; give the one all know of. */
type Call = { readonly take: number } | { readonly give: number } | "give common"

const one: Call = { take: 1 }
const two: Call = { take: 2 }
const four: Call = { take: 4 }
const first: Call = { give: 0 }
const second: Call = { give: 1 }

interface Setting {
  /** The units of the memory. */
  readonly units: number
  /** The sizes of the blocks that are free at the beginning, the first of a size on top. What is left is fresh. */
  readonly free?: readonly number[]
  /** The size of a block that is in use at the beginning, by nobody. */
  readonly common?: number
}

interface Shared {
  readonly words: Int32Array<SharedArrayBuffer>
  readonly logs: Logs
  readonly common: number
}

function bytesOf(units: number): number {
  return (units * UNIT - BLOCK.DATA) * 4
}

function setUp({ units, free = [], common = 0 }: Setting): Shared {
  const words = sharedWords(Arena.overhead / 4 + units * UNIT)
  name(words, "arena", fieldsOf(units))
  const arena = new Arena(words.buffer)
  const blocks = free.map((size) => arena.take(bytesOf(size)))
  const known = common === 0 ? 0 : arena.take(bytesOf(common))
  for (const block of blocks.reverse()) assert.ok(arena.give(block))
  return { words, logs: new Logs(3), common: known }
}

function fieldsOf(units: number): Record<string, number> {
  const fields: Record<string, number> = { extent: ARENA.EXTENT }
  for (const [kind, size] of [1, 2, 4, 8].entries()) {
    fields[`head${size}`] = ARENA.KINDS + kind * KIND.SIZE + KIND.HEAD
    fields[`taken${size}`] = ARENA.KINDS + kind * KIND.SIZE + KIND.TAKEN
  }
  for (let unit = 0; unit < units; unit++) {
    const block = Arena.overhead / 4 + unit * UNIT
    fields[`seal${block}`] = block + BLOCK.SEAL
    fields[`link${block}`] = block + BLOCK.LINK
  }
  return fields
}

function calling(thread: number, plan: readonly Call[]): (shared: Shared) => boolean {
  return ({ words, logs, common }) => {
    const arena = new Arena(words.buffer)
    const taken: number[] = []
    const take = (units: number): number => {
      const block = arena.take(bytesOf(units))
      taken.push(block)
      return block === 0 ? NO : block
    }
    const give = (block: number | undefined): number => {
      // Nothing to give, because there was nothing to take.
      if (block === undefined || block === 0) return YES
      return arena.give(block) ? YES : NO
    }
    const carryOut = (call: Call): number => {
      if (call === "give common") return give(common)
      return "take" in call ? take(call.take) : give(taken[call.give])
    }
    logs.record(
      thread,
      plan.map((call) => () => carryOut(call)),
    )
    return true
  }
}

/** The blocks that a thread still has after its calls, and their units. */
function heldAfter(plan: readonly Call[], results: readonly number[]): Map<number, number> {
  const taken: number[] = []
  const held = new Map<number, number>()
  for (const [i, call] of plan.entries()) {
    // If a call was cut short nobody can say whether the block is in use.
    if (i > results.length || call === "give common") continue
    const result = results[i] ?? NO
    if ("take" in call) {
      taken.push(result)
      if (result !== NO) held.set(result, call.take)
    } else {
      if (i < results.length) assert.notEqual(result, NO, "somebody else has given what is mine")
      held.delete(taken[call.give] ?? NO)
    }
  }
  return held
}

/** The units of the block that a thread can have had in hand when it died: none if it did not. */
function unitsInHand(plan: readonly Call[], results: readonly number[], common: number, largest: number): number {
  const call = plan[results.length]
  if (call === undefined) return 0
  if (call === "give common") return common
  // To take a block may be to cut the largest.
  if ("take" in call) return largest
  const takes = plan.filter((earlier) => typeof earlier === "object" && "take" in earlier)
  return takes[call.give]?.take ?? 0
}

type Plans = Readonly<Record<string, readonly Call[]>>
type Further = Pick<Limits, "kills" | "preemptions" | "plainSteps">

/** Explores what threads do with this memory; up to two of them may die, unless that is too much to explore. */
function check(setting: Setting, plans: Plans, further: Further = {}): Report {
  const names = Object.keys(plans)
  const bodies = names.map((thread, i) => [thread, calling(i, plans[thread] ?? [])] as const)
  const largest = Math.max(...(setting.free ?? []), ...Object.values(plans).flat().map(unitsTaken))
  return explore({
    setup: () => setUp(setting),
    threads: Object.fromEntries(bodies),
    kill: names,
    kills: 2,
    plainSteps: true,
    ...further,
    finally: ({ words, logs, common }, outcomes) => {
      const inUse = new Map<number, number>()
      const given: number[] = []
      let heldTasks = 0
      let midway = 0
      for (const [i, thread] of names.entries()) {
        const plan = plans[thread] ?? []
        const results = logs.of(i)
        if (outcomes[thread] !== undefined) assert.equal(results.length, plan.length)
        for (const [block, units] of heldAfter(plan, results)) {
          assert.ok(!inUse.has(block), "in use twice")
          inUse.set(block, units)
        }
        heldTasks += unitsInHand(plan, results, setting.common ?? 0, largest)
        if (results.length < plan.length) midway++
        if (plan.includes("give common")) given.push(results[plan.indexOf("give common")] ?? YES)
      }
      if (midway === 0 && given.length > 0) {
        assert.equal(given.filter((result) => result === YES).length, 1, "of all who give one succeeds")
      }
      if (common !== 0 && given.length === 0) inUse.set(common, setting.common ?? 0)
      judge(new Arena(words.buffer), setting.units, inUse, { heldTasks, midway })
    },
  })
}

function unitsTaken(call: Call): number {
  return typeof call === "object" && "take" in call ? call.take : 0
}

/** Whether these blocks are in use, and all else can be taken, apart from what the dead had in hand. */
function judge(
  arena: Arena,
  units: number,
  inUse: ReadonlyMap<number, number>,
  dead: { readonly heldTasks: number; readonly midway: number },
): void {
  const owners = new Map<number, number>()
  const occupy = (block: number, size: number): void => {
    for (let unit = block; unit < block + size * UNIT; unit += UNIT) {
      assert.ok(!owners.has(unit), `${block} overlaps ${owners.get(unit)}`)
      owners.set(unit, block)
    }
  }
  for (const [block, size] of inUse) {
    assert.equal(arena.roomIn(block), bytesOf(size))
    occupy(block, size)
  }
  if (dead.midway === 0) assert.equal(arena.used, owners.size * UNIT * 4)
  for (let block = arena.take(0); block !== 0; block = arena.take(0)) occupy(block, 1)
  assert.ok(owners.size <= units)
  assert.ok(owners.size >= units - dead.heldTasks, `only ${owners.size} units are left`)
  for (const block of new Set(owners.values())) assert.ok(arena.give(block))
}

test("[AR10][AR12] a block that goes and comes back while another thread looks at it", () => {
  const plans = { a: [one], b: [one, one, first] }
  assertExplored(check({ units: 3, free: [1, 1, 1] }, plans), 500)
})

test("[AR10][AR11][AR12] two threads take turns with two blocks", () => {
  const plans = { a: [one, first, one], b: [one, one, first, second] }
  assertExplored(check({ units: 2, free: [1, 1] }, plans), 1_000)
})

test("[AR10][AR12] three threads take and give", () => {
  const plans = { a: [one, first], b: [one, first], c: [one] }
  assertExplored(check({ units: 2, free: [1, 1] }, plans, { kills: 1, preemptions: 2 }), 1_000)
})

test("[AR10][AR12] the last of the fresh memory", () => {
  const plans = { a: [one, first], b: [two], c: [one] }
  assertExplored(check({ units: 3 }, plans), 500)
})

test("[AR10][AR12] two cut the same block", () => {
  const plans = { a: [one], b: [one, first] }
  assertExplored(check({ units: 4, free: [4] }, plans), 500)
})

test("[AR10][AR12] one cuts a block that another wants whole, and gives back", () => {
  const plans = { a: [one, first], b: [four, first, two] }
  assertExplored(check({ units: 4, free: [4] }, plans), 500)
})

test("[AR10][AR12] three threads cut two blocks of different sizes", () => {
  const plans = { a: [one], b: [two], c: [one, first] }
  assertExplored(check({ units: 6, free: [4, 2] }, plans, { kills: 1, preemptions: 2 }), 1_000)
})

test("[AR7][AR10][AR12] two give the same block, and a third takes one of another size", () => {
  const plans: Plans = { a: ["give common"], b: ["give common"], c: [two, first] }
  assertExplored(check({ units: 3, free: [2], common: 1 }, plans), 200)
})

test("[AR10][AR12] a block is given while another thread finds none and makes one", () => {
  const plans: Plans = { a: ["give common"], b: [one, one] }
  assertExplored(check({ units: 3, common: 1 }, plans), 100)
})

test("[AR11] there is always one for each of as many threads as blocks", () => {
  for (const free of [[], [1, 1]]) {
    const report = explore({
      setup: () => setUp({ units: 2, free }),
      threads: { a: calling(0, [one, first, one]), b: calling(1, [one, first, one]) },
      finally: ({ logs }) => assert.ok(![...logs.of(0), ...logs.of(1)].includes(NO)),
    })
    assertExplored(report, 200)
  }
})
