/// <reference lib="esnext.disposable" preserve="true" />
/** `corepool/monitor`: a page that shows what pools do. */
export { type Monitor, type MonitoredLock, type MonitoredPool, type MonitorOptions, startMonitor } from "./monitor.ts"
export type { MeasuredPool } from "../prometheus/pool-facts.ts"
