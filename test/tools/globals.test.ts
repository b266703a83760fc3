import assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import test from "node:test"
import { runInNewContext } from "node:vm"
import { GLOBALS, globalsIn } from "../../tools/bundle/globals.ts"
import { ROOT } from "./fixture.ts"

test("[RP49] the global objects that a text uses are found, and not what is called as they are", () => {
  const { names, pattern, text } = globalsIn(
    "a.cjs",
    `const { Worker, performance } = other(); class Set {}
     function f(x) { return new Map([[x.JSON, performance.now()]]) ?? new Set() ?? globalThis.Error ?? unknown(...Object.keys(x)) }`,
  )
  assert.deepEqual(names, ["Map", "Object", "globalThis"])
  assert.equal(pattern, "{ Map, Object, globalThis: corepoolGlobal }")
  assert.match(text, /\?\? corepoolGlobal\.Error \?\?/)
})

/** Those of the language that no program can replace, and those that files need before they have anything. */
const EXEMPT = new Set(["undefined", "NaN", "Infinity", "globalThis"])

test("[RP49] no file of the bundle uses a global object that it has not taken", () => {
  const files = readdirSync(join(ROOT, "dist")).filter((name) => /^code-.*\.cjs$/.test(name))
  assert.ok(files.length > 5)
  const all = new Set([...GLOBALS, ...Object.getOwnPropertyNames(globalThis)].filter((name) => !EXEMPT.has(name)))
  for (const name of files) {
    const text = readFileSync(join(ROOT, "dist", name), "utf8")
    assert.deepEqual(
      globalsIn(name, text, all).names.filter((used) => used !== "globalThis"),
      [],
      name,
    )
  }
})

test("[RP49] a file that is loaded after a task has deleted everything works with what the first file has kept", () => {
  const texts = readdirSync(join(ROOT, "dist"))
    .filter((name) => /^code-.*\.cjs$/.test(name))
    .map((name) => readFileSync(join(ROOT, "dist", name), "utf8"))
  const keeper = texts.find((text) => /\.set\(`[0-9a-f]+\/globals`/.test(text))
  assert.ok(keeper !== undefined)
  // Constants of the file may follow in the same declaration.
  const head = (text: string): string => `${text.slice(0, text.search(/\?\?globalThis[,;]/))}??globalThis;`
  // The file has a shorter name for it.
  const later = texts.find((text) => text !== keeper && /\bPromise:\w+/.test(head(text))) as string
  const [, name] = /\bPromise:(\w+)/.exec(head(later)) ?? []
  const context = { corepoolHost: { parts: new Map() } }
  const kept = runInNewContext(
    `(() => { ${head(keeper)} })(); const all = [Map, JSON, Promise]; Map = JSON = Promise = undefined
     ;(() => { ${head(later)} return ${name} === all[2] })()`,
    context,
  ) as boolean
  assert.equal(kept, true)
})
