import assert from "node:assert/strict"
import { readdirSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import test from "node:test"
import { runInNewContext } from "node:vm"
import { GLOBALS, globalsIn } from "../../tools/bundle/globals.ts"
import { HEAD, TAIL } from "../../tools/bundle/thread.ts"
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

test("[RP119] a global object that would make every thread load modules is refused", () => {
  assert.throws(() => globalsIn("a.cjs", `const key = () => crypto.randomUUID()`), {
    message: /^a\.cjs: crypto loads modules/,
  })
  assert.deepEqual(globalsIn("a.cjs", `const { crypto } = other(); crypto.randomUUID()`).names, [])
})

/** Those of the language that no program can replace, and those that files need before they have anything. */
const EXEMPT = new Set(["undefined", "NaN", "Infinity", "globalThis"])

/** The code of the bundle, by name. The page of the monitor is no code of ours, and `boot` comes before it. */
function codeOf(root: string): [string, string][] {
  const files = readdirSync(join(root, "dist")).filter((name) => /^code-.*\.cjs$/.test(name))
  return files
    .flatMap((name) =>
      Object.entries(createRequire(import.meta.url)(join(root, "dist", name)) as Record<string, string>),
    )
    .filter(([name]) => name !== "monitor-page" && name !== "boot")
    .map(([name, text]) => [name, text.trim().slice(HEAD.length, -TAIL.length)])
}

test("[RP49] no file of the bundle uses a global object that it has not taken", () => {
  const files = codeOf(ROOT)
  assert.ok(files.length > 20)
  const all = new Set([...GLOBALS, ...Object.getOwnPropertyNames(globalThis)].filter((name) => !EXEMPT.has(name)))
  for (const [name, text] of files) {
    assert.deepEqual(
      globalsIn(name, text, all).names.filter((used) => used !== "globalThis"),
      [],
      name,
    )
  }
})

test("[RP49] a file that is loaded after a task has deleted everything works with what the first file has kept", () => {
  const texts = codeOf(ROOT).map(([, text]) => text)
  const keeper = texts.find((text) => /\.set\("[0-9a-f]+\/globals"/.test(text))
  assert.ok(keeper !== undefined)
  // Constants of the file may follow in the same declaration.
  const head = (text: string): string => `${text.slice(0, text.search(/\?\?globalThis[,;]/))}??globalThis;`
  // The file has a shorter name for it.
  const later = texts.find((text) => text !== keeper && /\bPromise:\w+/.test(head(text))) as string
  const [, name] = /\bPromise:(\w+)/.exec(head(later)) ?? []
  const context = { corepoolHost: { parts: new Map(), file: () => ({}) } }
  const kept = runInNewContext(
    `(() => { ${head(keeper)} })(); const all = [Map, JSON, Promise]; Map = JSON = Promise = undefined
     ;(() => { ${head(later)} return ${name} === all[2] })()`,
    context,
  ) as boolean
  assert.equal(kept, true)
})
