/** Threads that come and go: whose entry of the thread table it is. Rules: docs/spec/memory.md. */
import { ThreadRegistry } from "#src/memory/thread/thread-registry.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { explore } from "./explore.ts"
import { assertExplored } from "./support.ts"

const FORMER = 7
const PARENT = 3

/** A thread, FORMER, that PARENT has started. */
function setup(): { readonly registry: ThreadRegistry; readonly former: number } {
  const registry = ThreadRegistry.small(0)
  return { registry, former: registry.enter(FORMER, PARENT) }
}
type S = ReturnType<typeof setup>

/** The thread says itself that it ends. */
const leaving = ({ registry, former }: S): boolean => registry.reap(former)

/** Another one comes, a child of nobody's. */
const entering = ({ registry }: S): number => registry.enter(8, -1)

for (const [who, dead] of [
  ["the thread", FORMER],
  ["its parent", PARENT],
] as const) {
  test(`[MM12] who comes is not taken for the one before, when the end of ${who} is told by its number`, () => {
    const report = explore({
      setup,
      threads: { former: leaving, newcomer: entering, owner: ({ registry }) => registry.reapThread(dead) },
      finally: ({ registry, former }, { newcomer }) => {
        assert.ok(registry.isAlive(newcomer as number))
        assert.ok(!registry.isAlive(former))
        assert.equal(registry.deaths, 1)
      },
    })
    assertExplored(report, 100)
  })
}
