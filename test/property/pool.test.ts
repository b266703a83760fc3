/**
 * Random operations on random pools. Ids such as [TP109] refer to docs/spec/pool.md. A failure prints the seed and the
 * shortest operations that bring it back: `fc.assert(…, { seed, path })`.
 */
import fc from "fast-check"
import assert from "node:assert/strict"
import test from "node:test"
import { setImmediate as turn } from "node:timers/promises"
import {
  type Operation,
  operation,
  perform,
  roughOperation,
  type Settings,
  settings,
  worldOf,
} from "./pool-operations.ts"
import { onThread, type World } from "./pool-world.ts"

/** Operations of one run, and runs: more than 10 000 operations a property. */
const LENGTH = 50
const RUNS = 300

type Scenario = (world: World, operations: readonly Operation[], chosen: Settings) => Promise<void>

/** Lets the scenario play on many pools; each must then come to its end. Counts what was really done. */
async function holds(operations: fc.Arbitrary<Operation>, scenario: Scenario): Promise<void> {
  let performed = 0
  const many = fc.array(operations, { minLength: LENGTH, maxLength: LENGTH })
  const property = fc.asyncProperty(settings, many, (chosen, chosenOperations) =>
    onThread(async () => {
      const world = worldOf(chosen)
      await scenario(world, chosenOperations, chosen)
      await world.end()
      performed += chosenOperations.length
    }),
  )
  await fc.assert(property, { numRuns: RUNS })
  assert.ok(performed >= 10_000)
}

/** One operation after the other; pool and model are compared after each. */
const oneByOne: Scenario = async (world, operations, chosen) => {
  for (const each of operations) {
    await perform(world, each, chosen.queue)
    world.check()
  }
}

test("[TP109][TP110] whatever is done to a pool, no task is lost and every future settles once", async () => {
  await holds(operation, oneByOne)
})

test("[TP109][TP110][TP112] also if factories and hooks fail, and the pool comes to its end", async () => {
  await holds(roughOperation, oneByOne)
})

test("[TP109][TP110] also if everything is done at once, before any task has begun", async () => {
  await holds(operation, async (world, operations, chosen) => {
    await Promise.all(operations.map((each) => perform(world, each, chosen.queue)))
    world.check()
  })
})

test("[TP111] the figures agree with the model after every single microtask", async () => {
  await holds(roughOperation, async (world, operations, chosen) => {
    const run = { over: false }
    const watch = async (): Promise<void> => {
      while (!run.over) {
        for (let i = 0; i < 20; i++) {
          world.check()
          await Promise.resolve()
        }
        await turn()
      }
    }
    const watching = watch()
    try {
      await oneByOne(world, operations, chosen)
      await world.end()
    } finally {
      run.over = true
      await watching
    }
  })
})

test("[TP112] a pool that is shut down in the middle ends as soon as its tasks do", async () => {
  for (const way of ["shutdown", "shutdownNow"] as const) {
    await holds(operation, async (world, operations, chosen) => {
      const middle = operations.length / 2
      await oneByOne(world, operations.slice(0, middle), chosen)
      await perform(world, { do: way }, chosen.queue)
      for (const each of operations.slice(middle)) {
        await perform(world, each, chosen.queue)
        world.check()
        assert.equal(world.pool.isShutdown, true)
      }
    })
  }
})
