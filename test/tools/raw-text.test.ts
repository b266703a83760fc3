import assert from "node:assert/strict"
import test from "node:test"
import { runInNewContext } from "node:vm"
import { rawText } from "../../tools/bundle/raw-text.ts"

/* oxlint-disable no-template-curly-in-string */
/** Each is a script whose value tells whether it means the same. */
const SCRIPTS: readonly string[] = [
  "`a\\n'\"\\`b`",
  "`${1}`",
  "`${`x${2}`}${3}-${[4, 5]}\\\\${'`'}$`",
  "'$' + '{' + '${a}`' + \"`\"",
  "/`|\\`|\\${/.source.length + '`${'.replace(/`\\$\\{/, 'y')",
  "String.raw`\\d${1}\\n`",
  "`${{ toString: () => 's', valueOf: () => 'v' }}`",
  "class $ {}; class $a extends $ {}; new $a() instanceof $",
  "`\u20ac`",
]

for (const script of SCRIPTS) {
  test(`[RP118] code without backticks means the same: ${script}`, () => {
    const text = rawText("script.js", script.replaceAll("extends $ {", "extends ${"))
    assert.doesNotMatch(text, /`|\$\{/)
    const taken: unknown = runInNewContext(`String.raw\`${text}\``)
    assert.equal(taken, text)
    const value = (code: string): unknown => runInNewContext(code) as unknown
    if (!/source/.test(script)) assert.deepEqual(value(text), value(script))
    else assert.match(String(value(text)), /y$/)
  })
}

test("[RP118] a template with another tag is refused", () => {
  assert.throws(() => rawText("script.js", "tag`a`"), /script\.js: a tagged template/)
})
