/**
 * Types of functions that are given to executors. Of a function with several signatures up to four are understood;
 * TypeScript by itself would see the last one only.
 */

/** Any function. */
export type AnyFunction = (...args: never[]) => unknown

type Signatures<F> = F extends {
  (...args: infer A): infer R
  (...args: infer B): infer S
  (...args: infer C): infer T
  (...args: infer D): infer U
}
  ? [A, R] | [B, S] | [C, T] | [D, U]
  : never

/** The argument lists that the function accepts: one for each of its signatures. */
export type ArgumentsOf<F> = Signatures<F> extends infer S ? (S extends [infer A, unknown] ? A : never) : never

/** The result of a call with these arguments. */
export type ResultOf<F, A> =
  Signatures<F> extends infer S ? (S extends [infer P, infer R] ? (A extends P ? Awaited<R> : never) : never) : never

/**
 * Arguments that can be sent to another thread: functions and symbols cannot be. Only for tasks that always run in
 * other threads. The type of a pool does not tell which kind of threads it has.
 */
export type Sendable<A extends unknown[]> = { [K in keyof A]: A[K] extends symbol | AnyFunction ? never : A[K] }
