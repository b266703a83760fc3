/**
 * Stands in for `Math` in all of the code for browsers, where tools/bundle/browser.ts puts it. So this code never calls
 * what a task puts into the global object in its thread. [PL64]
 */
const ownMath = Object.defineProperties({}, Object.getOwnPropertyDescriptors(globalThis.Math)) as typeof globalThis.Math

export { ownMath as Math }
