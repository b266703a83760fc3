import assert from "node:assert/strict"
import test from "node:test"
import { withOpaqueClasses } from "../../tools/bundle/opaque-declarations.ts"

const TYPES = `/** Of the inside. */
declare class Space {
  size: number;
}
interface Sharing<T> {
  share(): T;
}
declare class Memory extends Space implements Sharing<Words> {
  static open(space: Space): Memory;
}
type Words = Int32Array;
declare const LIMIT = 3, MOST = 4;
interface Named {
  limit: typeof MOST;
}
/** Of the class. */
declare class Own {
  constructor(memory?: Memory);
  b(): Named;
}
export { Own as t };
`

test("[RP36] the published types have the name alone of a class of the inside, and nothing that only its members need", () => {
  assert.equal(
    withOpaqueClasses("types.d.ts", TYPES, ["Memory"]).trim(),
    `declare class Memory {
  #private;
}
declare const LIMIT = 3, MOST = 4;
interface Named {
  limit: typeof MOST;
}
/** Of the class. */
declare class Own {
  constructor(memory?: Memory);
  b(): Named;
}
export { Own as t };`,
  )
})

test("[RP36] a class of the inside that is not there fails the build", () => {
  assert.throws(() => withOpaqueClasses("types.d.ts", TYPES, ["Memory", "Elsewhere"]), /have no class Elsewhere/)
})
