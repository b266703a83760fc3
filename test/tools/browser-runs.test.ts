/** How `npm run test:runtimes` runs test files in browsers, without a browser: docs/spec/repository.md. */
import fc from "fast-check"
import nodes from "node:assert/strict"
import test from "node:test"
import { isDeepStrictEqual } from "node:util"
import { moduleOf } from "../../tools/runtimes/browser/modules.ts"
import { type Fit, fitOf } from "../../tools/runtimes/browser/needs.ts"
import { exportsOf, importsOf, rewritten } from "../../tools/runtimes/browser/rewrite.ts"
import { serveTests } from "../../tools/runtimes/browser/site.ts"
import { leftOut } from "../../tools/runtimes/report.ts"
import own from "../../tools/runtimes/stand-in/browser/assert.ts"
import { isDeepStrictEqual as ownEqual } from "../../tools/runtimes/stand-in/browser/deep-equal.ts"
import { repository, ROOT } from "./fixture.ts"

class Point {
  readonly x: number
  constructor(x: number) {
    this.x = x
  }
}

/** Values of all kinds, each made anew. */
const KINDS: readonly (() => unknown)[] = [
  () => 0,
  () => -0,
  () => NaN,
  () => "0",
  () => 0n,
  () => null,
  () => undefined,
  () => Symbol.iterator,
  () => [],
  () => [1, [2]],
  () => [1, undefined],
  () => Object.assign([1], { extra: 1 }),
  // oxlint-disable-next-line no-sparse-arrays -- a hole is not undefined
  () => [1, ,],
  () => ({}),
  () => ({ a: 1, b: { c: [NaN] } }),
  () => ({ b: { c: [NaN] }, a: 1 }),
  () => ({ a: 1, b: undefined }),
  () => Object.assign(Object.create(null) as object, { a: 1 }),
  () => ({ [Symbol.iterator]: 1 }),
  () => new Point(1),
  () => ({ x: 1 }),
  () => new Date(0),
  () => new Date(1),
  () => /a/g,
  () => /a/,
  () => new Error("a"),
  () => new Error("b"),
  () => new RangeError("a"),
  () => new Error("a", { cause: 1 }),
  () => Object.assign(new Error("a"), { code: "X" }),
  () => new AggregateError([new Error("a")], "all"),
  () => new AggregateError([new Error("b")], "all"),
  () =>
    new Map<unknown, unknown>([
      ["a", { b: 1 }],
      [{ c: 1 }, 2],
    ]),
  () =>
    new Map<unknown, unknown>([
      [{ c: 1 }, 2],
      ["a", { b: 1 }],
    ]),
  () =>
    new Map<unknown, unknown>([
      [{ c: 2 }, 2],
      ["a", { b: 1 }],
    ]),
  () => new Set([1, { a: 1 }]),
  () => new Set([{ a: 1 }, 1]),
  () => new Set([{ a: 2 }, 1]),
  () => new Uint8Array([1, 2]),
  () => new Int8Array([1, 2]),
  () => new Uint8Array([1, 2]).subarray(1),
  () => new Uint8Array([2]),
  () => new Uint8Array([2]).buffer,
  () => new DataView(new ArrayBuffer(1)),
  () => Object(1) as unknown,
  () => Object(2) as unknown,
  () => Object("1") as unknown,
  () => {
    const circle: Record<string, unknown> = { a: 1 }
    circle["self"] = circle
    return circle
  },
]

test("[RP122] the stand-in for node:assert compares values as node does", () => {
  for (const [i, first] of KINDS.entries()) {
    for (const [j, second] of KINDS.entries()) {
      const [a, b] = [first(), second()]
      nodes.equal(ownEqual(a, b), isDeepStrictEqual(a, b), `${i}: ${String(first)}, ${j}: ${String(second)}`)
    }
  }
  const anything = fc.anything({ withMap: true, withSet: true, withTypedArray: true, withDate: true, withBigInt: true })
  fc.assert(
    fc.property(fc.clone(anything, 2), anything, ([a, same], other) => {
      nodes.equal(ownEqual(a, same), isDeepStrictEqual(a, same))
      nodes.equal(ownEqual(a, other), isDeepStrictEqual(a, other))
    }),
  )
})

const THROWN: readonly unknown[] = [new RangeError("too far"), new TypeError("no"), "text", { code: "X", message: "m" }]

const EXPECTED: readonly unknown[] = [
  undefined,
  RangeError,
  Error,
  /far/,
  /^RangeError: too far$/,
  { name: "RangeError" },
  { message: /far/ },
  { code: "X" },
  new RangeError("too far"),
  () => true,
  () => false,
]

function isContent(call: () => void): boolean {
  try {
    call()
    return true
  } catch {
    return false
  }
}

test("[RP122] it judges errors, texts and truth as node does", async () => {
  for (const thrown of THROWN) {
    for (const expected of EXPECTED as [Error]) {
      const fail = (): never => {
        throw thrown
      }
      const wanted = isContent(() => nodes.throws(fail, expected))
      nodes.equal(
        isContent(() => own.throws(fail, expected)),
        wanted,
        `${String(thrown)}, ${String(expected)}`,
      )
      const rejects = own.rejects(Promise.resolve().then(fail), expected)
      nodes.equal(
        await rejects.then(
          () => true,
          () => false,
        ),
        wanted,
      )
    }
  }
  nodes.throws(() => own.throws(() => 1), own.AssertionError)
  await nodes.rejects(own.rejects(Promise.resolve(1)), own.AssertionError)
  const calls = (assert: typeof nodes): (() => void)[] => [
    () => assert.ok(0),
    () => assert(1),
    () => assert.equal(NaN, NaN),
    () => assert.equal(0, -0),
    () => assert.notEqual(1, 2),
    () => assert.match("abc", /b/),
    () => assert.match("abc", /d/),
    () => assert.doesNotMatch("abc", /b/),
    () => assert.doesNotThrow(() => 1),
    () => assert.fail("said"),
    () => assert.ifError(null),
    () => assert.deepEqual([1], ["1"]),
    () => assert.notDeepEqual([1], ["1"]),
  ]
  nodes.deepEqual(calls(own as unknown as typeof nodes).map(isContent), calls(nodes).map(isContent))
})

test("[RP121] names that Node resolves become addresses, also of exports, of what is loaded later and of import.meta.resolve", () => {
  const text = [
    'import a, { b as c } from "corepool"',
    'export * from "corepool"; export { d } from "./near.js"',
    'const later = import("node:test"), unknown = import(a)',
    'const url = import.meta.resolve("corepool/worker")',
    'const none = "corepool"',
  ].join("\n")
  nodes.deepEqual(
    importsOf(text).map(({ specifier, names }) => `${specifier}: ${names.join()}`),
    ["corepool: default,b", "corepool: *", "./near.js: d", "node:test: *"],
  )
  nodes.equal(
    rewritten(text, (name) => (name.startsWith(".") ? undefined : `/at/${name}`)),
    [
      'import a, { b as c } from "/at/corepool"',
      'export * from "/at/corepool"; export { d } from "./near.js"',
      'const later = import("/at/node:test"), unknown = import(a)',
      'const url = new URL("/at/corepool/worker", import.meta.url).href',
      'const none = "corepool"',
    ].join("\n"),
  )
  nodes.deepEqual(
    exportsOf("export * from './a.js'; export const b = 1; export { b as c }; export default b", () => ["a"]),
    ["a", "b", "c", "default"],
  )
})

test("[RP121] a file runs in a window, and in a worker if it calls a method that blocks, itself or by a helper", (t) => {
  const root = repository(t, {
    "test/a.test.ts": "",
    "build/test/a.test.js": 'import test from "node:test"; import { Executors } from "corepool"',
    "test/b.test.ts": "",
    "build/test/b.test.js": 'import "./helper.js"',
    "build/test/helper.js": "export const wait = (queue) => queue.takeSync()",
    "test/c.test.ts": 'import "#src/index.js"',
    "build/test/c.test.js": 'import "#src/index.js"',
    "build/src/index.js": "",
  })
  const fits = ["a", "b", "c"].map((name) => fitOf(root, `test/${name}.test.ts`))
  nodes.deepEqual(fits, [
    { site: "shipped", place: "window" },
    { site: "shipped", place: "worker" },
    { site: "modules", place: "window" },
  ])
})

test("[RP123] a file that needs what no browser has is left out, and the run says how many files lack what", (t) => {
  const root = repository(t, {
    "test/a.test.ts": "",
    "build/test/a.test.js": 'import { spawn } from "node:child_process"',
    "test/b.test.ts": "",
    "build/test/b.test.js": 'import { Worker } from "node:worker_threads"',
    "test/c.model.test.ts": "",
    "test/d.test.ts": "",
    "build/test/d.test.js": 'import "./helper.js"',
    "build/test/helper.js": 'import { Monitor } from "corepool/monitor"',
  })
  const files = ["test/a.test.ts", "test/b.test.ts", "test/c.model.test.ts", "test/d.test.ts"]
  const fits = new Map<string, Fit>(files.map((file) => [file, fitOf(root, file)]))
  nodes.deepEqual(
    [...fits.values()].map((fit) => ("lacks" in fit ? fit.lacks : "runs")),
    [
      "node:child_process",
      "Worker of node:worker_threads",
      "the memory of the model checker, which is not that of a runtime",
      "corepool/monitor",
    ],
  )
  nodes.deepEqual(leftOut(new Map([...fits, ["test/e.test.ts", fits.get(files[0] as string) as Fit]])).slice(0, 3), [
    "",
    "Not run in browsers, by what they need",
    "  node:child_process: 2 files",
  ])
})

test("[RP121] what the page loads is there, isolated, and the runner hears each line", async () => {
  await using site = await serveTests(ROOT)
  const heard: string[] = []
  using visit = site.visit("build/test/spec/queue/heap.test.js", "shipped", "worker", 1000, (lines) =>
    heard.push(lines),
  )
  const page = await fetch(visit.url)
  nodes.equal(page.headers.get("cross-origin-embedder-policy"), "require-corp")
  const [, entry = ""] = /new Worker\("([^"]+)"/.exec(await page.text()) ?? []
  const seen = new Set([new URL(entry, visit.url).href, new URL("/shipped/dist/browser/worker.js", visit.url).href])
  for (const url of seen) {
    const response = await fetch(url)
    nodes.equal(response.status, 200, url)
    for (const { specifier } of importsOf(await response.text())) seen.add(new URL(specifier, url).href)
  }
  nodes.ok(seen.size > 10)
  await fetch(new URL(`/results${new URL(visit.url).search}`, visit.url), { method: "POST", body: "a line" })
  nodes.deepEqual(heard, ["a line"])
  nodes.equal((await fetch(new URL("/shipped/package.json", visit.url))).status, 404)
})

test("[RP121] a name has one address, and names that browsers have not have none", () => {
  nodes.equal(moduleOf("shipped", "corepool"), "dist/browser/index.js")
  nodes.equal(moduleOf("modules", "corepool/queue"), "build/src/queue/index.js")
  nodes.equal(moduleOf("modules", "#host/runtime/clock"), "build/src/host/browser/runtime/clock.js")
  nodes.equal(moduleOf("shipped", "corepool/distributed"), undefined)
  nodes.equal(moduleOf("shipped", "node:fs"), undefined)
})
