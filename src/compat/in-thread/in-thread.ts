/**
 * The code that threads load for Piscina and workerpool of `corepool/compat`: see src/platform/worker/handler-part.ts.
 */
export { equip, handle } from "./handlers-in-thread.ts"
export { callMethod, equipMethods, terminateMethods } from "./methods-in-thread.ts"
