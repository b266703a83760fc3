import assert from "node:assert/strict"
import test from "node:test"
import { withVisibleComments } from "../../tools/bundle/declaration-comments.ts"
import { withPackedComments } from "../../tools/bundle/packed-comments.ts"

const TYPES = `/** Of the inside. */
interface Inner {
  /** Of its member. */
  a: number;
}
/** Of a base class. */
declare class Base {
  /** Of a member that is inherited. */
  b(): Named;
  /** @internal Of a member for the inside. */
  c(): Inner;
}
interface Named {
  /** Of a member of a type that is named. */
  d: number;
}
/** Of the class. */
declare class Own extends Base {}
export { Own as t };
`

test("[RP36] the published types have the comments that a user can see, and no others", () => {
  assert.equal(
    withVisibleComments("types.d.ts", TYPES),
    `interface Inner {
  a: number;
}
declare class Base {
  /** Of a member that is inherited. */
  b(): Named;
  /** @internal */
  c(): Inner;
}
interface Named {
  /** Of a member of a type that is named. */
  d: number;
}
/** Of the class. */
declare class Own extends Base {}
export { Own as t };
`,
  )
})

test("[RP67] a published comment has its beginning, its memory effects and its tags, a paragraph on a line, and no example", () => {
  const long = "word ".repeat(38).trim()
  const comment = [
    "*",
    " * Begins",
    " * here.",
    " *",
    ` * ${long}`,
    " *",
    ` * ${long}`,
    " *",
    " * **Memory effects.** Some.",
    " *",
    " *     some code",
    " *",
    " * @param n A",
    " * number.",
    " * @throws TypeError",
    " *",
    " * @example",
    " * ```ts",
    " *",
    " * it()",
    " * ```",
    " ",
  ].join("\n")
  assert.equal(
    withPackedComments("a.d.ts", `/*${comment}*/\ndeclare const a: 1;\n// plain\n/**\n  * One.\n */\nexport { a };\n`),
    `/**\nBegins here.\n\n${long}\n\n**Memory effects.** Some.\n\n    some code\n\n@param n A number.\n@throws TypeError\n*/\ndeclare const a: 1;\n// plain\n/** One. */\nexport { a };\n`,
  )
})
