import assert from "node:assert/strict"
import { existsSync } from "node:fs"
import { join } from "node:path"
import test from "node:test"
import { CLASSES, entryText, MODULES } from "../../tools/site/entries.ts"
import { pageOf, placeOf } from "../../tools/site/pages.ts"
import { differences } from "../../tools/site/reference.ts"
import { repository, ROOT, told } from "./fixture.ts"

test("[RP68] a page of the reference that is out of date, missing or of no use is found", (t) => {
  const root = repository(t, {
    "docs/reference/README.md": "one\n",
    "docs/reference/a/B.md": "old\n",
    "docs/reference/a/Gone.md": "gone\n",
  })
  const made = new Map([
    ["README.md", "one\n"],
    ["a/B.md", "new\n"],
    ["a/C.md", "c\n"],
  ])
  assert.deepEqual(told(differences(root, made)), [
    "docs/reference/a/B.md is out of date",
    "docs/reference/a/C.md is missing",
    "docs/reference/a/Gone.md is of no use any more",
  ])
})

test("[RP68] the reference is made of files that exist, and shows classes instead of the constants that stand for them", () => {
  for (const file of [...Object.values(MODULES), ...Object.values(CLASSES)])
    assert.ok(existsSync(join(ROOT, "src", file)), file)
  assert.equal(
    entryText("corepool/testing", "../src"),
    '/**\n * @module corepool/testing\n */\nexport * from "../src/testing/index.ts"\n',
  )
  assert.match(entryText("corepool", "../src"), /^export \{ ThreadPoolExecutor \} from "\.\.\/src\/pool\//m)
})

test("[RP69] documents and examples are pages of the site, and their links lead to pages or to the repository", () => {
  assert.equal(placeOf("README.md"), "index.md")
  assert.equal(placeOf("docs/reference/corepool/README.md"), "reference/corepool/index.md")
  assert.equal(placeOf("examples/01-fixed-pool.ts"), "examples/01-fixed-pool.md")
  assert.equal(placeOf("src/index.ts"), undefined)
  assert.equal(placeOf("docs/site/README.md"), undefined)
  const text =
    "[a](../spec/pool.md#x) [b](../../examples/01-a.ts) [c](../../src/b.ts) [d](#e) [f](https://g.h)\n```md\n[a](../x.md)\n```\n"
  assert.equal(
    pageOf("docs/guide/a.md", text),
    "[a](../spec/pool.md#x) [b](../examples/01-a.md) [c](https://github.com/corepool/corepool/blob/main/src/b.ts) [d](#e) [f](https://g.h)\n```md\n[a](../x.md)\n```\n",
  )
  assert.equal(pageOf("examples/01-a.ts", "go()\n"), "# 01-a\n\n```ts\ngo()\n```\n")
})
