import assert from "node:assert/strict"
import test from "node:test"
import { checkExamples, expectedOutput } from "../../tools/check/examples.ts"
import { checkReadme } from "../../tools/check/readme.ts"
import { checkSnippets } from "../../tools/check/snippets.ts"
import { repository, repositoryWithPackages, told } from "./fixture.ts"

test("[RP17] an example that prints something else, fails, says nothing or is not built is found", async (t) => {
  const root = repository(t, {
    "package.json": `{ "type": "module" }`,
    "examples/01-right.ts": "go()\n\n// Output:\n// one\n//\n// two\n",
    "build/examples/01-right.js": `console.log("one\\n\\ntwo")`,
    "examples/02-wrong.ts": "go()\n// Output:\n// one\n",
    "build/examples/02-wrong.js": `console.log("two")`,
    "examples/03-fails.ts": "go()\n// Output:\n// one\n",
    "build/examples/03-fails.js": `console.log("one"); process.exitCode = 3`,
    "examples/04-silent.ts": "go()\n",
    "examples/05-unbuilt.ts": "// Output:\n// one\n",
    "examples/tasks/shared.ts": "export const one = 1\n",
  })
  assert.deepEqual(told(await checkExamples(root)), [
    "examples/02-wrong.ts printed\ntwo\ninstead of\none",
    "examples/03-fails.ts exit code 3\none",
    "examples/04-silent.ts does not end in a comment `// Output:` with what it prints",
    "examples/05-unbuilt.ts build/examples/05-unbuilt.js is missing: npm run build",
  ])
})

test("[RP17] the expected output is the comment at the end, and nothing may follow it", () => {
  assert.equal(expectedOutput("run()\n// Output:\n//   indented\n// last  \n"), "  indented\nlast")
  assert.equal(expectedOutput("run()\n// Output:\n// one\nmore()\n"), undefined)
  assert.equal(expectedOutput("run()\n// Prints one\n"), undefined)
})

test("[RP18] a README without code by line 8, too long, or missing is found", (t) => {
  const late = `# corepool\n${"text\n".repeat(7)}\`\`\`ts\n\`\`\`\n`
  const long = `# corepool\n\n\`\`\`ts\n\`\`\`\n${"text\n".repeat(146)}`
  assert.deepEqual(told(checkReadme(repository(t, { "README.md": late }))), [
    "README.md the first code belongs on line 8 or before; it is on line 9",
  ])
  assert.deepEqual(told(checkReadme(repository(t, { "README.md": "# corepool\n" }))), [
    "README.md the first code belongs on line 8 or before; there is none",
  ])
  assert.deepEqual(told(checkReadme(repository(t, { "README.md": long }))), ["README.md 150 lines; 149 is the limit"])
  assert.deepEqual(told(checkReadme(repository(t, {}))), ["README.md is missing"])
})

test("[RP18] code on line 8 and 149 lines are fine", (t) => {
  const root = repository(t, {
    "README.md": `# corepool\n${"text\n".repeat(6)}\`\`\`ts\n\`\`\`\n${"text\n".repeat(140)}`,
  })
  assert.deepEqual(told(checkReadme(root)), [])
})

test("[RP19] a fence that does not compile is told at its line of the document", async (t) => {
  const root = repositoryWithPackages(t, {
    "package.json": JSON.stringify({ name: "pack", type: "module", exports: "./dist/index.js" }),
    "dist/index.d.ts": "export declare function double(n: number): number\n",
    "README.md": '# Pack\n\n```ts\nimport { double } from "pack"\n\nconst n: string = double(2)\n```\n',
    "docs/guide/a.md": [
      "```ts",
      "// primes.ts",
      "export const two = 2",
      "```",
      "```ts",
      `import { two } from "./primes.js"`,
      "const n: number = two",
      "const m: string = two",
      "```",
      "```js",
      "this is not TypeScript",
      "```",
      "```ts",
      "// primes.ts",
      "export const three = 3",
      "```",
      "",
    ].join("\n"),
    "docs/guide/b.md": "```ts\nconst n = 1\n```\n",
  })
  assert.deepEqual(told(await checkSnippets(root)).slice(0, 2), [
    "docs/guide/a.md:13 a second fence is called primes.ts",
    "README.md:6 line-3.ts: TS2322: Type 'number' is not assignable to type 'string'.",
  ])
})
