export { ManualClock, type ManualClockOptions } from "./manual-clock.ts"
