/**
 * `corepool/compat`: drop-ins for other libraries, built on corepool. A project moves by changing its imports, and can
 * use corepool's own classes later.
 */
export { type LimitFunction, limitFunction, type LimitOptions, pLimit } from "./p-limit.ts"
export {
  fastq,
  type Fastq,
  type FastqBase,
  type FastqCallback,
  type FastqPromise,
  type FastqPromiseQueue,
  type FastqPromiseWorker,
  type FastqQueue,
  type FastqWorker,
} from "./fastq.ts"
export { Emitter, type Listener } from "./p-queue/emitter.ts"
export { PQueue } from "./p-queue/p-queue.ts"
export type {
  PQueueAddOptions,
  PQueueEvent,
  PQueueOptions,
  PQueueRunningTask,
  PQueueTask,
} from "./p-queue/p-queue-options.ts"
export {
  type PQueueEnqueueOptions,
  type PQueueQueue,
  PriorityQueue,
  type RunFunction,
} from "./p-queue/priority-queue.ts"
export { isWorkerThread, Piscina, type PiscinaHistogram, workerData } from "./piscina/piscina.ts"
export { move, type PiscinaTransferable, transferableSymbol, valueSymbol } from "./in-thread/movable.ts"
export type {
  PiscinaEmitter,
  PiscinaEventTarget,
  PiscinaLoadBalancer,
  PiscinaOptions,
  PiscinaRunOptions,
  PiscinaSettings,
  PiscinaSignal,
} from "./piscina/piscina-options.ts"
export {
  ArrayTaskQueue,
  FixedQueue,
  type PiscinaTask,
  type PiscinaTaskQueue,
  queueOptionsSymbol,
} from "./piscina/piscina-queues.ts"
export { PiscinaAbortError } from "./piscina/piscina-task.ts"
export type { PiscinaTimes } from "./piscina/run-times.ts"
export type { PiscinaWorker } from "./piscina/piscina-worker.ts"
export type { PiscinaEvents, PiscinaListener, PiscinaThread } from "./piscina/piscina-events.ts"
export {
  E_CANCELED,
  Mutex,
  type MutexInterface,
  type MutexReleaser,
  Semaphore,
  type SemaphoreInterface,
} from "./mutex/mutex.ts"
export { E_ALREADY_LOCKED, E_TIMEOUT, tryAcquire, withTimeout } from "./mutex/mutex-limits.ts"
export {
  type PoolProxy,
  type PoolStats,
  TerminateError,
  type Workerpool,
  workerpool,
  WorkerPool,
} from "./workerpool/workerpool.ts"
export type { PoolExecOptions, PoolWorkerArg, WorkerpoolOptions } from "./workerpool/workerpool-options.ts"
export type { WorkerpoolRegisterOptions, WorkerpoolWorker } from "./in-thread/methods-in-thread.ts"
export { PoolCancellationError, PoolPromise, PoolTimeoutError } from "./workerpool/pool-promise.ts"
export { FIFOQueue, LIFOQueue, type PoolTask, type PoolTaskQueue } from "./workerpool/pool-queues.ts"
export { Transfer } from "./in-thread/pool-transfer.ts"
