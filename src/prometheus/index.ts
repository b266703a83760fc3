/// <reference lib="esnext.disposable" preserve="true" />
/** `corepool/prometheus`: what pools do, for Prometheus. */
export { metrics, type MeasuredPool } from "./metrics.ts"
