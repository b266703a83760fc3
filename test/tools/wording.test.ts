import assert from "node:assert/strict"
import { join } from "node:path"
import test from "node:test"
import { readText } from "../../tools/check/files.ts"
import { runNode } from "../../tools/check/run.ts"
import { BUDGET_FILE, checkWording, listWording, lowerBudgets } from "../../tools/check/wording.ts"
import { repository, ROOT, told } from "./fixture.ts"

test("[RP70] a pronoun that names nothing is found, also one of two words on two lines", (t) => {
  const root = repository(t, {
    "README.md": "# Whoever\n\nSomebody tells those\nwho wait.\n",
    "docs/guide/a.md":
      "Who waits is woken. Ask the one that knows; who asks is told.\n\n- It tells those\n  who wait.\n",
    "src/a.ts": "/**\n * Nobody, and one\n * who waits.\n */\nconst nobody = 1 // whomever\n",
    "src/memory/README.md": "One that sleeps does what it is told.\n",
    "test/README.md": "Everyone.\n",
  })
  assert.deepEqual(told(listWording(root)), [
    'README.md:1 "Whoever" names nothing',
    'README.md:3 "Somebody" names nothing',
    'README.md:3 "those who" names nothing',
    'docs/guide/a.md:1 "the one that" names nothing',
    'docs/guide/a.md:1 "; who" names nothing',
    'docs/guide/a.md:3 "those   who" names nothing',
    'docs/guide/a.md:1 "Who" names nothing',
    'src/memory/README.md:1 "what it is told" names nothing',
    'src/memory/README.md:1 "One that" names nothing',
    'test/README.md:1 "Everyone" names nothing',
    'src/a.ts:2 "Nobody" names nothing',
    'src/a.ts:2 "one who" names nothing',
    'src/a.ts:5 "whomever" names nothing',
  ])
})

test("[RP70] code, questions, a who after its noun and other documents do not count", (t) => {
  const root = repository(t, {
    "README.md": "The caller, who waits, runs `nobody()`. Who calls it? A task.\n\n```ts\nwhoever()\n```\n",
    "docs/api/a.md": "Nobody waits.\n",
    "docs/reference/a.md": "Nobody waits.\n",
    "CHANGELOG.md": "Nobody waits any more.\n",
    "src/a.ts": 'export const text = "nobody"\n',
    "test/a.ts": "// nobody\n",
  })
  assert.deepEqual(told(listWording(root)), [])
})

test("[RP71] a line of 121 characters is found, in a document and beside code, but not in tables, fences or addresses", (t) => {
  const wide = "x".repeat(121)
  const root = repository(t, {
    "CONTRIBUTING.md": `${wide}\n${"x".repeat(120)}\n| ${wide} |\n\n~~~\n${wide}\n~~~\n\n[a](https://${wide}) b\n`,
    "src/a.ts": `const a = "${"x".repeat(100)}" // a comment\nconst b = "${wide}"\n`,
  })
  assert.deepEqual(told(listWording(root)), ["CONTRIBUTING.md:1 is wider than 120", "src/a.ts:1 is wider than 120"])
})

test("[RP72] a count above its budget fails, and one below; a part without a budget has none to spend", (t) => {
  const root = repository(t, {
    [BUDGET_FILE]: JSON.stringify({
      src: { pronouns: 1, wide: 0 },
      "docs/spec": { pronouns: 1, wide: 1 },
      "docs/gone": { pronouns: 1, wide: 0 },
    }),
    "src/a.ts": "// nobody\n",
    "src/b/c.ts": "// nobody\n",
    "docs/spec/a.md": `nobody\n${"x".repeat(121)}\n`,
    "docs/page.md": "somebody\n",
  })
  const list = "To see the places: npm run check -- wording --list"
  const lower = "To lower the budget: npm run check -- wording --lower"
  assert.deepEqual(told(checkWording(root)), [
    `docs/gone pronouns: 0, and ${BUDGET_FILE} allows 1. ${lower}`,
    `docs/page.md pronouns: 1, and ${BUDGET_FILE} allows 0. ${list}`,
    `src pronouns: 2, and ${BUDGET_FILE} allows 1. ${list}`,
  ])
})

test("[RP73] budgets are lowered and never raised", (t) => {
  const root = repository(t, {
    [BUDGET_FILE]: JSON.stringify({ src: { pronouns: 3, wide: 0 }, "docs/spec": { pronouns: 0, wide: 2 } }),
    "src/a.ts": `// nobody ${"x".repeat(121)}\n`,
    "docs/spec/a.md": `nobody\n${"x".repeat(121)}\n`,
  })
  lowerBudgets(root)
  assert.deepEqual(JSON.parse(readText(root, BUDGET_FILE)), {
    src: { pronouns: 1, wide: 0 },
    "docs/spec": { pronouns: 0, wide: 1 },
  })
})

test("[RP73] the command prints the places, and lowers budgets before it checks", async (t) => {
  const root = repository(t, {
    [BUDGET_FILE]: JSON.stringify({ src: { pronouns: 3, wide: 0 } }),
    "src/a.ts": "// nobody\n",
  })
  const check = join(ROOT, "build/tools/check/main.js")
  const listed = await runNode([check, "wording", "--list"], { cwd: root })
  assert.deepEqual([listed.code, listed.stdout], [0, 'src/a.ts:1  "nobody" names nothing\n'])
  assert.equal((await runNode([check, "wording"], { cwd: root })).code, 1)
  assert.equal((await runNode([check, "wording", "--lower"], { cwd: root })).code, 0)
  assert.equal((await runNode([check, "wording"], { cwd: root })).code, 0)
})
