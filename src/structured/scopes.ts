/**
 * Scopes and scoped values as `corepool` exports them: the same classes as in `corepool/virtual`, which can also fork
 * to platform threads.
 */
import { sendForks } from "./remote.ts"
import { ScopedValue as Value } from "./scoped-value.ts"
import { StructuredTaskScope as Scope } from "./structured-task-scope.ts"

/**
 * A block of code that splits into concurrent subtasks, and does not go on before all of them have ended. `fork` starts
 * a subtask, `join` waits for all and has the outcome that the `Joiner` decides on, `close` ends the scope.
 *
 * When a scope is cancelled, by its joiner, because time is up, or because the block was left, its forks are cancelled
 * and interrupted, `join` and `close` wait until each has really stopped, and new forks do not start. An interrupt of
 * the thread that joins cancels the scope too, and so reaches all forks, and the forks of these.
 *
 * Only the flow that has opened the scope may fork, join and close it. Forks inherit the bindings of scoped values.
 *
 * @example
 * ```ts
 * import { StructuredTaskScope } from "corepool"
 *
 * await using scope = StructuredTaskScope.open()
 * const user = scope.fork(async () => "Ada")
 * const orders = scope.fork(async (id: number) => [id], 7)
 * await scope.join() // throws the first failure, after it has cancelled and awaited the rest
 * console.log(user.get(), orders.get()) // => Ada [ 7 ]
 * ```
 */
export const StructuredTaskScope: typeof Scope = /* @__PURE__ */ sending(Scope)
export type StructuredTaskScope<T = unknown, R = void> = Scope<T, R>

/**
 * A value that is bound for the time of a call, and not passed as an argument: the user of a request, a deadline, a
 * transaction. The binding holds for the function, for all that it calls and awaits, and for all forks of scopes that
 * it opens, on whatever thread they run. It cannot be changed: only bound anew, for the time of an inner call.
 *
 * Threads of their own have copies of the values. Each finds the binding by the position of `newInstance()` in its
 * module, so make scoped values at the top level of a module that is not the program's entry, or give them names.
 *
 * A task that was submitted to an executor, and not forked, inherits nothing, as in Java.
 *
 * @example
 * ```ts
 * import { ScopedValue, StructuredTaskScope } from "corepool"
 *
 * const user = ScopedValue.newInstance<string>()
 *
 * const greeting = await ScopedValue.where(user, "Ada").call(async () => {
 *   await using scope = StructuredTaskScope.open()
 *   const hello = scope.fork(async () => `hello ${user.get()}`)
 *   await scope.join()
 *   return hello.get()
 * })
 * console.log(greeting) // => hello Ada
 * console.log(user.isBound) // => false
 * ```
 */
export const ScopedValue: typeof Value = /* @__PURE__ */ sending(Value)
export type ScopedValue<T> = Value<T>

function sending<C>(type: C): C {
  sendForks()
  return type
}
