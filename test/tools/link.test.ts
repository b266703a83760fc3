import assert from "node:assert/strict"
import test, { type TestContext } from "node:test"
import { ChunkTable } from "../../tools/bundle/chunk-table.ts"
import { type Linked, Linker } from "../../tools/bundle/link.ts"
import { ModuleGraph } from "../../tools/bundle/module-graph.ts"
import { repository } from "./fixture.ts"

const TABLE = new ChunkTable([
  { name: "low", after: [], modules: ["host/", "low/"] },
  { name: "high", after: ["low"], modules: ["high/"] },
  { name: "far", after: [], modules: ["high/far"] },
])

function linked(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  ...asked: readonly [string, string][]
): Linked {
  const linker = new Linker(new ModuleGraph(repository(t, files), new Map()), TABLE)
  for (const [module, name] of asked) linker.export(module, name)
  return linker.finish()
}

const lines = (text: string | undefined): string[] => (text ?? "").split("\n").map((line) => line.trim())

test("[RP50] an import within a file, or from one that is loaded before, is one; others are put off until they are used", (t) => {
  const { texts, exports, taken } = linked(
    t,
    {
      "low/base.js": "export class Base {}\nexport const limit = 3",
      "high/near.js": "export const near = 1",
      "high/far.js": "export const far = 2; export const further = 3",
      "high/user.js": [
        `import { Base, limit as most } from "../low/base.js"`,
        `import { near } from "./near.js"`,
        `import { far as distant, further } from "./far.js"`,
        `export class User extends Base {`,
        `field = distant`,
        `use() { return { near, further, most, distant: this.further } }`,
        `}`,
      ].join("\n"),
    },
    ["high/user.js", "User"],
  )
  assert.deepEqual(lines(texts.get("high/user.js")), [
    `import { a as Base } from "code:high/low"; import { b as most } from "code:high/low";`,
    `import { near as near } from "corepool:high/near.js";`,
    `import { a as distant, later_a as laterdistant } from "later:high/far"; import { b as further, later_b as laterfurther } from "later:high/far";`,
    `export class User extends Base {`,
    `field = (distant ?? laterdistant())`,
    `use() { return { near, further: (further ?? laterfurther()), most, distant: this.further } }`,
    `}`,
  ])
  assert.deepEqual([...(exports.get("far")?.keys() ?? [])], ["a", "b"])
  assert.deepEqual([...(taken.get("high/low") ?? [])], ["a", "b"])
})

test("[RP50] what a module passes on is taken from where it comes from, and names that two modules have are told apart", (t) => {
  const { texts, exports } = linked(
    t,
    {
      "low/one.js": "export const open = 1",
      "low/two.js": "export const open = 2",
      "low/all.js": `export * from "./one.js"\nexport { open as second } from "./two.js"`,
      "high/user.js": `import { open, second } from "../low/all.js"\nexport const sum = () => open + second`,
    },
    ["high/user.js", "sum"],
  )
  assert.equal(texts.has("low/all.js"), false)
  assert.deepEqual(
    [...(exports.get("low") ?? [])],
    [
      ["a", { module: "low/one.js", name: "open" }],
      ["b", { module: "low/two.js", name: "open" }],
    ],
  )
  assert.match(texts.get("high/user.js") ?? "", /import \{ b as second \} from "code:high\/low"/)
})

test("[RP50] what the host passes on from the runtime is taken from the runtime by each file that uses it", (t) => {
  const { texts, exports } = linked(
    t,
    {
      "host/node/values/bytes.js": `export { Buffer as Bytes } from "node:buffer"\nexport const LARGE = 4096`,
      "low/base.js": `import { Bytes } from "#host/values/bytes"\nexport const none = Bytes.alloc(0)`,
      "high/user.js": `import { Bytes, LARGE } from "#host/values/bytes"\nexport const bytes = () => Bytes.alloc(LARGE)`,
    },
    ["low/base.js", "none"],
    ["high/user.js", "bytes"],
  )
  assert.equal(lines(texts.get("low/base.js"))[0], `import { Buffer as Bytes } from "node:buffer";`)
  assert.equal(
    lines(texts.get("high/user.js"))[0],
    `import { Buffer as Bytes } from "node:buffer"; import { b as LARGE } from "code:high/low";`,
  )
  assert.deepEqual(
    [...(exports.get("low") ?? [])],
    [
      ["a", { module: "low/base.js", name: "none" }],
      ["b", { module: "host/node/values/bytes.js", name: "LARGE" }],
    ],
  )
})

test("[RP36] [RP50] files know each other's exports by short names, all different, and what is looked up when the program runs by its own too", (t) => {
  const many = Array.from({ length: 600 }, (_, i) => `name${i}`)
  const { exports } = linked(
    t,
    {
      "low/many.js": many.map((name) => `export const ${name} = 1`).join("\n"),
      "high/far.js": "export const one = 1; export const other = 2",
      "high/user.js": [
        `import { ${many.join(", ")} } from "../low/many.js"`,
        `import { other } from "./far.js"`,
        `export const all = () => [${many.join(", ")}, other]`,
        `export const open = () => import("./far.js")`,
      ].join("\n"),
    },
    ["high/user.js", "all"],
  )
  const names = [...(exports.get("low") ?? [])]
  assert.deepEqual(
    names.map(([, { name }]) => name),
    many,
  )
  for (const [alias] of names) assert.match(alias, /^[a-zA-Z]\d{0,2}$/)
  const far = { module: "high/far.js" }
  assert.deepEqual(
    [...(exports.get("far") ?? [])],
    [
      ["a", { ...far, name: "other" }],
      ["one", { ...far, name: "one" }],
      ["other", { ...far, name: "other" }],
    ],
  )
})

test("[RP50] what cannot be put off fails the build: a use while the module is evaluated, a name that means two things", (t) => {
  const far = "export class Far {}"
  for (const use of [
    "export class User extends Far {}",
    "export class User { static far = new Far() }",
    "export const User = [Far]",
  ]) {
    const files = { "high/far.js": far, "high/user.js": `import { Far } from "./far.js"\n${use}` }
    assert.throws(() => linked(t, files, ["high/user.js", "User"]), {
      message: "high/user.js (high) uses Far of high/far.js (far) as soon as it is loaded",
    })
  }
  const shadowed = {
    "high/far.js": far,
    "high/user.js": `import { Far } from "./far.js"\nexport const use = ({ Far }) => Far; export const other = () => Far`,
  }
  assert.throws(() => linked(t, shadowed, ["high/user.js", "use"]), {
    message: "high/user.js: Far is imported, and the name of a variable",
  })
  assert.throws(() => linked(t, { "elsewhere.js": "export const a = 1" }, ["elsewhere.js", "a"]), /is in no file/)
})
