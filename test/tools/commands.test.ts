import assert from "node:assert/strict"
import { join } from "node:path"
import test from "node:test"
import { runNode } from "../../tools/check/run.ts"
import { repository, ROOT } from "./fixture.ts"

const CHECK = join(ROOT, "build/tools/check/main.js")
const TEST = join(ROOT, "build/tools/test.js")

test("[RP24] check prints a line per check and then the findings, and fails", async (t) => {
  const root = repository(t, {
    "README.md": "# corepool\n",
    "src/a.ts": "//\n".repeat(301),
    "docs/spec/a.md": "- **AB1** a\n",
  })
  const outcome = await runNode([CHECK, "readme", "spec", "size"], { cwd: root })
  assert.equal(outcome.code, 1)
  assert.deepEqual(outcome.stdout.replaceAll(/\d+\.\d s/g, "T").split("\n"), [
    "FAIL  spec           T  1 finding",
    "ok    size           T  1 warning",
    "FAIL  readme         T  1 finding",
    "",
    "spec",
    "  docs/spec/a.md:1  AB1 has no test",
    "",
    "size",
    "  src/a.ts  warning: 301 lines; past 300, look for a second idea",
    "",
    "readme",
    "  README.md  the first code belongs on line 8 or before; there is none",
    "",
  ])
})

test("[RP24] warnings fail nothing", async (t) => {
  const root = repository(t, { "src/a.ts": "//\n".repeat(301) })
  assert.equal((await runNode([CHECK, "size"], { cwd: root })).code, 0)
})

test("[RP24] a check that breaks has not passed, and an unknown one is refused", async (t) => {
  const root = repository(t, {})
  const broken = await runNode([CHECK, "architecture"], { cwd: root })
  assert.equal(broken.code, 1)
  assert.match(broken.stdout, /FAIL {2}architecture[^]*ENOENT[^]*package\.json/)
  const unknown = await runNode([CHECK, "spelling"], { cwd: root })
  assert.equal(unknown.code, 2)
  assert.match(unknown.stderr, /No such check: spelling/)
})

/** Two test files, one of which fails, a helper, and a compiled test whose source is gone. */
const TESTS = {
  "package.json": `{ "type": "module" }`,
  "test/good.test.ts": "",
  "build/test/good.test.js": `import test from "node:test"; test("good one", () => {}); test("other one", () => {})`,
  "test/deep/bad.test.ts": "",
  "build/test/deep/bad.test.js": `import test from "node:test"; test("bad one", () => { throw new Error("as seeded") })`,
  "test/helper.ts": "",
  "build/test/helper.js": `throw new Error("a helper is no test")`,
  "build/test/gone.test.js": `throw new Error("its source is gone")`,
}

test("[RP25] test runs every test file with a source, prints the results and passes the exit code on", async (t) => {
  const outcome = await runNode([TEST], { cwd: repository(t, TESTS) })
  assert.equal(outcome.code, 1)
  assert.match(outcome.stdout, /✔ good one/)
  assert.match(outcome.stdout, /✖ bad one[^]*as seeded/)
  assert.match(outcome.stdout, /tests 3\n[^]*pass 2\nℹ fail 1\n/)
})

test("[RP25] a word limits the files, a flag goes to node", async (t) => {
  const root = repository(t, TESTS)
  const word = await runNode([TEST, "good"], { cwd: root })
  assert.equal(word.code, 0)
  assert.match(word.stdout, /tests 2\n/)
  const flag = await runNode([TEST, "good", "--test-name-pattern=other"], { cwd: root })
  assert.equal(flag.code, 0)
  assert.match(flag.stdout, /✔ other one/)
  assert.doesNotMatch(flag.stdout, /✔ good one/)
})

test("[RP25] no test at all is a failure", async (t) => {
  const outcome = await runNode([TEST, "nothing-of-this-name"], { cwd: repository(t, TESTS) })
  assert.equal(outcome.code, 1)
  assert.match(outcome.stderr, /No test file matches nothing-of-this-name/)
})

test("[RP26] a file that hangs fails, and the others are run", async (t) => {
  const root = repository(t, {
    "test/a-hangs.test.ts": "",
    "build/test/a-hangs.test.js": `require("node:test")("hanging one", () => new Promise(() => setInterval(() => {}, 1000)))`,
    "test/b-ends.test.ts": "",
    "build/test/b-ends.test.js": `require("node:test")("ending one", () => {})`,
  })
  // The limit holds for both files, and on a busy machine it takes long to start a process: so that is measured.
  const start = performance.now()
  assert.equal((await runNode([TEST, "b-ends"], { cwd: root })).code, 0)
  const limit = Math.ceil(1000 + 5 * (performance.now() - start))
  const outcome = await runNode([TEST, "--test-concurrency=1", `--test-timeout=${limit}`], { cwd: root })
  assert.equal(outcome.code, 1)
  assert.match(outcome.stdout, /✖ .*(a-hangs|hanging one)[^]*timed out/)
  assert.match(outcome.stdout, /✔ ending one/)
})
