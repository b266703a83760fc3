import assert from "node:assert/strict"
import { existsSync } from "node:fs"
import { basename, join } from "node:path"
import test from "node:test"
import { listFiles } from "../../tools/check/files.ts"
import { READING_ORDER, sidebar } from "../../tools/site/config.ts"
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

test("[RP69] beside the pages of the site is the guide in reading order, and the reference by kind", (t) => {
  const pages = [
    "docs/guide/a-new-page.md",
    "docs/guide/queues.md",
    "docs/guide/getting-started.md",
    "docs/reference/README.md",
    "docs/reference/corepool/classes/Lock.md",
    "docs/reference/corepool/distributed/classes/Node.md",
  ]
  const root = repository(t, {
    ...Object.fromEntries(pages.map((path) => [path, `# ${path}\n`])),
    "docs/reference/corepool/classes/Lock.md": "# Abstract Class: Lock\n",
  })
  const [guide, reference] = sidebar(root, pages)
  assert.deepEqual(
    guide?.items.map((item) => "link" in item && item.link),
    ["/guide/getting-started", "/guide/queues", "/guide/a-new-page"],
  )
  assert.deepEqual(reference?.items, [
    { text: "docs/reference/README.md", link: "/reference/" },
    { text: "classes", collapsed: true, items: [{ text: "Lock", link: "/reference/corepool/classes/Lock" }] },
    {
      text: "corepool/distributed/classes",
      collapsed: true,
      items: [
        {
          text: "docs/reference/corepool/distributed/classes/Node.md",
          link: "/reference/corepool/distributed/classes/Node",
        },
      ],
    },
  ])
})

test("[RP69] every page of the guide has a place in the reading order, and the list of signatures is not searched", () => {
  const guide = listFiles(ROOT, "docs/guide", ".md")
  assert.deepEqual(guide.map((path) => basename(path, ".md")).sort(), [...READING_ORDER].sort())
  assert.match(pageOf("docs/api/a.md", "# A\n"), /^---\nsearch: false\n---\n\n# A\n$/)
})
