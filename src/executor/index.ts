export { AbstractExecutorService } from "./abstract-executor-service.ts"
export type { Executor, ExecutorService, MapOptions, TaskOptions } from "./executor.ts"
export type { Completion } from "./completions.ts"
export { ExecutorCompletionService } from "./executor-completion-service.ts"
