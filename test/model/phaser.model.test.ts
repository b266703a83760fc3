/** Phasers: every order of a few threads, and their deaths. Rules in docs/spec/phaser.md. */
import { mainFlow } from "#src/memory/flow/flow.js"
import { SharedMemory } from "#src/memory/shared/shared-memory.js"
import { QUEUE } from "#src/memory/wait/wait-queue.js"
import { blocking } from "#src/memory/flow/waiting.js"
import { freshTally, PhaserState, type Tally, unarrivedIn, WORDS } from "#src/sync/phaser-state.js"
import { PhaserTier } from "#src/sync/phaser-tier.js"
import { TierMemory } from "#src/sync/tier-memory.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { explore, type Limits, type Self } from "./explore.ts"
import { awaited, Program } from "./program.ts"
import { assertExplored } from "./support.ts"

/** A root, and a child of it, with so many parties. */
function setup(rootParties: number, childParties = 0) {
  const program = new Program("a", "b", "c")
  const root = program.words(WORDS, "root", { ...QUEUE, COMPLETER: WORDS - 2, ARRIVED_IN: WORDS - 1 })
  const child = program.words(WORDS, "child", { COMPLETER: WORDS - 2, ARRIVED_IN: WORDS - 1 })
  new PhaserState(program.memory("a", root)).begin(freshTally(0, rootParties + (childParties > 0 ? 1 : 0)))
  new PhaserState(program.memory("a", child)).begin(freshTally(0, childParties))
  return { program, root, child }
}
type S = ReturnType<typeof setup>

type Tiers = Record<"root" | "child", PhaserTier>

function tiers({ program, root, child }: S, name: string): Tiers {
  const threadContext = program.enter(name)
  const ends = (_: number, parties: number): boolean => parties === 0
  const rootMemory = TierMemory.of(new SharedMemory(threadContext, root, false), undefined)
  const top = new PhaserTier(rootMemory, undefined, ends)
  return {
    root: top,
    child: new PhaserTier(TierMemory.of(new SharedMemory(threadContext, child, false), rootMemory), top, ends),
  }
}

function tally(shared: S, which: keyof Tiers = "root"): Tally {
  return tiers(shared, "a")[which].look()
}

type Body<T> = (shared: S, self: Self) => T

function meet(name: string, which: keyof Tiers = "root"): Body<number | undefined> {
  return (shared) => {
    const tier = tiers(shared, name)[which]
    const phase = tier.arrive(0)
    return tier.phase === phase ? blocking(tier.passing(phase, mainFlow, false)) : tier.phase
  }
}

function arrive(name: string, which: keyof Tiers = "root", leaving: 0 | 1 = 0): Body<number> {
  return (shared) => tiers(shared, name)[which].arrive(leaving)
}

function register(name: string, which: keyof Tiers = "root"): Body<number> {
  return (shared) => tiers(shared, name)[which].register(1)
}

const BOUNDED: Limits = { preemptions: 2, states: 5_000_000 }

test("[PH21][PH38] two threads that block meet in every order", () => {
  const report = explore({
    setup: () => setup(2),
    threads: { a: meet("a"), b: meet("b") },
    finally: (shared, { a, b }) => {
      assert.deepEqual([a, b], [1, 1])
      const { phase, parties, unarrived } = tally(shared)
      assert.deepEqual([phase, parties, unarrived], [1, 2, 2])
    },
    ...BOUNDED,
  })
  assertExplored(report, 500)
})

test("[PH21][PH38] one that awaits and one that blocks meet in every order, twice", () => {
  const report = explore({
    setup: () => setup(2),
    threads: {
      a: (shared, self) => {
        const { root } = tiers(shared, "a")
        awaited(self, root.passing(root.arrive(0), mainFlow, false), (phase) => {
          assert.equal(phase, 1)
          root.arrive(0)
        })
      },
      b: (shared: S) => {
        const { root } = tiers(shared, "b")
        for (const phase of [0, 1]) {
          assert.equal(root.arrive(0), phase)
          if (root.phase === phase) assert.equal(blocking(root.passing(phase, mainFlow, false)), phase + 1)
        }
      },
    },
    finally: (shared) => assert.equal(tally(shared).phase, 2),
    preemptions: 1,
  })
  assertExplored(report, 500)
})

test("[PH27][PH38] one that gives up at any moment does not keep another from going on", () => {
  const report = explore({
    setup: () => setup(1),
    threads: {
      a: (shared: S) => {
        const { root } = tiers(shared, "a")
        if (root.phase === 0) blocking(root.passing(0, mainFlow, false), 1)
      },
      b: (shared: S) => {
        const { root } = tiers(shared, "b")
        if (root.phase === 0) assert.equal(blocking(root.passing(0, mainFlow, false)), 1)
      },
      c: arrive("c"),
    },
    preemptions: 1,
    states: 5_000_000,
  })
  assertExplored(report, 500)
})

test("[PH3][PH38] a registration counts in the phase it returns, whoever arrives meanwhile", () => {
  const seen = new Set<string>()
  explore({
    setup: () => setup(1),
    threads: { a: arrive("a"), b: register("b") },
    finally: (shared, { a, b }) => {
      assert.equal(a, 0)
      const { phase, parties, unarrived } = tally(shared)
      assert.equal(parties, 2)
      seen.add(`registered in ${b}: phase ${phase}, ${unarrived} to arrive`)
    },
    states: 5_000_000,
  })
  assert.deepEqual([...seen].sort(), ["registered in 0: phase 0, 1 to arrive", "registered in 1: phase 1, 2 to arrive"])
})

test("[PH6][PH38] the last to leave, and nobody else, terminates it", () => {
  explore({
    setup: () => setup(2),
    threads: { a: arrive("a", "root", 1), b: arrive("b", "root", 1) },
    finally: (shared, { a, b }) => {
      assert.deepEqual([a, b], [0, 0])
      assert.equal(tally(shared).phase, 1 - 2 ** 31)
    },
  })
})

test("[PH8][PH38] of two arrivals for one party, one comes in the next phase or is refused", () => {
  const ends = new Set<string>()
  const tryToArrive = (name: string) => (shared: S) => {
    try {
      return String(tiers(shared, name).root.arrive(0))
    } catch (error) {
      if ((error as Error).name !== "IllegalStateError") throw error
      return "refused"
    }
  }
  explore({
    setup: () => setup(1),
    threads: { a: tryToArrive("a"), b: tryToArrive("b") },
    finally: (shared, { a, b }) => void ends.add(`${a} and ${b}: phase ${tally(shared).phase}`),
  })
  const late = ["0 and 1: phase 2", "1 and 0: phase 2"]
  assert.deepEqual(ends, new Set([...late, "0 and refused: phase 1", "refused and 0: phase 1"]))
})

test("[PH31][PH38] of two who register with an empty child at once, one registers it with its parent", () => {
  const report = explore({
    setup: () => setup(1),
    threads: { a: register("a", "child"), b: register("b", "child") },
    finally: (shared, { a, b }) => {
      assert.deepEqual([a, b], [0, 0])
      assert.equal(tally(shared, "child").parties, 2)
      assert.deepEqual([tally(shared).parties, tally(shared).unarrived], [2, 2])
    },
    states: 5_000_000,
  })
  assertExplored(report, 100)
})

test("[PH31][PH38] one leaves a child as its last party while another registers as the first", () => {
  explore({
    setup: () => setup(1, 1),
    threads: { a: arrive("a", "child", 1), b: register("b", "child") },
    finally: (shared, { a, b }) => {
      assert.deepEqual([a, b], [0, 0])
      const [root, child] = [tally(shared), tally(shared, "child")]
      assert.deepEqual([child.parties, child.unarrived], [1, 1])
      assert.deepEqual([root.parties, root.unarrived], [2, 2])
    },
    states: 5_000_000,
  })
})

test("[PH35][PH38] one registers with a child that arrives, and the root goes on, in every order", () => {
  const ends = new Set<string>()
  const report = explore({
    setup: () => setup(1, 1),
    threads: {
      a: arrive("a", "child"),
      b: (shared: S) => {
        const { child } = tiers(shared, "b")
        const phase = child.register(1)
        assert.equal(child.arrive(0), phase)
        return phase
      },
      c: arrive("c"),
    },
    finally: (shared, { b }) => {
      const [root, child] = [tally(shared), tally(shared, "child")]
      assert.equal(child.parties, 2)
      assert.equal(root.phase, 1)
      // In phase 1 all of phase 0 have yet to arrive again, but for the one that registered only then.
      assert.equal(root.parties, 2)
      assert.equal(unarrivedIn(root), 2)
      ends.add(`registered in ${b}, ${unarrivedIn(child)} to arrive`)
    },
    preemptions: 3,
    states: 5_000_000,
  })
  assert.deepEqual([...ends].sort(), ["registered in 0, 2 to arrive", "registered in 1, 1 to arrive"])
  assertExplored(report, 300)
})

test("[PH32][PH38] the parties of a child and of the root meet in every order", () => {
  const report = explore({
    setup: () => setup(1, 1),
    threads: { a: meet("a", "child"), b: meet("b") },
    finally: (_, { a, b }) => assert.deepEqual([a, b], [1, 1]),
    ...BOUNDED,
  })
  assertExplored(report, 500)
})

/** Both have arrived but for one party; who waits now waits for that one. */
function almostOver(parties: number, which: keyof Tiers) {
  const shared = which === "root" ? setup(parties) : setup(0, parties)
  for (let left = parties; left > 1; left--) tiers(shared, "a")[which].arrive(0)
  return shared
}

function wait(name: string): Body<number | undefined> {
  return (shared) => blocking(tiers(shared, name).child.passing(0, mainFlow, false))
}

for (const [where, which] of [
  ["at the root", "root"],
  ["on the way from a child to the root", "child"],
] as const) {
  test(`[PH40] whenever the one dies that ends the phase, ${where}, those who wait go on`, () => {
    const ends = new Set<number | undefined>()
    const report = explore({
      setup: () => almostOver(2, which),
      threads: { a: wait("a"), b: arrive("b", which) },
      kill: "b",
      onKill: (shared, name) => {
        shared.program.reap(name)
        // In its place, unless it has arrived.
        const tier = tiers(shared, "c")[which]
        if (tier.phase === 0 && tier.look().unarrived > 0) tier.arrive(0)
      },
      finally: (_, { a }) => void ends.add(a),
      ...BOUNDED,
    })
    assert.deepEqual(ends, new Set([-(2 ** 31), 1]))
    assertExplored(report, 500)
  })
}

test("[PH40] whoever comes after the death finds it terminated", () => {
  const report = explore({
    setup: () => setup(1),
    threads: { a: arrive("a") },
    kill: "a",
    onKill: (shared, name) => {
      shared.program.reap(name)
      const { root } = tiers(shared, "b")
      const isOver = root.phase !== 0
      const hasArrived = root.look().unarrived === 0
      const phase = root.register(1)
      assert.equal(phase, isOver ? 1 : hasArrived ? -(2 ** 31) : 0)
    },
  })
  assertExplored(report, 5)
})

test("[PH39] whenever one dies that waits, another goes on", () => {
  const report = explore({
    setup: () => almostOver(3, "root"),
    threads: { a: wait("a"), b: wait("b"), c: arrive("c") },
    kill: "b",
    onKill: ({ program }, name) => program.reap(name),
    finally: (_, { a, c }) => assert.deepEqual([a, c], [1, 0]),
    preemptions: 0,
    states: 5_000_000,
  })
  assertExplored(report, 500)
})
