export { AtomicInteger } from "./atomic-integer.ts"
export { AtomicLong } from "./atomic-long.ts"
