/// <reference lib="esnext.disposable" preserve="true" />
/** `corepool/distributed`: the same executors across machines, on a queue engine. */
export type { TaskCatalogue } from "./job/catalogue.ts"
export { DistributedExecutor } from "./distributed-executor.ts"
export type { DistributedExecutorService, DistributedStats } from "./distributed-executor-service.ts"
export type { DistributedFuture, DistributedScheduledFuture } from "./job/distributed-future.ts"
export type { Engine, JobCounts, JobState, NodeRecord } from "./job/engine.ts"
export type { DistributedExecutorOptions, DistributedRetryOptions, DistributedTaskOptions } from "./job/options.ts"
export { migrate, postgres, type PostgresOptions } from "./bullmq/postgres.ts"
export { redis, type RedisOptions } from "./bullmq/redis.ts"
export { type GivenPeers, usePeers } from "./job/peers.ts"
export { ExecutorNode } from "./node/executor-node.ts"
export { type CurrentJob, currentJob } from "./node/job-in-thread.ts"
export type { ExecutorNodeOptions, NodeErrorContext, SignalName } from "./node/node-options.ts"
