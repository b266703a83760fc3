/** That shared objects which are dropped leave nothing behind. Nothing here asks for the garbage collector: it has to come by itself. */
import { Exchanger, LinkedBlockingQueue, PriorityBlockingQueue } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"

const OBJECTS = 6_000
const GONE = 1_000
/** In ms. Nothing takes so long: it only turns a test that would hang into one that fails. */
const PATIENCE = 60_000

const kinds: Record<string, () => { readonly handle: object }> = {
  "an Exchanger": () => new Exchanger(),
  "a LinkedBlockingQueue": () => new LinkedBlockingQueue(),
  "a PriorityBlockingQueue": () => new PriorityBlockingQueue(),
}

for (const [kind, make] of Object.entries(kinds)) {
  test(`[MM13] the memory of ${kind} that was shared and is dropped is given back, also if the event loop gets no turn`, async () => {
    let gone = 0
    const registry = new FinalizationRegistry<undefined>(() => gone++)
    const makeOne = (): void => registry.register(make().handle, undefined)
    for (let i = 0; i < OBJECTS; i++) makeOne()
    await eventually(() => {
      makeOne() // a collector that has not come yet comes only as more is made, in Bun for instance
      return gone >= GONE
    })
    assert.ok(gone >= GONE)
  })
}

async function eventually(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE
  while (!condition() && performance.now() < deadline) await new Promise((resolve) => setImmediate(resolve))
}
