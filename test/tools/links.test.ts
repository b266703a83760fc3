import assert from "node:assert/strict"
import test from "node:test"
import { checkLinks } from "../../tools/check/links.ts"
import { repository, told } from "./fixture.ts"

test("[RP10] a citation of a rule that does not exist is found in Markdown and in comments of src", (t) => {
  const root = repository(t, {
    "docs/spec/a.md": "- **AB1** a\n",
    "README.md": "See [AB1] and [AB2](docs/spec/a.md).\n\n```ts\n[AB9]\n```\n",
    "src/a.ts": "/**\n * [AB1]\n * and [AB3]\n */\nexport const list = [AB4] // [AB5]",
  })
  assert.deepEqual(told(checkLinks(root)), [
    "README.md:1 cites [AB2], which is in no file of docs/spec",
    "src/a.ts:3 cites [AB3], which is in no file of docs/spec",
    "src/a.ts:5 cites [AB5], which is in no file of docs/spec",
  ])
})

test("[RP11] a link to a missing file or heading is found", (t) => {
  const root = repository(t, {
    "README.md": [
      "[a](docs/a.md) [b](./docs/b.md) ![p](p.png) [web](https://example.org/x.md) [mail](mailto:a@b.c)",
      "[top](#the-top) [gone](#the-end) `[code](docs/c.md)`",
      "[h](docs/a.md#what-it-does-1) [i](docs/a.md#no-such)",
      "[ref]: docs/d.md",
      "# The top",
    ].join("\n"),
    "docs/a.md": "# What it `does`!\n## What it does\n[up](../README.md) [root](/docs/a.md) [out](../../x.md)\n",
  })
  assert.deepEqual(told(checkLinks(root)), [
    "README.md:1 links to ./docs/b.md, which does not exist",
    "README.md:1 links to p.png, which does not exist",
    "README.md:2 links to #the-end, but README.md has no such heading",
    "README.md:3 links to docs/a.md#no-such, but docs/a.md has no such heading",
    "README.md:4 links to docs/d.md, which does not exist",
    "docs/a.md:3 links to ../../x.md, which does not exist",
  ])
})

test("[RP12] a path in backticks that does not exist is found in Markdown and in comments of src", (t) => {
  const root = repository(t, {
    "docs/a.md":
      "`src/memory/structures/ring.ts` `src/gone.ts` `src/memory/…` `src/away/*.ts` `dist/index.js` `a/b.ts`\n",
    "CHANGELOG.md": "`src/gone.ts`\n",
    "src/memory/structures/ring.ts":
      "// `docs/a.md:12` `docs/b.md` `ring.ts` `rung.ts` `./ring.ts` `../rung.ts` `Ring.ts()`\n",
  })
  assert.deepEqual(told(checkLinks(root)), [
    "docs/a.md:1 mentions src/gone.ts, which does not exist",
    "docs/a.md:1 mentions src/away/*.ts, which does not exist",
    "src/memory/structures/ring.ts:1 mentions docs/b.md, which does not exist",
    "src/memory/structures/ring.ts:1 mentions rung.ts, which does not exist",
    "src/memory/structures/ring.ts:1 mentions ../rung.ts, which does not exist",
  ])
})

test("[RP47] the addresses in package.json are those of one repository, and links of the README work on npm", (t) => {
  const good = {
    repository: { type: "git", url: "git+https://github.com/some/thing.git" },
    homepage: "https://github.com/some/thing#readme",
    bugs: { url: "https://github.com/some/thing/issues" },
  }
  const root = (manifest: object): string =>
    repository(t, {
      "package.json": JSON.stringify(manifest),
      "README.md": "[a](docs/a.md) [b](/docs/a.md)\n",
      "docs/a.md": "a\n",
    })
  const onNpm = "README.md:1 links to /docs/a.md, which is another page on npm"
  assert.deepEqual(told(checkLinks(root(good))), [onNpm])
  assert.deepEqual(told(checkLinks(root({ ...good, homepage: "https://some.where", bugs: undefined }))), [
    "package.json homepage is not https://github.com/some/thing#readme",
    "package.json bugs.url is not https://github.com/some/thing/issues",
    onNpm,
  ])
  assert.deepEqual(told(checkLinks(root({}))), [
    "package.json names no repository: git+https://github.com/OWNER/NAME.git",
  ])
})
