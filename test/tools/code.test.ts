import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import test from "node:test"
import { checkTypes } from "../../tools/check/compiler.ts"
import { checkFormat } from "../../tools/check/format.ts"
import { checkLint } from "../../tools/check/lint.ts"
import { checkSize } from "../../tools/check/size.ts"
import { repository, repositoryWithPackages, ROOT, told } from "./fixture.ts"

const TSCONFIG = JSON.stringify({
  compilerOptions: { strict: true, module: "nodenext", target: "es2023", types: ["node"], noEmit: true },
  include: ["src"],
})

test("[RP13] a file over 300 lines is a warning, one over 400 fails", (t) => {
  const root = repository(t, {
    "src/a.ts": "//\n".repeat(300),
    "src/b.ts": "//\n".repeat(301),
    "src/c/d.ts": "//\n".repeat(401),
    "test/e.ts": "//\n".repeat(999),
  })
  assert.deepEqual(told(checkSize(root)), [
    "src/b.ts (warning) 301 lines; past 300, look for a second idea",
    "src/c/d.ts 401 lines; 400 is the limit",
  ])
})

test("[RP14] an error of types is found, and so is a program that compiles but must not", async (t) => {
  const root = repositoryWithPackages(t, {
    "tsconfig.json": TSCONFIG,
    "src/a.ts": `\nexport const n: number = "one"\n`,
    "src/b.ts": `// @ts-expect-error a number is no string\nexport const wrong: string = 1\n`,
    "src/c.ts": `// @ts-expect-error but it is one\nexport const right: string = "1"\n`,
  })
  assert.deepEqual(told(await checkTypes(root)), [
    "src/a.ts:2 TS2322: Type 'string' is not assignable to type 'number'.",
    "src/c.ts:1 TS2578: Unused '@ts-expect-error' directive.",
  ])
})

test("[RP14] a compiler that cannot start its work is a finding", async (t) => {
  const findings = await checkTypes(repository(t, {}))
  assert.equal(findings.length, 1)
})

test("[RP15] an unattended promise is found; an unattended thenable and a test are not", async (t) => {
  const root = repositoryWithPackages(t, {
    ".oxlintrc.json": readFileSync(join(ROOT, ".oxlintrc.json"), "utf8"),
    "tsconfig.json": TSCONFIG,
    "src/a.ts": [
      `import { test } from "node:test"`,
      `declare function submit(): PromiseLike<void>`,
      `declare function close(): Promise<void>`,
      `submit()`,
      `close()`,
      `test("a test", () => close())`,
      ``,
    ].join("\n"),
  })
  const findings = await checkLint(root)
  assert.deepEqual(
    findings.map(({ where, what }) => `${where} ${what.split(":")[0] ?? ""}`),
    ["src/a.ts:5 typescript(no-floating-promises)"],
  )
})

test("[RP15] a linter that cannot read its settings is a finding", async (t) => {
  const findings = await checkLint(repository(t, { ".oxlintrc.json": "{ not json", "src/a.ts": "export {}\n" }))
  assert.equal(findings.length, 1)
})

test("[RP16] a file that is not formatted is found", async (t) => {
  const root = repository(t, { ".prettierrc": `{ "semi": false }\n`, "src/a.ts": "export {};\n", "b.md": "# B\n" })
  assert.deepEqual(told(await checkFormat(root)), ["src/a.ts not formatted: npm run format"])
})

test("[RP16] a file that cannot be parsed is a finding", async (t) => {
  const [finding] = await checkFormat(repository(t, { "src/a.ts": "export {\n" }))
  assert.match(finding?.what ?? "", /SyntaxError/)
})
