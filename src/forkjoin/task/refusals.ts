/** The errors of a wait that would never end or is out of time, and of a task that was cancelled or is used twice. */
import { CancellationError, IllegalStateError, TimeoutError } from "../../errors.ts"
import { sleepSync } from "../../thread/sleeping.ts"

export function alreadyForked(): IllegalStateError {
  return new IllegalStateError(
    "The task was forked, submitted or begun before, and is not over: only when it is can it be used again, see reinitialize()",
  )
}

export function wasCancelled(cause: unknown): CancellationError {
  return new CancellationError("Task was cancelled", cause === undefined ? undefined : { cause })
}

export function neverForked(): IllegalStateError {
  return new IllegalStateError("This wait would never end: the task was not forked. Use invoke()")
}

export function outOfTime(): TimeoutError {
  return new TimeoutError("The task did not complete in time")
}

/** For a wait that nothing but its limit, or an interrupt, can end. */
export function sleepInVain(limit: number): never {
  sleepSync(limit)
  throw outOfTime()
}

export function waitsForItself(): IllegalStateError {
  return new IllegalStateError(
    "This wait would never end: the task is running in this very thread, beneath the call of join(), and cannot go on before that returns",
  )
}

export function neverCompleted(): IllegalStateError {
  return new IllegalStateError(
    "This wait would never end: nothing is under way that could complete the task. Does its compute(), or one of its parts, not call tryComplete(), or was the pending count too high?",
  )
}

export function waitInCycle(): IllegalStateError {
  return new IllegalStateError(
    "This wait would never end: the task waits for one that waits, perhaps through others, for this very task. A task should join only what it has forked itself",
  )
}

export function unused(): never {
  throw new Error("corepool: a forked task is run by the thread that has it")
}
