/** The stand-in for node:test, run on Node, where it can be compared with what it stands for. */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import test, { type TestContext } from "node:test"
import { run } from "../../tools/check/run.ts"
import { type FileResults, readResults } from "../../tools/runtimes/results.ts"
import { commandFor } from "../../tools/runtimes/runtime.ts"
import { repository, ROOT } from "./fixture.ts"

const STAND_IN = join(ROOT, "build/tools/runtimes/stand-in/node-test.js")

/** Runs a test file by node's own runner, or with the stand-in, and reads what it told. */
async function results(t: TestContext, code: string, standIn: boolean): Promise<FileResults> {
  const imported = standIn ? STAND_IN : "node:test"
  const root = repository(t, {
    "package.json": `{ "type": "module" }`,
    "build/test/a.test.js": code.replace(`from "node:test"`, `from "${imported}"`),
  })
  const path = join(root, "results.jsonl")
  const { args, env } = commandFor(standIn ? "bun" : "node20", "test/a.test.ts", path, 60_000)
  await run(process.execPath, standIn ? args.slice(-1) : args, { cwd: root, env })
  return readResults(readFileSync(path, "utf8"))
}

/** One line per test, in order. Errors are worded differently; the first line of one of the test's own is the same. */
async function told(t: TestContext, code: string, standIn: boolean): Promise<string[]> {
  const { results: all, open, finished } = await results(t, code, standIn)
  assert.deepEqual([open, finished], [[], true])
  return all.map(({ title, outcome, why }) => {
    const known = outcome === "skipped" || why.startsWith("Error: own") ? `: ${why.split("\n")[0]}` : ""
    return `${outcome} ${title}${known}`
  })
}

async function assertSame(t: TestContext, code: string, expected: readonly string[]): Promise<void> {
  assert.deepEqual(await told(t, code, true), expected)
  assert.deepEqual(await told(t, code, false), expected)
}

test("[RP33] tests, suites and inner tests run in order, and what fails stops nobody", async (t) => {
  await assertSame(
    t,
    `import test, { describe, it, suite } from "node:test"
     const order = []
     describe("outer", () => {
       it("first", () => { order.push(1) })
       suite("inner", () => { test("deep", async () => { await null; throw new Error("own") }) })
       test("last", () => { order.push(2) })
     })
     test("with inner ones", async (t) => {
       await t.test("good", () => { order.push(3) })
       await t.test("bad", () => { throw new Error("own") })
     })
     test("by callback", (t, done) => { setTimeout(done, 1) })
     test("by callback, in vain", (t, done) => { setTimeout(done, 1, new Error("own")) })
     test("in order", () => { if (order.join() !== "1,2,3") throw new Error(order.join()) })`,
    [
      "passed outer > first",
      "failed outer > inner > deep: Error: own",
      "passed outer > last",
      "passed with inner ones > good",
      "failed with inner ones > bad: Error: own",
      "failed with inner ones",
      "passed by callback",
      "failed by callback, in vain: Error: own",
      "passed in order",
    ],
  )
})

test("[RP33] as many tests of a suite run at a time as it is told", async (t) => {
  await assertSame(
    t,
    `import test, { describe } from "node:test"
     let [inside, most] = [0, 0]
     let open
     const opened = new Promise((resolve) => (open = resolve))
     const meet = async () => {
       most = Math.max(most, ++inside)
       if (inside === 2) open()
       await opened
       inside--
     }
     describe("suite", { concurrency: 2 }, () => { for (const name of ["a", "b", "c", "d"]) test(name, meet) })
     test("most", () => { if (most !== 2) throw new Error(String(most)) })`,
    ["passed suite > a", "passed suite > b", "passed suite > c", "passed suite > d", "passed most"],
  )
})

test("[RP33] what is skipped or to do is told with its reason", async (t) => {
  await assertSame(
    t,
    `import test, { describe } from "node:test"
     test("a", { skip: "not here" }, () => { throw new Error("ran") })
     test("b", { skip: false }, () => {})
     test.skip("c", () => { throw new Error("ran") })
     test("d", (t) => t.skip("found out"))
     test("e", { todo: "some day" }, () => {})
     test.todo("f", () => {})
     describe.skip("g", () => { test("h", () => {}) })
     describe("i", () => { test("j", { skip: "neither" }, () => {}) })`,
    [
      "skipped a: not here",
      "passed b",
      "skipped c: ",
      "skipped d: found out",
      "skipped e: to do: some day",
      "skipped f: to do: ",
      "skipped g: ",
      "skipped i > j: neither",
    ],
  )
})

test("[RP33] hooks of outer steps apply to the inner ones, each at its time", async (t) => {
  await assertSame(
    t,
    `import test, { after, afterEach, before, beforeEach, describe } from "node:test"
     const order = []
     const note = (what) => () => { order.push(what) }
     before(note("before")); beforeEach(note("each")); afterEach(note("eachAfter"))
     test("one", (t) => { t.after(note("own")); order.push("one") })
     describe("suite", () => {
       before(note("suiteBefore")); beforeEach(note("suiteEach")); after(note("suiteAfter"))
       test("two", note("two"))
       test("three", note("three"))
     })
     test("the order", () => {
       const found = order.join(" ")
       const wanted = "before each one eachAfter own each-two-eachAfter each-three-eachAfter suiteAfter each"
       const short = found.replace("suiteBefore ", "").replaceAll("each suiteEach", "each-").replaceAll(/- (two|three) /g, "-$1-")
       if (short !== wanted) throw new Error(found)
     })
     describe("bad", () => { before(() => { throw new Error("own") }); test("four", () => {}) })`,
    [
      "passed one",
      "passed suite > two",
      "passed suite > three",
      "passed the order",
      "failed bad > four",
      "failed bad: Error: own",
    ],
  )
})

test("[RP33] the hooks after all tests of a file are called when the last one has ended, whatever it leaves open", async (t) => {
  await assertSame(
    t,
    `import test, { after } from "node:test"
     const open = setInterval(() => {}, 1000)
     after(() => clearInterval(open))
     await new Promise((resolve) => setTimeout(resolve, 1))
     test("one", () => {})
     test("two", () => {})`,
    ["passed one", "passed two"],
  )
  for (const [hook, why] of [
    [`() => { throw new Error("own") }`, "Error: own"],
    ["() => new Promise(() => {})", "a hook after all tests has not ended"],
  ] as const) {
    const code = `import test, { after } from "node:test"; after(${hook}); test("one", () => {})`
    const [one, other] = (await results(t, code, true)).results
    assert.equal(one?.outcome, "passed")
    assert.ok(other !== undefined)
    assert.deepEqual([other.title, other.outcome], ["outside of all tests", "failed"])
    assert.ok(other.why.startsWith(why))
  }
})

test("[RP33] methods are mocked until the end of the test", async (t) => {
  await assertSame(
    t,
    `import test from "node:test"
     import assert from "node:assert/strict"
     class Base { inherited() { return "real" } }
     const object = Object.assign(new Base(), { own() { return "real" } })
     test("mocked", (t) => {
       const inherited = t.mock.method(object, "inherited", () => "mock")
       const own = t.mock.method(object, "own")
       assert.deepEqual([object.inherited(1, 2), object.own()], ["mock", "real"])
       assert.equal(inherited.mock.callCount(), 1)
       const [{ arguments: args, result, this: receiver }] = inherited.mock.calls
       assert.deepEqual([args, result, receiver === object], [[1, 2], "mock", true])
       own.mock.restore()
     })
     test("real again", () => {
       assert.deepEqual([object.inherited(), object.own()], ["real", "real"])
     })`,
    ["passed mocked", "passed real again"],
  )
})

test("[RP33] a test that takes too long, and one that throws from a callback, has failed", async (t) => {
  await assertSame(
    t,
    `import test from "node:test"
     test("slow", { timeout: 5 }, () => new Promise((resolve) => setTimeout(resolve, 100)))
     test("stray", async () => {
       setTimeout(() => { throw new Error("own") }, 1)
       await new Promise((resolve) => setTimeout(resolve, 50))
     })
     test("next", () => {})`,
    ["failed slow", "failed stray: Error: own", "passed next"],
  )
})

test("[RP32][RP33] a test that took too long and keeps the process alive does not keep it longer than the others", async (t) => {
  const lines = await told(
    t,
    `import test from "node:test"
     test("endless", { timeout: 5 }, () => new Promise(() => setInterval(() => {}, 1000)))
     test("next", () => {})`,
    true,
  )
  assert.deepEqual(lines, ["failed endless", "passed next"])
})

test("[RP33] a test that waits for nothing that could come has failed with those behind it", async (t) => {
  const { results: all, finished } = await results(
    t,
    `import test, { describe } from "node:test"
     test("good", () => {})
     test("waits", () => new Promise(() => {}))
     describe("suite", () => { test("behind", () => {}) })`,
    true,
  )
  assert.equal(finished, true)
  assert.deepEqual(all.map(({ title, outcome }) => `${outcome} ${title}`).toSorted(), [
    "failed suite",
    "failed suite > behind",
    "failed waits",
    "passed good",
  ])
})

test("[RP33] an error that nobody handles fails the test that left it, or the file", async (t) => {
  const code = `import test from "node:test"
    test("leaves a rejection", () => { Promise.reject(new Error("own")) })
    test("leaves a timer", () => { setTimeout(() => { throw new Error("own") }, 20) })
    setTimeout(() => {}, 100)`
  assert.deepEqual(await told(t, code, true), [
    "failed leaves a rejection: Error: own",
    "passed leaves a timer",
    "failed outside of all tests: Error: own",
  ])
  assert.deepEqual(
    (await told(t, code, false)).filter((line) => line.startsWith("failed")),
    ["failed outside of all tests", "failed outside of all tests"],
  )
})

test("[RP33] what the stand-in lacks is an error", async (t) => {
  for (const [code, why] of [
    [`import { run } from "node:test"`, "before its tests"],
    [`import test from "node:test"; test("a", { plan: 2 }, () => {})`, "no option plan"],
    [`import { describe } from "node:test"; describe("a", async () => {})`, "no asynchronous suites"],
    [`import test from "node:test"; test("a", (t) => t.mock.timers.enable())`, "undefined"],
  ] as const) {
    const root = repository(t, {
      "package.json": `{ "type": "module" }`,
      "a.js": code.replace(`from "node:test"`, `from "${STAND_IN}"`),
    })
    const path = join(root, "results.jsonl")
    const outcome = await run(process.execPath, ["a.js"], { cwd: root, env: { TEST_RESULTS: path } })
    if (why === "before its tests") assert.match(outcome.stderr, /does not provide an export named 'run'/)
    else {
      const [first] = readResults(readFileSync(path, "utf8")).results
      assert.equal(first?.outcome, "failed")
      assert.match(first.why, new RegExp(why))
    }
  }
})
