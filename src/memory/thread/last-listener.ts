/**
 * A listener that is called at the end of this thread, after all other listeners. Listeners of the user's are called in
 * the order in which they were added, and the thread keeps what it holds until the last of them is done.
 */
import { runtime } from "../../time/runtime.ts"

/**
 * Calls `act` when the thread ends in order and all other listeners have been called. It is not called if one of them
 * throws, or was added in the midst of the piece of code that ends the thread: then only others can tell of the end.
 */
export function atTheVeryEnd(act: () => void): void {
  const { process } = globalThis // a task may have replaced it by then
  const listener = (): void => {
    if (process.listeners("exit").at(-1) === listener) act()
  }
  let isToMove = false
  process.on("exit", listener)
  process.on("newListener", (event) => {
    if (event !== "exit" || isToMove) return
    isToMove = true
    runtime.microtask(() => {
      process.removeListener("exit", listener)
      process.on("exit", listener) // with `isToMove`: this is not another one
      isToMove = false
    })
  })
}
