/** `corepool map` as a process: docs/spec/command-line.md. */
import assert from "node:assert/strict"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { command, FUNCTIONS, map, RUN, RunningCommand, values } from "./support/command.js"

const FOLDER = mkdtempSync(join(tmpdir(), "corepool-map-"))
after(() => rmSync(FOLDER, { recursive: true, force: true }))

let files = 0
function newFile(name = "file"): string {
  return join(FOLDER, `${++files}-${name}`)
}

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1)
const lines = (items: readonly unknown[]): string => items.map((item) => `${String(item)}\n`).join("")

test("[CM1] [CM2] each input is one call of the exported function, and one JSON object in a pipe", async () => {
  const ended = await command(["map", FUNCTIONS, ":::", "a", "b", "c"])
  assert.equal(ended.code, 0)
  assert.equal(ended.stderr, "")
  assert.deepEqual(values(ended), ["A", "B", "C"])
  const [first] = ended.jobs
  assert.deepEqual(Object.keys(first ?? {}), ["seq", "input", "ok", "value", "ms", "worker"])
  assert.equal(first?.input, "a")
  assert.match(first?.worker ?? "", /^corepool-map/)
  assert.deepEqual(values(await map("later", [":::", "a"])), ["later a"])
})

test("[CM2] text has values, the standard error stream has errors, and a tag is the input", async () => {
  const ended = await map("failing", ["--text", "--tag", "-k", "-j1", ":::", "x", "bad", "y"])
  assert.equal(ended.stdout, "x\tx\ny\ty\n")
  assert.equal(ended.stderr, "corepool: job 2 (bad): RangeError: refused bad\n")
  assert.equal((await map("square", ["--text", "--ndjson", ":::", "3"])).stdout, "9\n")
})

test("[CM3] [CM5] inputs come from values, files and the standard input; groups give combinations", async () => {
  const file = newFile()
  writeFileSync(file, "a\nb\r\nc")
  assert.deepEqual(values(await map("default", ["::::", file])), ["A", "B", "C"])
  assert.deepEqual(values(await map("default", ["-a", file, "-a", file])), ["A", "B", "C", "A", "B", "C"])
  assert.deepEqual(values(await map("default", [], "x\ny\n")), ["X", "Y"])
  assert.deepEqual(values(await map("default", ["-0"], "x\ny\0z")), ["X\nY", "Z"])
  assert.deepEqual(values(await map("add", [":::", "1", "2", ":::", "10", "20"])), [11, 21, 12, 22])
  assert.deepEqual(values(await map("add", ["--colsep", ","], "1,2\n3,4,5\n")), [3, 12])
})

test("[CM4] lines of NDJSON are values, and a line that is none is a failed job", async () => {
  const file = newFile("numbers.ndjson")
  writeFileSync(file, "2\n\n3\n")
  assert.deepEqual(values(await map("square", ["::::", file])), [4, 9])
  assert.deepEqual(values(await map("square", ["--ndjson"], "4\n5\n")), [16, 25])
  for (const more of [[], ["--batch", "1"], ["--batch", "100", "-k"]]) {
    const wrong = await map("square", ["--ndjson", "--joblog", newFile(), ...more], "2\n{no\n3\n4\n[5\n")
    assert.equal(wrong.code, 2)
    assert.deepEqual(new Set(values(wrong)), new Set([4, 9, 16, undefined]))
    const failed = wrong.jobs.filter(({ ok }) => !ok)
    assert.deepEqual(
      new Set(failed.map(({ seq, input, error }) => `${seq} ${String(input)} ${error?.name}`)),
      new Set(["2 {no SyntaxError", "5 [5 SyntaxError"]),
    )
  }
  const text = await map("square", ["--ndjson", "--text"], "2\n{no\n")
  assert.equal(text.stderr, "corepool: job 2 ({no): SyntaxError: The input is no JSON value\n")
  for (const inputs of [
    [":::", "1", "{no"],
    [":::", "1", ":::", "{no"],
  ]) {
    const refused = await map("square", ["--ndjson", ...inputs])
    assert.deepEqual([refused.code, refused.jobs.length], [255, 0])
    assert.equal(refused.stderr, "corepool: Expected a JSON value in each line of the input, got {no\n")
  }
})

test("[CM6] the number of threads may be relative, and has to be one", async () => {
  for (const jobs of ["1", "+1", "-1000", "50%", "1%"]) {
    assert.deepEqual(values(await map("default", ["-j", jobs, ":::", "a"])), ["A"], jobs)
  }
  for (const jobs of ["0", "x", "1.5"]) {
    const { code, stderr } = await map("default", [`--jobs=${jobs}`, ":::", "a"])
    assert.equal(code, 255)
    assert.match(stderr, /--jobs/)
  }
})

test("[CM7] 20,000 results in the order of the inputs, each once", async () => {
  const ended = await map("square", ["-k", "--ndjson"], lines(upTo(20_000)))
  const printed = ended.stdout.trimEnd().split("\n")
  assert.deepEqual(
    printed.map((line) => (JSON.parse(line) as { seq: number }).seq),
    upTo(20_000),
  )
  assert.deepEqual(
    values(ended),
    upTo(20_000).map((n) => n * n),
  )
})

test("[CM8] a job starts when its input has been read", async () => {
  const running = new RunningCommand(["map", FUNCTIONS])
  running.process.stdin.write("first\n")
  await running.printed("FIRST")
  running.process.stdin.write("second\n")
  await running.printed("SECOND")
  running.process.stdin.end()
  assert.equal((await running.ended()).code, 0)
})

test("[CM9] [CM10] whatever a function throws or returns fails its job alone", async () => {
  const kinds = ["string", "fine", "undefined", "getter", "bigint", "circular", "fine"]
  const ended = await map("hostile", ["--batch", "10", ":::", ...kinds])
  assert.deepEqual(
    ended.jobs.map(({ ok }) => ok),
    kinds.map((kind) => kind === "fine"),
  )
  assert.equal(ended.code, 5)
  assert.equal(ended.jobs[0]?.error?.message, "just text")
})

test("[CM10] more than 100 failures are exit code 101; a wrong command line is 255, with a reason", async () => {
  assert.equal((await map("failing", [], lines(upTo(150).map((n) => `bad${n}`)))).code, 101)
  const cases: [string[], RegExp][] = [
    [["map", `${FUNCTIONS}#nothing`, ":::", "a"], /exports no function `nothing`: it exports .*square/],
    [["map", `${FUNCTIONS}#notAFunction`, ":::", "a"], /exports no function `notAFunction`/],
    [["map", "./missing.js", ":::", "a"], /no module .\/missing.js/],
    [["map", FUNCTIONS, "::::", "./missing.txt"], /no file .\/missing.txt/],
    [["map", FUNCTIONS, "--resume", ":::", "a"], /need --joblog/],
    [["map", FUNCTIONS, "--json", "--text", ":::", "a"], /exclude each other/],
    [["map", FUNCTIONS, "--colsep", "(", ":::", "a"], /a regular expression/],
    [["map", FUNCTIONS, "--joblog", join(FOLDER, "missing", "log"), ":::", "a"], /^corepool: ENOENT[^\n]*\n$/],
    [["map", FUNCTIONS, "--timeout", "soon", ":::", "a"], /a time such as 30s/],
    [["map", FUNCTIONS, "--halt", "later", ":::", "a"], /now,fail=1/],
    [["maq"], /unknown command 'maq'.*\n?.*Did you mean map/],
  ]
  for (const [args, reason] of cases) {
    const { code, stderr, stdout } = await command(args)
    assert.equal(code, 255, args.join(" "))
    assert.match(stderr, reason)
    assert.equal(stdout, "")
  }
})

test("[CM11] the death of a thread costs one job", async () => {
  const ended = await map("dying", ["--ndjson"], lines(upTo(2000)))
  assert.equal(ended.code, 1)
  assert.deepEqual(
    ended.jobs.map(({ seq }) => seq),
    upTo(2000),
  )
  const dead = ended.jobs.filter(({ ok }) => !ok)
  assert.deepEqual(
    dead.map(({ seq, error }) => [seq, error?.name]),
    [[700, "ThreadDeathError"]],
  )
})

test("[CM12] a time limit ends an endless job, and no other", async () => {
  const ended = await map("endless", ["--timeout", "3s", ":::", "a", "endless", "b"])
  assert.equal(ended.code, 1)
  assert.deepEqual(
    ended.jobs.map(({ ok, error }) => error?.name ?? ok),
    [true, "TimeoutError", true],
  )
})

test("[CM13] a failing job is tried again", async () => {
  const succeeding = await map("unsteady", ["--retries", "3", ":::", `${newFile()} 3`])
  assert.deepEqual([succeeding.code, ...values(succeeding)], [0, "call 3"])
  const file = newFile()
  assert.equal((await map("unsteady", ["--retries", "3", ":::", `${file} 9`])).code, 1)
  assert.equal(readFileSync(file, "utf8"), "...")
})

test("[CM14] a halt starts no more jobs", async () => {
  const jobs = ["a", "bad", ...upTo(500).map(String)]
  for (const when of ["soon", "now"]) {
    const failed = await map("failing", ["-j1", "--halt", `${when},fail=1`, ":::", ...jobs])
    assert.equal(failed.code, 1)
    assert.deepEqual(
      failed.jobs.map(({ input }) => input),
      ["a", "bad"],
    )
  }
  const found = await map("endless", ["-j2", "--batch", "1", "--halt", "now,success=1", ":::", "a", "endless"])
  assert.equal(found.code, 0)
  assert.deepEqual(values(found), ["a"])
})

test("[CM15] [CM16] the job log has nine columns, and a run is resumed from it", async () => {
  const log = newFile("log.tsv")
  const inputs = [":::", "a", "bad", "c"]
  assert.equal((await map("failing", ["--joblog", log, ...inputs])).code, 1)
  const rows = readFileSync(log, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"))
  assert.deepEqual(rows[0], "Seq Host Starttime JobRuntime Send Receive Exitval Signal Command".split(" "))
  const bySeq = rows.slice(1).sort((a, b) => Number(a[0]) - Number(b[0]))
  assert.deepEqual(
    bySeq.map((row) => [row.length, row[0], row[6], row[7], row[8]]),
    [
      [9, "1", "0", "0", `${FUNCTIONS}#failing a`],
      [9, "2", "1", "0", `${FUNCTIONS}#failing bad`],
      [9, "3", "0", "0", `${FUNCTIONS}#failing c`],
    ],
  )
  assert.deepEqual((await map("failing", ["--joblog", log, "--resume", ...inputs])).jobs, [])
  const again = await map("failing", ["--joblog", log, "--resume-failed", "-j1", "-k", ...inputs, "d"])
  assert.deepEqual(
    again.jobs.map(({ seq, ok }) => [seq, ok]),
    [
      [2, false],
      [4, true],
    ],
  )
  // A crash has cut off the last line.
  writeFileSync(log, readFileSync(log, "utf8").slice(0, -3))
  const resumed = await map("failing", ["--joblog", log, "--resume", ...inputs, "d"])
  assert.equal(resumed.jobs.length, 1)
})

test("[CM15] [CM16] the job log may be NDJSON, and may grow", async () => {
  const log = newFile("log.ndjson")
  const args = ["--joblog-format", "ndjson", "--joblog"]
  await map("default", [...args, log, ":::", "a"])
  await map("default", [...args, `+${log}`, ":::", "a", "b"])
  const seqs = readFileSync(log, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { seq: number }).seq)
  assert.deepEqual(
    seqs.sort((a, b) => a - b),
    [1, 1, 2],
  )
  assert.deepEqual(values(await map("default", [...args, log, "--resume", ":::", "a", "b", "c"])), ["C"])
})

test("[CM17] a dry run prints the calls, and makes none", async () => {
  const file = newFile()
  const ended = await map("unsteady", ["--dry-run", ":::", `${file} 1`])
  assert.equal(ended.stdout, `${FUNCTIONS}#unsteady ${file} 1\n`)
  assert.equal(existsSync(file), false)
})

for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  test(`[CM18] ${signal} lets running jobs finish, and starts no more`, async () => {
    const [gate, log] = [newFile("gate"), newFile("log")]
    const inputs = upTo(20).map((n) => `${n} ${gate} ${log}`)
    const running = new RunningCommand(["map", `${FUNCTIONS}#gated`, "-j1", "--batch", "1", ":::", ...inputs])
    while (!existsSync(log)) await new Promise(setImmediate)
    running.process.kill(signal)
    writeFileSync(gate, "")
    const ended = await running.ended()
    assert.equal(ended.code, code)
    const begun = readFileSync(log, "utf8").trimEnd().split("\n")
    assert.ok(begun.length < 20)
    assert.deepEqual(values(ended), begun, "every job that began has a result")
  })
}

test("[CM18] a second signal ends the running jobs", async () => {
  const [gate, log] = [newFile("gate"), newFile("log")]
  const running = new RunningCommand(["map", `${FUNCTIONS}#gated`, ":::", `a ${gate} ${log}`])
  while (!existsSync(log)) await new Promise(setImmediate)
  running.process.kill("SIGINT")
  await running.reported("the running jobs finish")
  running.process.kill("SIGINT")
  assert.equal((await running.ended()).code, 130)
})

test("[CM19] the command ends quietly when nothing reads its output", async () => {
  const running = new RunningCommand(["map", `${FUNCTIONS}#square`, "--ndjson"])
  running.process.stdin.end(lines(upTo(200_000)))
  await running.printed("\n")
  running.process.stdout.destroy()
  const ended = await running.ended()
  assert.equal(ended.code, 141)
  assert.equal(ended.stderr, "")
})

test("[CM21] unknown options are refused, with the nearest known one", async () => {
  const { code, stderr } = await map("default", ["--retry", "3", ":::", "a"])
  assert.equal(code, 255)
  assert.match(stderr, /unknown option '--retry'/)
  assert.match(stderr, /--retries/)
})

test("[CM22] a module in TypeScript is loaded", async () => {
  const file = newFile("typed.ts")
  writeFileSync(file, "export const double = (n: number): number => n * 2\n")
  const ended = await command(["map", `${file}#double`, "--ndjson", ":::", "21"])
  assert.deepEqual([ended.stderr, ...values(ended)], ["", 42])
})

const hasScript = spawnSync("script", ["--version"]).status === 0

test(
  "[CM20] a terminal shows progress and text; a pipe shows none",
  { skip: hasScript ? false : "there is no `script`, which makes a terminal for a program" },
  async () => {
    const line = [...RUN, "map", `${FUNCTIONS}#default`, "--bar", ":::", "a", "b"].join(" ")
    const shell = spawn("script", ["-qec", line, "/dev/null"], {
      env: { ...process.env, CI: undefined, TERM: "xterm" },
    })
    let shown = ""
    shell.stdout.setEncoding("utf8").on("data", (text: string) => (shown += text))
    await once(shell, "close")
    assert.match(shown, /100% \[#{30}\] {2}2\/2/)
    assert.match(shown, /A\r?\n/)
    assert.doesNotMatch(shown, /"seq"/)
    assert.equal((await map("default", ["--bar", ":::", "a"])).stderr, "")
  },
)

test(
  "[CM21] without inputs on a terminal the command says how to give them",
  { skip: !hasScript && "there is no `script`" },
  () => {
    const line = [...RUN, "map", FUNCTIONS].join(" ")
    const { stdout } = spawnSync("script", ["-qec", line, "/dev/null"], { encoding: "utf8" })
    assert.match(stdout, /No inputs: give them after :::/)
  },
)
