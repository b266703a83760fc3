/** What threads load for the shapes of worker pools: see src/platform/worker/handler-part.ts. */
export { equip, handle } from "./handlers-in-thread.ts"
export { callMethod, equipMethods, terminateMethods } from "./methods-in-thread.ts"
