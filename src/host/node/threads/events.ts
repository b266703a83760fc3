/** Events and asynchronous resources of Node, for the drop-ins of `corepool/compat`. */
import { parentPort } from "node:worker_threads"

export { AsyncResource } from "node:async_hooks"
export { EventEmitter } from "node:events"

/** Sends a message to the thread that has started this one. */
export function tellParent(message: unknown, transfer: readonly object[] = []): void {
  parentPort?.postMessage(message, transfer as never)
}

/** Adds arguments to those with which this thread was started. */
export function addArguments(args: readonly unknown[]): void {
  process.argv.push(...args.map(String))
}

/** Ends this thread, or the process if it is the main thread of it. */
export function exitThread(code: number): void {
  process.exit(code)
}
