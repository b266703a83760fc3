/** What a program would load into its worker threads: the SDK, and `continueTraces`. */
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node"
import { continueTraces } from "corepool/otel"

const exporter = new InMemorySpanExporter()
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register()
continueTraces()
Object.assign(globalThis, { exporterOfThread: exporter })
