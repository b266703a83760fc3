import assert from "node:assert/strict"
import test from "node:test"
import { checkSpec } from "../../tools/check/spec.ts"
import { repository, told } from "./fixture.ts"

test("[RP6] a rule without a test is found", (t) => {
  const root = repository(t, {
    "docs/spec/a.md": "# A\n\n- **AB1** is tested\n- **AB2** is not\n",
    "test/a.test.ts": `test("[AB1] holds", () => {})`,
  })
  assert.deepEqual(told(checkSpec(root)), ["docs/spec/a.md:4 AB2 has no test"])
})

test("[RP6] tests in suites, templates and with it() count; what stands in comments, strings and fences does not", (t) => {
  const root = repository(t, {
    "docs/spec/a.md": "- **AB1** a\n- **AB2** b\n- **AB3** c\n- **AB4** d\n\n```md\n- **AB5** an example\n```\n",
    "test/contract/suite.ts": [
      "export function suite(name: string) {",
      "  describe(name, () => {",
      '    it("[AB1] a", () => {})',
      `    test(\`[AB2][AB3] b of \${name}\`, () => {})`,
      "  })",
      "}",
    ].join("\n"),
    "test/a.test.ts": `// test("[AB4] comment")\nconst text = 'test("[AB4] string")'`,
  })
  assert.deepEqual(told(checkSpec(root)), ["docs/spec/a.md:4 AB4 has no test"])
})

test("[RP7] a title that names no rule, or one that does not exist, is found", (t) => {
  const root = repository(t, {
    "docs/spec/a.md": "- **AB1** a\n",
    "test/a.test.ts": `test("[AB1] a")\ntest("works")\nit("[AB1][AB7] b")\ntest(title)`,
  })
  assert.deepEqual(told(checkSpec(root)), [
    "test/a.test.ts:2 the title names no rule: works",
    "test/a.test.ts:3 names [AB7], which is in no file of docs/spec",
    "test/a.test.ts:4 the title is computed: write the rules it names in the call",
  ])
})

test("[RP7] a subtest belongs to its test and names no rule", (t) => {
  const root = repository(t, {
    "docs/spec/a.md": "- **AB1** a\n",
    "test/a.test.ts": `test("[AB1] a", (t) => t.test("first part", () => {}))`,
  })
  assert.deepEqual(told(checkSpec(root)), [])
})

test("[RP8] an id given twice and a rule in another form are found", (t) => {
  const root = repository(t, {
    "docs/spec/a.md": "- **AB1** a\n* **AB2** b\n- **AB3**: c\n- **Bold** is no rule\n",
    "docs/spec/b.md": "\n- **AB1** again\n",
    "test/a.test.ts": `test("[AB1] a")`,
  })
  assert.deepEqual(told(checkSpec(root)), [
    "docs/spec/a.md:2 not in the form `- **AB1** text`",
    "docs/spec/a.md:3 not in the form `- **AB1** text`",
    "docs/spec/b.md:2 AB1 is taken: see docs/spec/a.md:1",
  ])
})

test("[RP9] skip, only and todo without a reason are found, and their rule is untested", (t) => {
  const root = repository(t, {
    "docs/spec/a.md": "- **AB1** a\n- **AB2** b\n",
    "test/a.test.ts": [
      `test.skip("[AB1] a")`,
      `it.only("[AB1] a")`,
      `test("[AB1] a", { todo: true }, () => {})`,
      `test("[AB2] b", { skip: "needs a third core", timeout: 5 }, () => {})`,
    ].join("\n"),
  })
  assert.deepEqual(told(checkSpec(root)), [
    "test/a.test.ts:1 `skip` without a reason",
    "test/a.test.ts:2 `only` without a reason",
    "test/a.test.ts:3 `todo` without a reason",
    "docs/spec/a.md:1 AB1 has no test",
  ])
})
