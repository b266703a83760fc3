export type { PoolInfo, TaskOutcome, ThreadInfo } from "../observing.ts"
export type {
  DistributedJobContext,
  EndFacts,
  PoolMessage,
  ScheduleFireContext,
  TaskContext,
  TaskFacts,
  TaskRejectedMessage,
  TaskRunContext,
  TaskUnobservedMessage,
  WorkerMessage,
} from "./payloads.ts"
