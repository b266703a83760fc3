export type { ThreadFactory } from "./thread-factory.ts"
export type { PlatformThreadOptions, WorkerFactory, WorkerStart } from "./platform-threads.ts"
export type { UncaughtExceptionHandler } from "./uncaught.ts"
export type {
  DumpedFork,
  DumpedThread,
  DumpedWait,
  ThreadContainer,
  ThreadDump,
  ThreadDumpOptions,
} from "./thread-dump.ts"
