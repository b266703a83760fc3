/** Scopes on platform threads whose forks kill their threads, spin, fail and hang at random. */
import { Executors, Joiner, platformThreads, StructuredTaskScope } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { Dice, SEED, STRESS } from "../support/stress.ts"
import { requireTermination } from "../support/termination.ts"
import * as tasks from "./scope-tasks.ts"

/** With `STRESS=100` two thousand scopes. */
const SCOPES = 20 * STRESS
const AT_ONCE = 3
const FORKS = 5

const JOINERS = [
  () => Joiner.allSuccessfulOrThrow<number>(),
  () => Joiner.anySuccessfulOrThrow<number>(),
  () => Joiner.awaitAll<number>(),
] as const

const HARMLESS = [tasks.echo, tasks.later, tasks.fail] as const
const HARMFUL = [tasks.exit, tasks.hang, tasks.spin, tasks.dieAmongForks] as const

test("[SS22] every scope ends though threads die in its forks, and the pool works on", async () => {
  await requireTermination()
  const dice = new Dice(SEED)
  await using pool = Executors.newFixedThreadPool(3, platformThreads({ terminateAfter: 5 }))
  let ended = 0
  const one = async (): Promise<void> => {
    const joiner = JOINERS[dice.roll(JOINERS.length)] as (typeof JOINERS)[number]
    const scope = StructuredTaskScope.open<number, unknown>(joiner(), { executor: pool, timeout: 20 + dice.roll(100) })
    const subtasks = Array.from({ length: FORKS }, (_, n) => {
      if (dice.roll(6) === 0) return scope.fork(tasks.forkOn, n, pool)
      const kinds = dice.roll(4) === 0 ? HARMFUL : HARMLESS
      return scope.fork(kinds[dice.roll(kinds.length)] as typeof tasks.echo, n)
    })
    const isClosedOnly = dice.roll(5) === 0
    if (!isClosedOnly) await scope.join().catch(() => undefined)
    await scope.close().catch((error: unknown) => assert.ok(isClosedOnly, String(error)))
    for (const [n, subtask] of subtasks.entries()) {
      if (!isClosedOnly && subtask.state === "success") assert.ok([n, 3].includes(subtask.get()))
    }
    ended++
  }
  const line = async (): Promise<void> => {
    for (let left = SCOPES; left > 0; left--) await one()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, line))
  assert.equal(ended, SCOPES * AT_ONCE)
  assert.equal(await pool.submit(tasks.echo, 1), 1)
})
