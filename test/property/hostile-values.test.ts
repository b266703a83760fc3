/**
 * A thousand generated values that resist being looked at, as arguments, results and errors of every kind of executor. Rule ids are
 * those of docs/spec/transport.md and pool.md. A failure prints the seed and the shortest recipe: `fc.assert(…, { seed, path })`.
 */
import {
  type ExecutorService,
  Executors,
  ForkJoinPool,
  type Future,
  NotSerializableError,
  platformThreads,
  tasksOf,
  virtualThreads,
} from "corepool"
import fc from "fast-check"
import assert from "node:assert/strict"
import test from "node:test"
import { STRESS } from "../support/stress.ts"
import { EXOTICS, make, REALMS, type Recipe, THENABLES, TRAPS } from "./hostile-values.ts"

const tasks = tasksOf<typeof import("./hostile-value-tasks.ts")>(new URL("hostile-value-tasks.js", import.meta.url))

/** Values of one run, and runs. */
const VALUES = 5
const RUNS = 200 * STRESS

const key = fc.constantFrom(
  "a",
  "b",
  "then",
  "stack",
  "message",
  "name",
  "cause",
  "errors",
  "constructor",
  "toJSON",
  "__proto__",
)
const keys = fc.uniqueArray(key, { minLength: 1, maxLength: 3 })

const { recipe } = fc.letrec<{ recipe: Recipe }>((tie) => {
  const inner = tie("recipe")
  const values = fc.array(inner, { maxLength: 3 })
  return {
    recipe: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.record({ is: fc.constant("exotic" as const), which: fc.nat(EXOTICS.length - 1) }),
      fc.record({ is: fc.constant("foreign" as const), which: fc.nat(REALMS.length - 1) }),
      fc.record({ is: fc.constant("plain" as const), keys, values }),
      fc.record({ is: fc.constantFrom("list" as const, "map" as const, "set" as const, "instance" as const), values }),
      fc.record({ is: fc.constant("unreadable" as const), keys, inside: inner, thrown: inner }),
      fc.record({
        is: fc.constant("proxy" as const),
        traps: fc.uniqueArray(fc.nat(TRAPS.length - 1)),
        target: inner,
        thrown: inner,
      }),
      fc.record({
        is: fc.constant("error" as const),
        type: fc.nat(5),
        unreadable: fc.uniqueArray(key, { maxLength: 3 }),
        fields: values,
      }),
      fc.record({ is: fc.constant("thenable" as const), how: fc.nat(THENABLES - 1), value: inner }),
      fc.record({ is: fc.constant("circle" as const), value: inner }),
    ),
  }
})

/** An executor, and how many tasks it has accepted. */
class Subject {
  readonly executor: ExecutorService
  accepted = 0

  constructor(executor: ExecutorService) {
    this.executor = executor
  }

  /** Throws all that is made of the recipe at it; what it has accepted settles. */
  async endure(each: Recipe): Promise<void> {
    const { executor } = this
    const attempts: (() => Future<unknown>)[] = [
      () => executor.submit(tasks.take, make(each)),
      () => executor.submit(tasks.give, each),
      () => executor.submit(tasks.raise, each),
      () => executor.submit(tasks.giveLater, each),
      () => executor.submit(tasks.raiseLater, each),
    ]
    const futures: Future<unknown>[] = []
    for (const attempt of attempts) {
      try {
        futures.push(attempt())
      } catch (error) {
        assert.ok(error instanceof NotSerializableError)
      }
    }
    this.accepted += futures.length
    // Whatever they are settled with, which on virtual threads is the value itself.
    await Promise.all(futures.map((future) => future.get().then(ignore, ignore)))
    for (const future of futures) assert.ok(future.isDone)
  }

  /** It is as good as new, knows how many tasks it has had, and comes to its end. */
  async end(): Promise<void> {
    assert.equal(await this.executor.submit(tasks.take, 1), 1)
    await this.executor.close()
    assert.ok(this.executor.isTerminated)
    const { completedTaskCount } = this.executor as { completedTaskCount?: number }
    if (completedTaskCount !== undefined) assert.equal(completedTaskCount, this.accepted + 1)
  }
}

function ignore(): void {}

test("[TX23][TX25][TP110] a thousand hostile values, to every kind of executor: every future settles", async () => {
  const subjects = [
    Executors.newFixedThreadPool(1),
    Executors.newScheduledThreadPool(1),
    new ForkJoinPool({ parallelism: 1 }),
    Executors.newCachedThreadPool(),
    Executors.newFixedThreadPool(2, virtualThreads()),
  ].map((executor) => new Subject(executor))
  let count = 0
  const property = fc.asyncProperty(fc.array(recipe, { minLength: VALUES, maxLength: VALUES }), async (recipes) => {
    // Each value to one of them, and that one all that is made of it.
    await Promise.all(recipes.map((each) => (subjects[count++ % subjects.length] as Subject).endure(each)))
  })
  await fc.assert(property, { numRuns: RUNS })
  assert.ok(count >= 1000)
  for (const subject of subjects) await subject.end()
})

test("[TX23][TX25][TP110] and some to an executor with a thread for each task", async () => {
  const subject = new Subject(Executors.newThreadPerTaskExecutor(platformThreads()))
  await fc.assert(
    fc.asyncProperty(recipe, (each) => subject.endure(each)),
    { numRuns: 3 * STRESS },
  )
  await subject.end()
})
