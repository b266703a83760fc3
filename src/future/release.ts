/**
 * When a thread has let go of a task. A future that is cancelled, or out of time, is done at once, but the thread that
 * runs its task may take a while to stop. Only code that counts running tasks needs to know when it has stopped.
 */
const listeners = new WeakMap<object, () => void>()
/** Whether there has ever been a listener: without one, {@link release} costs nothing. */
let isUsed = false

/**
 * Calls `listener` once when no other thread has the future's task any more, also if the thread has died. To be called
 * while the future is remote.
 */
export function whenReleased(future: object, listener: () => void): void {
  isUsed = true
  listeners.set(future, listener)
}

/** Called when the task is back, by the part that had given it to another thread. */
export function release(future: object): void {
  if (!isUsed) return
  const listener = listeners.get(future)
  if (listener === undefined) return
  listeners.delete(future)
  listener()
}
