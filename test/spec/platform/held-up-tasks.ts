/** A task that looks at what its own thread has written down for the owner of the pool. */
import { threadContext } from "#src/memory/thread/this-thread.js"

/** Writes whether the thread is in a stretch of corepool's own code: in the task, and in code that the task leaves behind. */
export function ownCode(words: Int32Array): void {
  const { registry, token } = threadContext()
  const look = (): number => (registry.stretchOf(token) === "" ? 0 : 1)
  Atomics.store(words, 0, look())
  setTimeout(() => {
    Atomics.store(words, 1, look())
    Atomics.store(words, 2, 1)
  })
}
