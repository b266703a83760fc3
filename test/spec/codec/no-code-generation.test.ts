/**
 * For a program that forbids to make functions of texts. In a file of its own: having been forbidden once, it is not tried
 * again. Rule ids are those of docs/spec/codec.md.
 */
import { copyOf } from "#src/codec/codec.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { fileURLToPath } from "node:url"
import { runFile } from "../../support/child.ts"

test("[CD1] values are copied also where functions cannot be made of texts", () => {
  const { Function: original } = globalThis
  let attempts = 0
  globalThis.Function = new Proxy(original, {
    construct() {
      attempts++
      throw new EvalError("Code generation from strings disallowed for this context")
    },
  })
  try {
    for (let i = 0; i < 1000; i++) {
      const value = { a: i, b: { c: [i, { a: 1, b: 2 }] } }
      assert.deepEqual(copyOf(value), value)
    }
  } finally {
    globalThis.Function = original
  }
  // None where the runtime keeps the class to itself.
  assert.ok(attempts <= 1, "and it is not tried again")
})

const isNode = process.versions["bun"] === undefined && process.versions["deno"] === undefined

test(
  "[CD1] tasks of modules run where the runtime forbids code generation; functions in place are refused by name",
  { skip: isNode ? false : "only Node has the flag" },
  async () => {
    const program = fileURLToPath(new URL("programs/no-texts.js", import.meta.url))
    const { code, stdout, stderr } = await runFile("--disallow-code-generation-from-strings", program)
    assert.equal(stderr, "")
    assert.equal(stdout, "125250\ntrue\n")
    assert.equal(code, 0)
  },
)
