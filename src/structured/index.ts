export { Joiner } from "./joiner.ts"
export { type ScopedBindings, type ScopedValueOptions } from "./scoped-value.ts"
export { type StructuredTaskScopeOptions } from "./structured-task-scope.ts"
export { type Subtask } from "./subtask.ts"
