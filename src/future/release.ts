/**
 * When a thread has let go of a task. A future that is cancelled, or out of time, is done at once; the thread that runs
 * its task may take a while to stop. Few have to know when it has: those who count what runs.
 */
const listeners = new WeakMap<object, () => void>()
/** So that what has no listeners costs nothing. */
let isUsed = false

/**
 * Calls `listener` once when no other thread has the future's task any more, be it that the thread has died. The future
 * must be elsewhere now.
 */
export function whenReleased(future: object, listener: () => void): void {
  isUsed = true
  listeners.set(future, listener)
}

/** By the part that had given the task to another thread, when it is back. */
export function release(future: object): void {
  if (!isUsed) return
  const listener = listeners.get(future)
  if (listener === undefined) return
  listeners.delete(future)
  listener()
}
