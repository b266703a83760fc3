/**
 * What the compiler is to know of functions that are given to executors. A function with several signatures is
 * understood up to four of them; otherwise TypeScript would look at the last one alone.
 */

/** Any function: what it takes and gives is of no interest. */
export type AnyFunction = (...args: never[]) => unknown

type Signatures<F> = F extends {
  (...args: infer A): infer R
  (...args: infer B): infer S
  (...args: infer C): infer T
  (...args: infer D): infer U
}
  ? [A, R] | [B, S] | [C, T] | [D, U]
  : never

/** What the function can be called with: one list for each of its signatures. */
export type ArgumentsOf<F> = Signatures<F> extends infer S ? (S extends [infer A, unknown] ? A : never) : never

/** What comes of it if it is called with these. */
export type ResultOf<F, A> =
  Signatures<F> extends infer S ? (S extends [infer P, infer R] ? (A extends P ? Awaited<R> : never) : never) : never

/**
 * Arguments that another thread can be sent: functions and symbols cannot be. Only for what always runs in other
 * threads. A pool's type does not tell which kind of threads the pool has.
 */
export type Sendable<A extends unknown[]> = { [K in keyof A]: A[K] extends symbol | AnyFunction ? never : A[K] }
