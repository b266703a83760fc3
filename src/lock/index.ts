/// <reference lib="esnext.disposable" preserve="true" />
export { AbstractQueuedSynchronizer, type QueuedThread } from "./abstract-queued-synchronizer.ts"
export type { Condition } from "./condition.ts"
export type { Guard, Lock } from "./lock.ts"
export { ReentrantLock } from "./reentrant-lock.ts"
export { ReentrantReadWriteLock } from "./reentrant-read-write-lock.ts"
export type { ReadLock } from "./read-lock.ts"
export type { WriteLock } from "./write-lock.ts"
export type { Handle, Shared } from "../memory/shared/shared-memory.ts"
