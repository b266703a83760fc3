import assert from "node:assert/strict"
import test from "node:test"
import { checkConsumers } from "../../tools/check/consumers.ts"
import { checkLock } from "../../tools/check/lock.ts"
import { checkPackage } from "../../tools/check/package.ts"
import { repository, told } from "./fixture.ts"

const MANIFEST = {
  name: "pack",
  version: "1.0.0",
  license: "MIT",
  type: "module",
  sideEffects: false,
  files: ["dist"],
  exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
}

/** A sound package; the tests below each break one thing. */
const SOUND = {
  "package.json": JSON.stringify(MANIFEST),
  LICENSE: "MIT",
  "dist/index.js": "export const one = 1\n",
  "dist/index.d.ts": "export declare const one: number\n",
}

test("[RP20][RP21][RP22][RP23] a sound package passes", async (t) => {
  assert.deepEqual(told(await checkPackage(repository(t, SOUND))), [])
})

test("[RP20] build information and maps that lead nowhere are found", async (t) => {
  const root = repository(t, {
    ...SOUND,
    "dist/.tsbuildinfo": "{}",
    "dist/index.js.map": JSON.stringify({ version: 3, sources: ["../src/index.ts"], mappings: "" }),
  })
  assert.deepEqual(told(await checkPackage(root)), [
    "dist/.tsbuildinfo is published, but of no use to a user",
    "dist/index.js.map leads to src/index.ts, which is not published (or is dist/index.js.map left from an older build?)",
  ])
})

test("[RP124] a type of the main entry that has another name inside is found", async (t) => {
  const types = "declare const a$1: number\ndeclare const b: number\nexport { a$1 as a, b }\n"
  assert.deepEqual(told(await checkPackage(repository(t, { ...SOUND, "dist/index.d.ts": types }))), [
    "dist/index.d.ts exports a, which editors show as a$1",
  ])
})

test("[RP56] types that name a package are found", async (t) => {
  const types = `import type { A } from "a"\nimport type { B } from "./b.js"\nimport type { C } from "node:fs"\nexport declare const one: A | B | C | import("@d/d").D\n`
  const findings = told(await checkPackage(repository(t, { ...SOUND, "dist/index.d.ts": types })))
  assert.deepEqual(
    findings.filter((finding) => finding.includes("names the package")),
    ["a", "@d/d"].map((name) => `dist/index.d.ts names the package ${name}, which a user need not have`),
  )
})

test("[RP21] an entry without its file is found, by publint and by attw", async (t) => {
  const exports = { ...MANIFEST.exports, "./queue": { types: "./dist/queue.d.ts", default: "./dist/queue.js" } }
  const root = repository(t, { ...SOUND, "package.json": JSON.stringify({ ...MANIFEST, exports }) })
  const findings = told(await checkPackage(root)).join("\n")
  assert.match(findings, /publint: .*queue\.js.* does not exist/)
  assert.match(findings, /attw: [^]*"pack\/queue"[^]*Resolution failed/)
})

test("[RP37] what is installed is measured, although the build has a package of the same name", async (t) => {
  const root = repository(t, {
    ...SOUND,
    "dist/index.js": `export const one = "${"1".repeat(1_000_000)}"\n`,
    "build/package.json": JSON.stringify({ name: "pack", type: "module", exports: { ".": "./index.js" } }),
    "build/index.js": "export const one = 1\n",
  })
  assert.match(told(await checkPackage(root)).join("\n"), /^pack has 976\.\d KB in a minified bundle, and may have/)
})

test("[RP48] a program for which the package has no types, or that fails, is found", async (t) => {
  const program = { "main.ts": `import { one } from "pack"\nconst two: number = one + 1\nconsole.log(two)\n` }
  const installed = (files: object): Record<string, string> =>
    Object.fromEntries(Object.entries(files).map(([path, text]) => [`node_modules/pack/${path}`, String(text)]))
  const both = {
    main: "./dist/index.cjs",
    types: "./dist/index.d.cts",
    exports: {
      ".": { require: { types: "./dist/index.d.cts", default: "./dist/index.cjs" }, ...MANIFEST.exports["."] },
    },
  }
  const sound = {
    ...SOUND,
    "package.json": JSON.stringify({ ...MANIFEST, ...both }),
    "dist/index.cjs": "exports.one = 1\n",
    "dist/index.d.cts": "export declare const one: number\n",
  }
  // What a sound package passes is checked with that of this repository, for all kinds of users.
  const some = ["node16", "old-node10"]
  assert.deepEqual(told(await checkConsumers(repository(t, installed(sound)), program, "2\n", some)), [])
  const modulesOnly = told(await checkConsumers(repository(t, installed(SOUND)), program, "2\n", some)).join("\n")
  assert.match(modulesOnly, /for a user with node16: TS1479/)
  assert.match(modulesOnly, /for a user with old-node10: TS2307/)
  const wrong = told(await checkConsumers(repository(t, installed(sound)), program, "3\n", ["commonjs"]))
  assert.match(wrong[0] ?? "", /commonjs\/main.ts for a user with commonjs: /)
})

test("[RP21] a package that cannot be packed is a finding", async (t) => {
  const root = repository(t, { "package.json": `{ "name": "no version" }` })
  const [finding, ...more] = await checkPackage(root)
  assert.match(finding?.what ?? "", /^npm pack: exit code 1/)
  assert.deepEqual(more, [])
})

test("[RP22] a declaration that needs a newer lib than es2022 is found", async (t) => {
  const root = repository(t, { ...SOUND, "dist/index.d.ts": "export declare const one: AsyncDisposable\n" })
  const findings = told(await checkPackage(root))
  assert.equal(findings.length, 1)
  assert.match(findings[0] ?? "", /index\.d\.ts:1 for a user with dom-es2022: TS\d+: .*AsyncDisposable/)
})

test("[RP22] a reference to the lib mends it", async (t) => {
  const declaration = `/// <reference lib="esnext.disposable" preserve="true" />\nexport declare const one: AsyncDisposable\n`
  assert.deepEqual(told(await checkPackage(repository(t, { ...SOUND, "dist/index.d.ts": declaration }))), [])
})

test("[RP23] an entry that throws when loaded, or cannot be required, is found", async (t) => {
  const throws = await checkPackage(repository(t, { ...SOUND, "dist/index.js": `throw new Error("no such luck")\n` }))
  assert.match(told(throws).join("\n"), /pack does not load: [^]*no such luck/)
  const waits = await checkPackage(repository(t, { ...SOUND, "dist/index.js": "export const one = await 1\n" }))
  assert.match(told(waits).join("\n"), /pack does not load: [^]*ERR_REQUIRE_ASYNC_MODULE/)
})

test("[RP27] a package without an entry and the name of a registry are found", (t) => {
  const packages = {
    "": { devDependencies: { a: "1", gone: "1" } },
    "node_modules/a": { dependencies: { b: "1" }, optionalDependencies: { "@a/linux": "1", "@a/darwin": "1" } },
    "node_modules/a/node_modules/b": { dependencies: { a: "1", c: "1" } },
    "node_modules/@a/linux": { resolved: "https://registry.example/@a/linux.tgz" },
    "node_modules/c": {},
  }
  const hint = "(npm install --omit-lockfile-registry-resolved)"
  assert.deepEqual(told(checkLock(repository(t, { "package-lock.json": JSON.stringify({ packages }) }))), [
    "package-lock.json gone, asked for by package.json, has no entry",
    "package-lock.json @a/darwin, asked for by node_modules/a, has no entry",
    `package-lock.json node_modules/@a/linux names a registry: https://registry.example/@a/linux.tgz ${hint}`,
  ])
  assert.deepEqual(told(checkLock(repository(t, {}))), ["package-lock.json is missing"])
  const files = {
    "package-lock.json": `{ "packages": {} }`,
    "bench/package.json": "{}",
    "docs/site/package.json": "{}",
  }
  const locked = {
    ...files,
    "docs/site/package-lock.json": JSON.stringify({ packages: { "": { dependencies: { a: "1" } } } }),
  }
  assert.deepEqual(told(checkLock(repository(t, locked))), [
    "bench/package-lock.json is missing",
    "docs/site/package-lock.json a, asked for by package.json, has no entry",
  ])
})
