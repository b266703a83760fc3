/** What `npm run test:builds` is told to do, and how it judges. What it finds is for it to say: it takes long, and needs the registry. */
import assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import test from "node:test"
import { BUNDLERS, type Case, RUNNERS } from "../../tools/builds/cases.ts"
import { limitsOf, normalized, tableOf } from "../../tools/builds/guide.ts"
import { failed, judge } from "../../tools/builds/judge.ts"
import { CASES, PAGES } from "../../tools/builds/pages.ts"
import { HOME, runNode } from "../../tools/check/run.ts"

const PROGRAM: Case = { name: "x", tool: "x", programs: [], run: [], runtimes: ["node20"], how: "" }
const LIMITED: Case = {
  ...PROGRAM,
  limit: { kinds: ["module"], error: /no such file/, reason: "it is gone", instead: "another" },
}

test("[RP43] a program that prints what it should has passed, whatever it prints besides", () => {
  const { verdicts, complaints } = judge(PROGRAM, "Listening\n  module: 42\ninline: 42\n> done\n    fork/join: 55\n")
  assert.deepEqual(verdicts, { module: "ok", inline: "ok", "fork/join": "ok" })
  assert.deepEqual(complaints, [])
})

test("[RP43] another result, or none, has failed, and so has a program that could not be built", () => {
  const { verdicts, complaints } = judge(PROGRAM, "module: TypeError: no\ninline: 42")
  assert.deepEqual(verdicts, { module: "FAIL", inline: "ok", "fork/join": "FAIL" })
  assert.deepEqual(complaints.slice(0, 2), [
    "module: expected 42, got TypeError: no",
    "fork/join: expected 55, got nothing",
  ])
  assert.deepEqual(failed(new Error("no disk")).complaints, ["no disk"])
  assert.deepEqual(Object.values(failed("x").verdicts), ["FAIL", "FAIL", "FAIL"])
})

test("[RP44] what cannot be fails as it is listed; if it works, or fails in another way, that is a failure", () => {
  const rest = "\ninline: 42\nfork/join: 55"
  assert.equal(judge(LIMITED, `module: Error: no such file${rest}`).verdicts.module, "cannot")
  assert.deepEqual(judge(LIMITED, `module: Error: no such file${rest}`).complaints, [])
  const works = judge(LIMITED, `module: 42${rest}`)
  assert.equal(works.verdicts.module, "FAIL")
  assert.match(String(works.complaints[0]), /works, and is listed as what it cannot do/)
  const other = judge(LIMITED, `module: Error: out of memory${rest}`)
  assert.match(String(other.complaints[0]), /another error than the one listed: Error: out of memory/)
  assert.equal(judge(LIMITED, `no such file${rest}`).verdicts.module, "cannot") // of a program that did not get that far
})

test("[RP42] names that nothing has are refused before anything is done", async () => {
  const main = join(HOME, "build/tools/builds/main.js")
  const { code, stderr } = await runNode([main, "no-such-bundler"], { cwd: HOME })
  assert.equal(code, 2)
  assert.match(stderr, /Nothing is called no-such-bundler\. There are: esbuild/)
})

test("[RP45] fixtures name exact versions, and all that there is is used", () => {
  const fixtures = join(HOME, "fixtures")
  const tools = readdirSync(fixtures).filter((name) => name !== "programs" && name !== "README.md")
  assert.deepEqual(tools, [...new Set(CASES.map(({ tool }) => tool))].sort())
  const programs = [...new Set(CASES.flatMap((program) => program.programs))].sort()
  assert.deepEqual(readdirSync(join(fixtures, "programs")), programs)
  for (const tool of tools) {
    const manifest = JSON.parse(readFileSync(join(fixtures, tool, "package.json"), "utf8")) as {
      dependencies: Record<string, string>
    }
    const { corepool, ...others } = manifest.dependencies
    assert.equal(corepool, "file:../corepool.tgz")
    for (const [name, version] of Object.entries(others)) assert.match(version, /^\d+\.\d+\.\d+$/, `${tool}: ${name}`)
  }
  assert.equal(new Set(CASES.map(({ name }) => name)).size, CASES.length)
})

test("[RP46] the guide says what is listed", () => {
  const guide = normalized(readFileSync(join(HOME, "docs/guide/builds.md"), "utf8"))
  for (const [cases, tool] of [
    [BUNDLERS, "bundler"],
    [RUNNERS, "runner"],
    [PAGES, "bundler"],
  ] as const) {
    // prettier-ignore
    for (const part of [tableOf(cases, tool), limitsOf(cases)]) {
      assert.ok(guide.includes(normalized(part)), "docs/guide/builds.md is old: node build/tools/builds/update.js")
    }
  }
})
