export { type Task, task, type TasksOf, tasksOf } from "./task.ts"
