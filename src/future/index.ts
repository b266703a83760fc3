export type { Future, FutureState } from "./future.ts"
export { FutureTask } from "./future-task.ts"
export { bind } from "./call.ts"
export type { Callable, Runnable } from "./runnable.ts"
