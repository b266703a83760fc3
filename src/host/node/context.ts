/**
 * A variable of the asynchronous context: its value follows a flow of control across awaits, timers and callbacks. The
 * static method `snapshot` returns a function that runs other functions in the context of that moment.
 */
export { AsyncLocalStorage as AsyncVariable } from "node:async_hooks"
