/** Stands in for `node:util` in browsers. */
export { isDeepStrictEqual } from "./deep-equal.ts"
