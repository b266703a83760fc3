import { threadContext } from "#src/memory/thread/this-thread.js"

/** Ends the wait that has this number in the thread that has this token. */
export function unpark(token: number, node: number): void {
  threadContext().wake(token, node)
}
