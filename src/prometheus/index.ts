/// <reference lib="esnext.disposable" preserve="true" />
/** `corepool/prometheus`: what pools do, for Prometheus. */
export { metrics } from "./metrics.ts"
export type { MeasuredPool } from "./pool-facts.ts"
