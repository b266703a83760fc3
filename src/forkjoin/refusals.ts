/** What is told to who would wait for ever, or uses a task twice. */
import { IllegalStateError } from "../errors.ts"

export function alreadyForked(): IllegalStateError {
  return new IllegalStateError("The task was forked before: say reinitialize() to use it again")
}

export function neverForked(): IllegalStateError {
  return new IllegalStateError("This wait would never end: the task was not forked. Use invoke()")
}

export function waitsForItself(): IllegalStateError {
  return new IllegalStateError(
    "This wait would never end: the task is running in this very thread, beneath the call of join(), and cannot go on before that returns",
  )
}

export function wouldBlockItself(): IllegalStateError {
  return new IllegalStateError(
    "This wait would never end: the task is asynchronous and runs in this very thread, which would stand still. Await it instead",
  )
}
