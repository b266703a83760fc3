import assert from "node:assert/strict"
import test from "node:test"
import { withVisibleComments } from "../../tools/bundle/declaration-comments.ts"

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
