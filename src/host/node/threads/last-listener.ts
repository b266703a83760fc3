/**
 * A listener that is called at the end of this thread, after all other listeners. The user's listeners are called in
 * the order in which they were added, and the thread keeps what it holds until the last of them has returned.
 */
import { runtime } from "../runtime/clock.ts"

/**
 * Calls `act` when the thread ends in order and all other listeners have been called. `act` is not called if a listener
 * throws, or was added during the same piece of code that ends the thread. Then only other threads can report the end.
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
      process.on("exit", listener) // `isToMove` keeps this call from starting another move
      isToMove = false
    })
  })
}
