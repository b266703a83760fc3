import assert from "node:assert/strict"
import test from "node:test"
import { checkPackageBudget } from "../../tools/check/budget.ts"
import { checkPackage } from "../../tools/check/package.ts"
import { repository, told } from "./fixture.ts"

const KB = 1024

test("[RP36] what is too large is found, and by how much", () => {
  assert.deepEqual(checkPackageBudget({ tarball: 450 * KB, unpacked: 2048 * KB, files: 80 }), [])
  assert.deepEqual(told(checkPackageBudget({ tarball: 451 * KB, unpacked: 2050 * KB, files: 81 })), [
    "package.json the tarball has 451.0 KB, and may have 450.0 KB",
    "package.json the unpacked package has 2050.0 KB, and may have 2048.0 KB",
    "package.json the package has 81 files, and may have 80",
  ])
})

/** A package with an entry; `code` is what its module says. */
function packageWith(entry: string, code: string): Record<string, string> {
  const exports = { [entry]: { types: "./dist/a.d.ts", default: "./dist/a.js" } }
  return {
    "package.json": JSON.stringify({
      name: "pack",
      version: "1.0.0",
      license: "MIT",
      type: "module",
      sideEffects: false,
      files: ["dist"],
      exports,
    }),
    LICENSE: "MIT",
    "dist/a.js": code,
    "dist/a.d.ts": "export declare const one: string\n",
  }
}

test("[RP37] an entry without a budget, and one that exceeds it, are found", async (t) => {
  const without = await checkPackage(repository(t, packageWith("./new", `export const one = "1"\n`)))
  assert.deepEqual(told(without), ["pack/new has no row in tools/check/budget.ts"])
  const large = await checkPackage(
    repository(t, packageWith("./lock", `export const one = "${"1".repeat(300 * KB)}"\n`)),
  )
  assert.equal(large.length, 1)
  assert.match(told(large)[0] ?? "", /^pack\/lock has 300\.\d KB in a minified bundle, and may have \d+\.0 KB$/)
})
