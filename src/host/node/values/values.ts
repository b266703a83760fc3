/**
 * What the engine has made a value, whatever its prototype and its `Symbol.toStringTag` say, and from whatever realm it
 * comes.
 */
export { types } from "node:util"

/** Whether two values have the same type and the same contents. */
export { isDeepStrictEqual } from "node:util"
