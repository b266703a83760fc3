/** How model tests are run. This file itself is none: it runs over the real Atomics. */
import assert from "node:assert/strict"
import { join } from "node:path"
import test from "node:test"
import { runNode } from "../../tools/check/run.ts"
import { repository, ROOT } from "../tools/fixture.ts"
import * as facade from "#src/memory/atomics.js"
import * as standIn from "./atomics.ts"
import { explore, ModelError } from "./explore.ts"

/** Their types are compared in facade-types.ts, by the compiler. */
test("[MC6] the stand-in has the functions of the facade, all of them and no others", () => {
  assert.deepEqual(Object.keys(standIn), Object.keys(facade))
})

test("[MC27] without the condition a model is refused", () => {
  assert.throws(() => explore({ setup: () => 0, threads: {} }), ModelError)
})

const TEST = join(ROOT, "build/tools/test.js")

const FILES = {
  "package.json": `{ "type": "module", "imports": { "#which": { "model": "./model.js", "default": "./real.js" } } }`,
  "model.js": `export const which = "model"`,
  "real.js": `export const which = "real"`,
}

function testThat(which: "model" | "real"): string {
  return `
    import assert from "node:assert"
    import test from "node:test"
    import { which } from "#which"
    test("sees " + which, () => assert.equal(which, "${which}"))`
}

test("[MC26] model tests are run under the condition model, and others are not", async (t) => {
  const root = repository(t, {
    ...FILES,
    "test/a.test.ts": "",
    "build/test/a.test.js": testThat("real"),
    "test/b.model.test.ts": "",
    "build/test/b.model.test.js": testThat("model"),
  })
  const both = await runNode([TEST], { cwd: root })
  assert.equal(both.code, 0, both.stdout)
  assert.match(both.stdout, /✔ sees real[^]*✔ sees model/)
  const one = await runNode([TEST, "b.model"], { cwd: root })
  assert.equal(one.code, 0)
  assert.match(one.stdout, /✔ sees model/)
  assert.doesNotMatch(one.stdout, /sees real/)
})

test("[MC26] a model test that fails, or another one, makes the run fail", async (t) => {
  for (const [real, model] of [
    ["model", "model"],
    ["real", "real"],
  ] as const) {
    const root = repository(t, {
      ...FILES,
      "test/a.test.ts": "",
      "build/test/a.test.js": testThat(real),
      "test/b.model.test.ts": "",
      "build/test/b.model.test.js": testThat(model),
    })
    assert.equal((await runNode([TEST], { cwd: root })).code, 1)
  }
})
