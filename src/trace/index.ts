/// <reference lib="esnext.disposable" preserve="true" />
/** `corepool/trace`: what pools do, as a file for Perfetto and for Chrome. */
export { record, type Recording } from "./record.ts"
export type { ChromeTrace, TraceEvent, TraceFacts } from "./trace-writer.ts"
