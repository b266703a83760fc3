import { types } from "#host/values/values"
import { sourceText } from "../primordials.ts"

/** The text of a function of the engine without a name: `Function.prototype` is one. */
const text = /* @__PURE__ */ sourceText(Function.prototype)

/**
 * Whether these are the functions with which the engine settles a promise. With such functions it calls `then` of a
 * future, for `await`, `Promise.all` and the like, and drops what `then` returns. So `then` needs no promise of its own
 * for them: a promise would be the largest part of what a waiting future keeps in memory. To find that out takes as
 * long as to make a promise, and pays if many futures wait. If it is the program that calls `then` with such functions,
 * it gets a substitute for the promise, whose value is `undefined`.
 *
 * Any other function of the program must be called later, in its own asynchronous context, and its result is the result
 * of `then`. It has a text of its own. Two kinds have not: proxies, which can be recognised, and functions made by
 * `bind`, whose name begins with "bound". (A program can give a bound function an empty name. Together with a handler
 * of errors it is then mistaken for a function of the engine.)
 */
export function isPromiseJob(onFulfilled: unknown, onRejected: unknown): boolean {
  return (
    typeof onFulfilled === "function" &&
    typeof onRejected === "function" &&
    !types.isProxy(onFulfilled) && // first: its name would be asked of the program
    onFulfilled.name === "" &&
    sourceText(onFulfilled) === text
  )
}
