/** Every place where a pool calls code of the user's, on both kinds of threads, with everything that such code may do. Rules: docs/spec/user-code.md. */
import assert from "node:assert/strict"
import test from "node:test"
import { eventually } from "../../support/harness.ts"
import { misbehaviours } from "./misbehaviour.ts"
import { placesAroundTasks } from "./places-around-tasks.ts"
import { places, type Receivers } from "./places.ts"
import { World } from "./world.ts"

for (const place of [...places, ...placesAroundTasks]) {
  for (const kind of place.kinds ?? (["virtual", "platform"] as const)) {
    for (const { does, act, thrown, isForever } of misbehaviours) {
      if (isForever === true && place.awaited === true) continue
      if (thrown !== undefined && place.calledByRuntime === true) continue
      test(`[UC1][UC2][UC3] ${place.name}, on ${kind} threads, ${does}`, async (t) => {
        const printed: unknown[] = []
        t.mock.method(console, "error", (...values: unknown[]) => printed.push(values.at(-1)))
        const world = new World(kind, place)
        if (place.fresh !== true) world.submitMore()
        const acting = (otherwise?: unknown): unknown => act(world, otherwise)
        const about = await place.visit(world, acting)
        await world.end()
        const expected = typeof place.errors === "function" ? place.errors(kind) : place.errors
        const seen = (): Receivers => ({
          caller: count(world.thrown, thrown),
          uncaught: count(world.uncaught, thrown),
          printed: count(printed, thrown),
          future: thrown !== undefined && about?.task.state === "failed" ? 1 : 0,
        })
        const none = { caller: 0, uncaught: 0, printed: 0, future: 0 }
        await eventually(() => count(world.uncaught, thrown) >= (thrown === undefined ? 0 : (expected.uncaught ?? 0)))
        assert.deepEqual(seen(), thrown === undefined ? none : { ...none, ...expected })
      })
    }
  }
}

/** By identity: nothing else can be asked of some of them. */
function count(errors: readonly unknown[], wanted: unknown): number {
  return wanted === undefined ? 0 : errors.filter((error) => error === wanted).length
}
