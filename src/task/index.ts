export { type Task, task, type TasksOf, tasksOf } from "./task.ts"
export { transfer } from "./transfer.ts"
