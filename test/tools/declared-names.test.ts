import assert from "node:assert/strict"
import test from "node:test"
import { withDeclaredNames } from "../../tools/bundle/declared-names.ts"

const TYPES = `/** A thread, unlike a Pool. */
declare class Thread$2 {
  static currentThread(): Thread$2;
  static readonly Thread: number;
}
/** Again, with dumps. */
declare const Thread$1: typeof Thread$2;
type Thread$1 = Thread$2;
declare const Thread: typeof Thread$2;
type Thread = Thread$2;
declare class Scope$1<T = unknown, R = void> {}
declare const Scope: typeof Scope$1;
type Scope<T = unknown, R = void> = Scope$1<T, R>;
interface Pool$1 {
  thread: Thread$2;
}
interface Pool {
  scope: Scope<Thread>;
}
declare const other: typeof Thread;
type Other = string;
export { Other, type Pool, Pool$1, Scope, Scope$1, Thread, Thread$1, Thread$2, other };
`

test("[RP124] the published types have the names of the source: a class that is declared again has its name, and corepool's own type keeps it", () => {
  const exported = new Map([
    ["Thread$1", "Thread"],
    ["Pool$1", "Pool"],
  ])
  const { text, renamed } = withDeclaredNames("types.d.ts", TYPES, exported)
  assert.equal(
    text,
    `/** A thread, unlike a Pool. */
declare class Thread {
  static currentThread(): Thread;
  static readonly Thread: number;
}
declare class Scope<T = unknown, R = void> {}
interface Pool {
  thread: Thread;
}
interface Pool$1 {
  scope: Scope<Thread>;
}
declare const other: typeof Thread;
type Other = string;
export { Other, type Pool$1, Pool, Scope, Thread, other };
`,
  )
  assert.equal(renamed.get("Thread$1"), "Thread")
  assert.equal(renamed.get("Pool$1"), "Pool")
})
