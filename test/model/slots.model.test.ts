/**
 * The allocator of slots under every interleaving of two or three threads, any of which may die before any of its
 * steps. Ids such as [SL8] refer to docs/spec/memory-structures.md.
 */
import { sharedWords } from "#atomics"
import { RING } from "#src/memory/structures/ring.js"
import { SLOT, SLOTS, Slots } from "#src/memory/structures/slots.js"
import assert from "node:assert/strict"
import test from "node:test"
import { explore, name, type Report } from "./explore.ts"
import { Logs, NO, YES } from "./logs.ts"
import type { Limits } from "./model.ts"
import { assertExplored } from "./support.ts"

/** "take"; or free the slot taken as the first, second… of this thread; or free the one everybody knows. */
type Call = "take" | 0 | 1 | 2 | "free common"

interface Shared {
  readonly words: Int32Array
  readonly logs: Logs
  /** A slot that is in use at the beginning, by nobody; 0 if there is none. */
  readonly common: number
}

interface Setting {
  readonly capacity: number
  /** How many slots lie in the ring at the beginning; the others were never used. */
  readonly listed: number
  readonly common?: boolean
}

const BODY = 0

function setUp({ capacity, listed, common = false }: Setting): Shared {
  const words = sharedWords(Slots.wordsFor(capacity, BODY))
  const slots = new Slots(words, 0, capacity, BODY)
  name(words, "slots", fieldsOf(slots))
  const handles = Array.from({ length: listed }, () => slots.take())
  const known = common ? slots.take() : 0
  for (const handle of handles.reverse()) slots.free(handle)
  return { words, logs: new Logs(3), common: known }
}

function fieldsOf(slots: Slots): Record<string, number> {
  const ring = Object.entries(RING).map(([field, index]) => [field.toLowerCase(), SLOTS.RING + index] as const)
  const fields = Object.fromEntries([["fresh", SLOTS.FRESH], ...ring])
  for (let slot = 1; slot <= slots.capacity; slot++) {
    const record = slots.bodyOf(slot) - SLOT.BODY
    fields[`stamp${slot}`] = record + SLOT.STAMP
    fields[`owner${slot}`] = record + SLOT.OWNER
  }
  return fields
}

function calling(thread: number, capacity: number, plan: readonly Call[]): (shared: Shared) => boolean {
  return ({ words, logs, common }) => {
    const slots = new Slots(words, 0, capacity, BODY)
    const taken: number[] = []
    const take = (): number => {
      const handle = slots.take(thread + 1)
      if (handle === 0) return NO
      taken.push(handle)
      return handle
    }
    const free = (handle: number | undefined): number => {
      // Nothing to free, because there was nothing to take.
      if (handle === undefined) return YES
      return slots.free(handle) ? YES : NO
    }
    logs.record(
      thread,
      plan.map((call) => () => (call === "take" ? take() : free(call === "free common" ? common : taken[call]))),
    )
    return true
  }
}

type Plans = Readonly<Record<string, readonly Call[]>>

/** Explores what threads do with these slots; up to two of them may die, unless that is too much to explore. */
function check(setting: Setting, plans: Plans, limits: Pick<Limits, "kills" | "preemptions"> = {}): Report {
  const { capacity } = setting
  const names = Object.keys(plans)
  const bodies = names.map((thread, i) => [thread, calling(i, capacity, plans[thread] ?? [])] as const)
  return explore({
    setup: () => setUp(setting),
    threads: Object.fromEntries(bodies),
    kill: names,
    kills: 2,
    ...limits,
    finally: ({ words, logs, common }, outcomes) => {
      const slots = new Slots(words, 0, capacity, BODY)
      const used = new Set(common === 0 ? [] : [common])
      const freedCommon: number[] = []
      let heldTasks = 0
      for (const [i, thread] of names.entries()) {
        const calls = plans[thread] ?? []
        const results = logs.of(i)
        if (outcomes[thread] !== undefined) assert.equal(results.length, calls.length)
        const taken: number[] = []
        for (const [k, call] of calls.entries()) {
          const result = results[k]
          if (call === "take") {
            if (result === undefined || result === NO) continue
            taken.push(result)
            used.add(result)
          } else {
            const handle = call === "free common" ? common : (taken[call] ?? 0)
            if (call === "free common") freedCommon.push(result ?? YES)
            else assert.notEqual(result, NO, "somebody else has freed what is mine")
            // If the call was cut short nobody can say whether that one is in use still.
            if (result !== undefined || k === results.length) used.delete(handle)
          }
        }
        if (results.length < calls.length) heldTasks++
      }
      const successes = freedCommon.filter((result) => result === YES)
      if (heldTasks === 0 && freedCommon.length > 0) assert.equal(successes.length, 1, "of all who free one succeeds")
      judge(slots, used, heldTasks)
    },
  })
}

/** Whether these handles are in use, and all other slots can be taken, apart from so many that the dead had in hand. */
function judge(slots: Slots, used: ReadonlySet<number>, heldTasks: number): void {
  for (const handle of used) assert.ok(slots.isCurrent(handle), "freed behind somebody's back")
  const all = [...used]
  for (let handle = slots.take(); handle !== 0; handle = slots.take()) {
    all.push(handle)
    assert.ok(slots.isCurrent(handle))
    assert.ok(all.length <= slots.capacity, "more slots than there are")
  }
  const numbers = new Set(all.map((handle) => slots.slotOf(handle)))
  assert.equal(numbers.size, all.length, `in use twice: ${all}`)
  assert.ok(all.length >= slots.capacity - heldTasks, `only ${all.length} slots are left`)
  for (const handle of all) assert.ok(slots.free(handle))
}

test("[SL8][SL9][SL10] a slot that goes and comes back while another thread looks at it", () => {
  const plans = { a: ["take"], b: ["take", "take", 0] } as const
  assertExplored(check({ capacity: 3, listed: 3 }, plans), 500)
})

test("[SL8][SL9][SL10] three threads take and free", () => {
  const plans = { a: ["take", 0], b: ["take", 0], c: ["take"] } as const
  assertExplored(check({ capacity: 2, listed: 2 }, plans, { kills: 1, preemptions: 2 }), 5_000)
})

test("[SL8][SL9][SL10] two threads take turns with two slots", () => {
  const plans = { a: ["take", 0, "take"], b: ["take", "take", 0, 1] } as const
  assertExplored(check({ capacity: 2, listed: 2 }, plans), 1_000)
})

test("[SL8][SL9][SL10] the last fresh slots", () => {
  const plans = { a: ["take", 0], b: ["take"], c: ["take"] } as const
  assertExplored(check({ capacity: 2, listed: 0 }, plans), 1_000)
})

test("[SL4][SL8][SL10] two free the same handle, and a third takes the slot", () => {
  const plans = { a: ["free common"], b: ["free common"], c: ["take", "take", 1] } as const
  assertExplored(check({ capacity: 2, listed: 1, common: true }, plans), 500)
})

test("[SL9] there is always one for each of as many threads as slots, freed or not", () => {
  const report = explore({
    setup: () => setUp({ capacity: 2, listed: 0 }),
    threads: {
      a: calling(0, 2, ["take", 0, "take"]),
      b: calling(1, 2, ["take", 0, "take"]),
    },
    finally: ({ logs }) => assert.ok(![...logs.of(0), ...logs.of(1)].includes(NO)),
  })
  assertExplored(report, 500)
})

test("[SL10][SL11] what a thread owned is reclaimed when it is dead, while others go on", () => {
  const capacity = 3
  const report = explore({
    setup: () => setUp({ capacity, listed: 2 }),
    threads: {
      mortal: calling(0, capacity, ["take", "take", 0]),
      other: calling(1, capacity, ["take", 0]),
    },
    plainSteps: true,
    preemptions: 3,
    kill: "mortal",
    onKill: ({ words, logs }) => {
      const slots = new Slots(words, 0, capacity, BODY)
      logs.record(2, [() => slots.reclaim((owner) => owner === 1) || NO])
    },
    finally: ({ words, logs }, { mortal }) => {
      const slots = new Slots(words, 0, capacity, BODY)
      const [first = 0, second = 0, freed] = logs.of(0)
      const used = new Set<number>()
      if (mortal !== undefined) {
        if (second !== NO) used.add(second)
        judge(slots, used, 0)
        return
      }
      for (const handle of [first, second]) assert.equal(slots.isCurrent(handle), false)
      const reclaimed = Math.max(logs.of(2)[0] ?? 0, 0)
      const owned = [first, second].filter((handle) => handle > 0).length - (freed === YES ? 1 : 0)
      const midway = freed === YES ? 0 : 1
      assert.ok(Math.abs(reclaimed - owned) <= midway)
      judge(slots, used, midway)
    },
  })
  assertExplored(report, 1_000)
})

test("[SL11] two reclaim at the same time, and a third takes and frees", () => {
  const capacity = 2
  const reclaiming =
    (thread: number) =>
    ({ words, logs }: Shared): boolean => {
      const slots = new Slots(words, 0, capacity, BODY)
      logs.record(thread, [() => slots.reclaim((owner) => owner === 9) || NO])
      return true
    }
  const report = explore({
    setup: () => {
      const shared = setUp({ capacity, listed: 0 })
      new Slots(shared.words, 0, capacity, BODY).take(9)
      return shared
    },
    threads: {
      a: reclaiming(0),
      b: reclaiming(1),
      c: calling(2, capacity, ["take", 0, "take"]),
    },
    plainSteps: true,
    finally: ({ words, logs }) => {
      const counts = [logs.of(0), logs.of(1)].map(([count = 0]) => Math.max(count, 0))
      assert.equal((counts[0] ?? 0) + (counts[1] ?? 0), 1)
      const [, , last = NO] = logs.of(2)
      assert.notEqual(last, NO)
      judge(new Slots(words, 0, capacity, BODY), new Set([last]), 0)
    },
  })
  assertExplored(report, 1_000)
})
