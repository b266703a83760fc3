import assert from "node:assert/strict"
import test from "node:test"
import { checkBundleBudgets, checkPackageBudget, PACKAGE } from "../../tools/check/budget.ts"
import type { Finding } from "../../tools/check/finding.ts"
import { repository, told } from "./fixture.ts"

const KB = 1024

test("[RP36] what is too large is found, and by how much", () => {
  assert.deepEqual(checkPackageBudget(PACKAGE), [])
  const { tarball, unpacked, files } = PACKAGE
  const large = { tarball: tarball + KB, unpacked: unpacked + KB, files: files + 1 }
  const kilobytes = (bytes: number): string => `${(bytes / KB).toFixed(1)} KB`
  assert.deepEqual(told(checkPackageBudget(large)), [
    `package.json the tarball has ${kilobytes(large.tarball)}, and may have ${kilobytes(tarball)}`,
    `package.json the unpacked package has ${kilobytes(large.unpacked)}, and may have ${kilobytes(unpacked)}`,
    `package.json the package has ${large.files} files, and may have ${files}`,
  ])
})

/** A folder in which a package with an entry is installed; `code` is what its module says. */
function installed(entry: string, code: string): Record<string, string> {
  const manifest = { name: "pack", type: "module", exports: { [entry]: "./a.js" } }
  return { "node_modules/pack/package.json": JSON.stringify(manifest), "node_modules/pack/a.js": code }
}

test("[RP37] an entry without a budget, and one that exceeds it, are found", async (t) => {
  const check = async (entry: string, code: string): Promise<Finding[]> =>
    await checkBundleBudgets(repository(t, installed(entry, code)), "pack", [entry])
  assert.deepEqual(told(await check("./new", `export const one = "1"\n`)), [
    "pack/new has no row in tools/check/budget.ts",
  ])
  assert.deepEqual(told(await check("./lock", `export const one = "1"\n`)), [])
  const large = await check("./lock", `export const one = "${"1".repeat(300 * KB)}"\n`)
  assert.equal(large.length, 1)
  assert.match(told(large)[0] ?? "", /^pack\/lock has 300\.\d KB in a minified bundle, and may have \d+\.\d KB$/)
})
