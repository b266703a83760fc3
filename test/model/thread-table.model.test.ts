/** Threads that come and go: whose entry of the thread table it is. Rules: docs/spec/memory.md. */
import { Space } from "#src/memory/thread/space.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { explore } from "./explore.ts"
import { assertExplored } from "./support.ts"

const FORMER = 7
const PARENT = 3

/** A thread, FORMER, that PARENT has started. */
function setup(): { readonly space: Space; readonly former: number } {
  const space = Space.small(0)
  return { space, former: space.enter(FORMER, PARENT) }
}
type S = ReturnType<typeof setup>

/** The thread says itself that it ends. */
const leaving = ({ space, former }: S): boolean => space.bury(former)

/** Another one comes, a child of nobody's. */
const entering = ({ space }: S): number => space.enter(8, -1)

for (const [who, dead] of [
  ["the thread", FORMER],
  ["its parent", PARENT],
] as const) {
  test(`[MM12] who comes is not taken for the one before, when the end of ${who} is told by its number`, () => {
    const report = explore({
      setup,
      threads: { former: leaving, newcomer: entering, owner: ({ space }) => space.buryThread(dead) },
      finally: ({ space, former }, { newcomer }) => {
        assert.ok(space.isAlive(newcomer as number))
        assert.ok(!space.isAlive(former))
        assert.equal(space.deaths, 1)
      },
    })
    assertExplored(report, 100)
  })
}
