/**
 * `npm run docs`: writes the reference, and makes the site of guide, reference, rules, design, examples and changes.
 *
 *     npm run docs               writes docs/reference, and the site to docs/site/build/html
 *     npm run docs -- --check    fails if docs/reference is out of date, and makes nothing
 *
 * VitePress makes the pages, with a search that runs in the browser, and fails on a link that leads nowhere. The pages
 * load nothing from elsewhere, so the site works without a network. But it needs a file server (`npm run docs:show`, or
 * any other): a browser does not load modules from `file:` addresses.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { listFiles, readText } from "../check/files.ts"
import { runNode, saidBy } from "../check/run.ts"
import { pageOf, placeOf } from "./pages.ts"
import { differences, MADE, makeReference, SITE, writeReference } from "./reference.ts"
import { siteConfig } from "./config.ts"

async function main(root: string): Promise<number> {
  const reference = await makeReference(root)
  if (process.argv.includes("--check")) {
    const found = differences(root, reference)
    for (const { where, what } of found) console.log(`${where}  ${what}`)
    if (found.length > 0) console.log("`npm run docs` writes it.")
    return found.length === 0 ? 0 : 1
  }
  writeReference(root, reference)
  const source = join(root, MADE, "source")
  rmSync(source, { recursive: true, force: true })
  const pages = [
    "README.md",
    "CHANGELOG.md",
    ...listFiles(root, "docs", ".md"),
    ...listFiles(root, "examples", ".md", ".ts"),
  ]
  for (const path of pages) {
    const place = placeOf(path)
    if (place === undefined) continue
    mkdirSync(dirname(join(source, place)), { recursive: true })
    writeFileSync(join(source, place), pageOf(path, readText(root, path)))
  }
  mkdirSync(join(source, ".vitepress"), { recursive: true })
  writeFileSync(join(source, ".vitepress/config.mjs"), siteConfig(root, pages))
  const vitepress = join(root, SITE, "node_modules/vitepress/bin/vitepress.js")
  const outcome = await runNode([vitepress, "build", source], { cwd: join(root, SITE), timeout: 1_800_000 })
  if (outcome.code !== 0) {
    console.error(saidBy(outcome))
    return 1
  }
  console.log(`${MADE}/html: ${pages.length} documents. To look at it: npm run docs:show`)
  return 0
}

process.exitCode = await main(process.cwd())
