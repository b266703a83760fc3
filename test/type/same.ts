/**
 * Assertions about types. The files of this folder are compiled and never run: an assertion that does not hold does not
 * compile, and neither does a `@ts-expect-error` over a program that should not compile but does.
 */

/** True only for the same type: `any`, `unknown` and a mere subtype are told apart. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the compiler compares the conditions on T, not T
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** `typeOf(value).is<Expected>()` */
export declare function typeOf<T>(value: T): {
  is<U>(...differs: Same<T, U> extends true ? [] : ["is", T, "and not", U]): void
}
