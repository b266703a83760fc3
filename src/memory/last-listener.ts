/**
 * To be told of the end of this thread after everybody else has been. Listeners of the user's are told of it too, in the order in
 * which they came, and what the thread holds is its own until the last of them is done.
 */
import { runtime } from "../time/runtime.ts"

/**
 * Calls `act` when the thread ends in order and all other listeners have been called. It is not called if one of them throws, or was added
 * in the midst of the piece of code that ends the thread: then only others can tell of the end.
 */
export function atTheVeryEnd(act: () => void): void {
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
