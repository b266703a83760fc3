/// <reference lib="esnext.disposable" preserve="true" />
/** `corepool/otel`: what pools do, for OpenTelemetry. */
export { continueTraces, type ContinueOptions } from "./carrier.ts"
export { instrument, type InstrumentOptions } from "./instrument.ts"
