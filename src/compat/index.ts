/**
 * `corepool/compat`: the shapes of other libraries, on corepool. A project moves by changing an import, and then to
 * corepool's own classes at leisure.
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
export { Emitter, type Listener } from "./emitter.ts"
export { PQueue } from "./p-queue.ts"
export type { PQueueAddOptions, PQueueEvent, PQueueOptions, PQueueRunningTask, PQueueTask } from "./p-queue-options.ts"
export { type PQueueEnqueueOptions, type PQueueQueue, PriorityQueue, type RunFunction } from "./priority-queue.ts"
