export type { Future, FutureState } from "./future.ts"
export { FutureTask } from "./future-task.ts"
export { bind, type Callable, type Runnable } from "./runnable.ts"
