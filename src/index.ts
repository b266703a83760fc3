/// <reference lib="esnext.disposable" preserve="true" />

// Executors: where tasks run.
export { Executors } from "./executors.ts"
export * from "./executor/index.ts"
export { propagate, type PropagatedStorage, type PropagateOptions } from "./executor/propagation.ts"
export * from "./pool/index.ts"
export { platformThreads, ScheduledThreadPoolExecutor, ThreadPoolExecutor } from "./platform/pools.ts"
export * from "./schedule/index.ts"
export type { Clock, ClockTimer } from "./time/clock.ts"
export * from "./forkjoin/index.ts"
export * from "./parallel/index.ts"

// Events: what the channels of node:diagnostics_channel are given.
export type * from "./events/index.ts"

// Structured concurrency: tasks that end with the block that has started them.
export { ScopedValue, StructuredTaskScope } from "./structured/scopes.ts"
export * from "./structured/index.ts"

// Tasks: what other threads can run.
export * from "./task/index.ts"

export { type ClassCodec, registerClass } from "./codec/revival.ts"

// Futures: the outcomes of tasks.
export * from "./future/index.ts"

// Threads: what runs tasks.
export { Thread } from "./dump/thread.ts"
export * from "./thread/index.ts"
export type { WaitOptions } from "./memory/flow/waiting.ts"

// Queues: where tasks wait, and how threads pass values to each other.
export * from "./queue/index.ts"

// Locks and synchronizers: the order of tasks, between threads and between flows of one thread.
export * from "./atomic/index.ts"
export * from "./lock/index.ts"
export * from "./sync/index.ts"

// Errors: what can go wrong.
export * from "./errors.ts"
