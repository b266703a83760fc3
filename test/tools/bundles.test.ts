import assert from "node:assert/strict"
import test from "node:test"
import { type Bundle, checkBundles } from "../../tools/check/bundles.ts"
import { repository, told } from "./fixture.ts"

const FILES = {
  "package.json": JSON.stringify({ name: "pack", type: "module", exports: "./dist/index.js" }),
  "dist/index.js": `export { light } from "./light.js"; export { heavy } from "./platform/heavy.js"`,
  "dist/light.js": `export const light = () => "light"`,
  "dist/platform/heavy.js": `import { threadId } from "node:worker_threads"; export const heavy = () => threadId + ${JSON.stringify("heavy ".repeat(400))}`,
}

/** A program that prints what the function gives. */
function printing(name: string): Omit<Bundle, "minified" | "gzipped"> {
  return { name, program: `import { ${name} } from "pack"; console.log(${name}())`, without: ["worker_threads"] }
}

test("[RP40] a bundle within its budget is fine, one beyond is found, minified and compressed", async (t) => {
  const root = repository(t, FILES)
  const fine = { ...printing("light"), minified: 0.2, gzipped: 0.2 }
  assert.deepEqual(told(await checkBundles(root, [fine])), [])
  const tooLong = { ...printing("heavy"), minified: 2, gzipped: 0.05, without: [] }
  assert.deepEqual(
    told(await checkBundles(root, [fine, tooLong])).map((line) => line.replaceAll(/\d\.\d/g, "n")),
    ["bundle of heavy has n KB minified; 2 KB is the limit", "bundle of heavy has n KB compressed; n5 KB is the limit"],
  )
})

test("[RP41] what a bundle must not contain is found, and what it does when it runs", async (t) => {
  const root = repository(t, FILES)
  const limits = { minified: 10, gzipped: 10 }
  assert.deepEqual(told(await checkBundles(root, [{ ...printing("light"), ...limits, prints: "light" }])), [])
  assert.deepEqual(told(await checkBundles(root, [{ ...printing("light"), ...limits, prints: "dark" }])), [
    "bundle of light prints light and not dark",
  ])
  assert.deepEqual(told(await checkBundles(root, [{ ...printing("heavy"), ...limits }])), [
    "bundle of heavy contains worker_threads",
  ])
  const failing = { name: "failing", program: `throw new Error("its own")`, ...limits, prints: "" }
  const [failure] = told(await checkBundles(root, [failing]))
  assert.match(failure ?? "", /^bundle of failing fails: [^]*its own/)
})
