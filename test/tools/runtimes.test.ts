/** The parts of `npm run test:runtimes`, without the runtimes. */
import assert from "node:assert/strict"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import test from "node:test"
import { listFiles } from "../../tools/check/files.ts"
import { runNode } from "../../tools/check/run.ts"
import { type Difference, DIFFERENCES, type Omission, OMISSIONS } from "../../tools/runtimes/differences.ts"
import { fetchRuntimes } from "../../tools/runtimes/fetch.ts"
import { type Ending, failureOf, type FileRun, runFiles } from "../../tools/runtimes/files.ts"
import { filesFor, judge, staleEntries, type Verdict } from "../../tools/runtimes/judge.ts"
import { header, remarks, row } from "../../tools/runtimes/report.ts"
import { FILE, type Outcome, readResults } from "../../tools/runtimes/results.ts"
import { commandFor, ENGINES, packageOf } from "../../tools/runtimes/runtime.ts"
import { repository, ROOT } from "./fixture.ts"

const MAIN = join(ROOT, "build/tools/runtimes/main.js")

/** The node that runs this test, for the oldest of all. */
const HERE = { name: "node20", program: process.execPath, version: process.versions.node } as const

const LIMITS = { test: 60_000, file: 120_000 }

/** A run of one file, of which only titles and outcomes matter. */
function ran(file: string, outcomes: Readonly<Record<string, Outcome>>): FileRun {
  return { file, results: Object.entries(outcomes).map(([title, outcome]) => ({ title, outcome, why: "as seeded" })) }
}

/** A test file with a source, compiled. */
function testFile(name: string, code: string): Record<string, string> {
  return { [`test/${name}.test.ts`]: "", [`build/test/${name}.test.js`]: code }
}

test("[RP28] an unknown runtime, an unknown option and a pattern without a file are refused", async (t) => {
  const root = repository(t, testFile("a", ""))
  const unknown = await runNode([MAIN, "bun", "rhino"], { cwd: root })
  assert.deepEqual(
    [unknown.code, unknown.stderr],
    [2, "No such runtime: rhino. There are: node20, node22, node24, node26, bun, deno, chromium, firefox.\n"],
  )
  const option = await runNode([MAIN, "--fast"], { cwd: root })
  assert.equal(option.code, 2)
  assert.match(option.stderr, /--fast/)
  const pattern = await runNode([MAIN, "--pattern", "nothing-of-this-name"], { cwd: root })
  assert.deepEqual([pattern.code, pattern.stderr], [2, "No test file matches nothing-of-this-name\n"])
})

test("[RP28] a model test runs with the condition model on every runtime, and others do not", () => {
  for (const runtime of ENGINES) {
    const model = commandFor(runtime, "test/model/a.model.test.ts", "results", 1000).args
    const other = commandFor(runtime, "test/model/a.test.ts", "results", 1000).args
    assert.ok(model.includes("--conditions=model"))
    assert.deepEqual(
      model.filter((arg) => arg !== "--conditions=model").map((arg) => arg.replace(".model", "")),
      other,
    )
    assert.equal(model.at(-1), "build/test/model/a.model.test.js")
  }
})

test("[RP28] everything that a command names is there", () => {
  for (const runtime of ENGINES) {
    for (const arg of commandFor(runtime, "test/a.test.ts", "results", 1000).args) {
      const path = arg.replace(/^--[a-z-]+=/, "").replace("file://", "")
      if (path.startsWith("/")) assert.ok(existsSync(path), path)
    }
  }
})

test("[RP29] a row for each runtime, then what differs, is not run, is skipped and, in the last lines, failed, and why", () => {
  const remark = (title: string, why: string) => ({ file: `test/${title}.test.ts`, title, why })
  const verdict: Verdict = {
    passed: 1234,
    failed: [remark("f", `Error: one\n  at two${"\n".repeat(28)}\nline 31`)],
    differs: [remark("d", "its way")],
    skipped: [remark("s", "no need")],
  }
  const omissions: Omission[] = [{ runtimes: ["bun", "deno"], under: "test/tools/", reason: "Node only" }]
  const rows = [
    { runtime: "node20", version: "20.20.2", verdict: { ...verdict, failed: [], differs: [] }, seconds: 61.26 },
    { runtime: "bun", version: "1.4.4", verdict, seconds: 7 },
  ] as const
  assert.deepEqual(
    [header(), ...rows.map(row), ...remarks(rows, omissions, ["NOT RUN"])].join("\n").trimEnd().split("\n"),
    [
      "runtime  version    passed  failed differs skipped  seconds",
      "node20   20.20.2      1234       0       0       1     61.3",
      "bun      1.4.4        1234       1       1       1      7.0",
      "",
      "Differs",
      "  test/d.test.ts",
      "    d",
      "      bun: its way",
      "",
      "Not run",
      "  bun  test/tools/: Node only",
      "",
      "Skipped",
      "  test/s.test.ts",
      "    s",
      "      node20, bun: no need",
      "",
      "NOT RUN",
      "",
      "Failed",
      "  test/f.test.ts",
      "    f",
      "      bun: Error: one",
      "          at two",
    ],
  )
})

test("[RP29] a skipped test is told with its reason, or that it has none", () => {
  const results = [
    { title: "a", outcome: "skipped", why: "for now" },
    { title: "b", outcome: "skipped", why: "" },
  ] as const
  const { passed, failed, skipped } = judge("deno", [{ file: "x", results }], [])
  assert.deepEqual([passed, failed.length], [0, 0])
  assert.deepEqual(
    skipped.map(({ why }) => why),
    ["for now", "no reason is written"],
  )
})

const KNOWN: Difference[] = [{ runtimes: ["bun"], reason: "its way", tests: { x: ["outer > a"] } }]

test("[RP30] a listed difference counts as such on its runtime, and as a failure elsewhere", () => {
  const runs = [ran("x", { "outer > a": "failed", b: "passed" }), ran("y", { "outer > a": "passed" })]
  const bun = judge("bun", runs, KNOWN)
  assert.deepEqual([bun.passed, bun.failed], [2, []])
  assert.deepEqual(bun.differs, [{ file: "x", title: "outer > a", why: "its way" }])
  const deno = judge("deno", runs, KNOWN)
  assert.deepEqual([deno.passed, deno.differs], [2, []])
  assert.deepEqual(deno.failed, [{ file: "x", title: "outer > a", why: "as seeded" }])
})

test("[RP30] a listed difference that no longer occurs is a failure", () => {
  for (const outcomes of [{ "outer > a": "passed" }, { b: "passed" }] as const) {
    const { failed } = judge("bun", [ran("x", outcomes)], KNOWN)
    assert.deepEqual(
      failed.map(({ title }) => title),
      ["outer > a"],
    )
  }
  assert.deepEqual(judge("bun", [ran("y", { b: "passed" })], KNOWN).failed, [], "its file was not run")
})

test("[RP30] what is listed stands for files that exist", () => {
  const omissions: Omission[] = [{ runtimes: ["deno"], under: "test/gone/", reason: "-" }]
  assert.equal(staleEntries(["x", "test/gone/a.test.ts"], KNOWN, omissions).length, 0)
  assert.deepEqual(staleEntries(["y"], KNOWN, omissions), [
    "x is listed as a difference, and is not there",
    "test/gone/ is listed as not run, and nothing is there",
  ])
  assert.deepEqual(staleEntries(listFiles(ROOT, "test", ".test.ts"), DIFFERENCES, OMISSIONS), [])
})

test("[RP30] files that do not concern a runtime are not run on it, and on the others they are", () => {
  const files = ["test/a.test.ts", "test/tools/b.test.ts"]
  const omissions: Omission[] = [{ runtimes: ["bun"], under: "test/tools/", reason: "Node only" }]
  assert.deepEqual(filesFor("bun", files, omissions), ["test/a.test.ts"])
  assert.deepEqual(filesFor("deno", files, omissions), files)
})

test("[RP31] a test that ran on another runtime and not here has failed here", () => {
  const twice = { file: "x", results: [...ran("x", { a: "passed" }).results, ...ran("x", { a: "passed" }).results] }
  const { passed, failed } = judge("deno", [ran("x", { a: "passed", more: "passed" })], [], [twice, ran("y", {})])
  assert.equal(passed, 2)
  const broken = ran("x", { [FILE]: "failed", "outside of all tests": "failed" })
  assert.deepEqual(judge("deno", [ran("x", {})], [], [broken]).failed, [], "those are no tests")
  assert.deepEqual(failed, [{ file: "x", title: "a", why: "was not run here, and was on another runtime" }])
})

test("[RP32] results are read up to where the process was killed", () => {
  const { results, open, finished } = readResults(
    [
      `{"event":"start","path":["s"]}`,
      `{"event":"start","path":["s","a"]}`,
      `{"event":"end","path":["s","a"],"outcome":"passed"}`,
      `{"event":"start","path":["s","b"]}`,
      `{"event":"end","path":["s","b"],"outco`,
    ].join("\n"),
  )
  assert.deepEqual(results, [{ title: "s > a", outcome: "passed", why: "" }])
  assert.deepEqual([open, finished], [["s", "s > b"], false])
})

test("[RP32] a file that ends badly with no failed test, or before its tests are over, has failed", () => {
  const good = { results: [], open: [], finished: true }
  const well: Ending = { code: 0, stderr: "", isOverdue: false }
  const why = (results: Partial<typeof good>, ending: Partial<Ending>): string[] =>
    failureOf({ ...good, ...results }, { ...well, ...ending }).map((result) => result.why)
  assert.deepEqual(why({}, {}), [])
  assert.deepEqual(why({}, { code: 3, stderr: "said\n" }), ["ended with exit code 3\nsaid"])
  assert.deepEqual(why({}, { code: "SIGSEGV" }), ["ended with SIGSEGV"])
  assert.deepEqual(why({ finished: false }, {}), ["ended with exit code 0 before its tests were over"])
  const blamed = { ...good, results: ran("x", { a: "failed" }).results }
  assert.deepEqual(failureOf(blamed, { ...well, code: 1 }), [])
})

test("[RP32] a file that does not end is ended with what it started, and the others are run", async (t) => {
  const root = repository(t, {
    "package.json": `{ "type": "module" }`,
    ...testFile(
      "a-hangs",
      `import test from "node:test"
       import { spawn } from "node:child_process"
       test("hanging one", () => {
         spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"], { stdio: "inherit" })
         return new Promise(() => setInterval(() => {}, 1000))
       })`,
    ),
    ...testFile("b-ends", `import test from "node:test"; test("ending one", () => {})`),
  })
  const files = ["test/a-hangs.test.ts", "test/b-ends.test.ts"]
  // That it comes back is the proof: what the test has started holds the file's stderr open.
  const [hanging, ending] = await runFiles(root, HERE, files, { test: 60_000, file: 4000 })
  assert.deepEqual(
    hanging?.results.map(({ title, why }) => [title, why]),
    [["the file itself", "did not end within its time; not ended: hanging one"]],
  )
  assert.deepEqual(ending?.results, [{ title: "ending one", outcome: "passed", why: "" }])
})

test("[RP32] a file that cannot be loaded has failed", async (t) => {
  const root = repository(t, testFile("broken", `throw new Error("as seeded")`))
  const [broken] = await runFiles(root, HERE, ["test/broken.test.ts"], LIMITS)
  assert.match(broken?.results[0]?.why ?? "", /^ended with exit code 1[^]*as seeded/)
})

test("[RP34] every runtime is pinned to an exact version, and the lock file has it without a registry", () => {
  const read = (file: string): unknown => JSON.parse(readFileSync(join(ROOT, "tools/runtimes", file), "utf8"))
  const { optionalDependencies: pins } = read("package.json") as { optionalDependencies: Record<string, string> }
  const { packages } = read("package-lock.json") as { packages: Record<string, { name: string; version: string }> }
  for (const runtime of ENGINES) assert.ok(packageOf(runtime, "linux", "x64") in pins, runtime)
  for (const [name, pin] of Object.entries(pins)) {
    assert.match(pin, /^npm:.+@\d+\.\d+\.\d+$/)
    const entry = packages[`node_modules/${name}`]
    assert.equal(`npm:${entry?.name}@${entry?.version}`, pin)
    assert.ok(entry !== undefined && !("resolved" in entry))
  }
})

test("[RP34] a runtime for which there is no package on this platform is refused", async (t) => {
  const root = repository(t, { "package.json": `{ "optionalDependencies": { "bun-beos-sparc": "npm:bun@1.0.0" } }` })
  await assert.rejects(
    fetchRuntimes(root, ["bun"]),
    new Error(
      `No bun-${process.platform}-${process.arch} in tools/runtimes/package.json. ` +
        "For another platform, add the packages that bring its executables.",
    ),
  )
})
